import { projectSettings } from '../../shared/project.ts';
import { offerSetupLink } from '../admin/setup-link.ts';
import { createContext } from '../create-context.ts';
import { serve } from '../serve.ts';
import type { Command, Terminal } from './command.ts';
import { readOptions } from './options.ts';
import { type AddedProject, addProject } from './project.ts';

function welcome(added: AddedProject, baseUrl: string): string {
  return `
Welcome. A first project is there; its admin key is shown only this once:

  ${added.adminKey}

Put this line into the pages to count:

  ${added.snippet}

and read who came:

  curl -H "Authorization: Bearer ${added.adminKey}" ${baseUrl}/v1/analytics/${added.projectId}/visitors

`;
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  readOptions(args, {});
  const { log, now, print } = terminal;
  const store = await terminal.openStore();
  try {
    const isEmpty = (await store.directory()).projects.length === 0;
    const context = await createContext({ config: terminal.config, store, log, now });
    const server = await serve(context);
    // Before the first line is printed: whoever reads it may ask for an end at once.
    const stopped = terminal.untilStopped();
    const { config } = terminal;
    // Port 0 asks for any free one.
    const baseUrl = config.baseUrl.replace(/:0$/, `:${server.port}`);
    print(
      `Headcount runs at ${baseUrl} (listening on ${config.host}, port ${server.port}; data in ${config.dataDir}).\n`,
    );
    if (isEmpty) {
      const settings = projectSettings.parse({ name: 'My site' });
      const added = await addProject(store, settings, { baseUrl, now: now() });
      await context.registry.refresh();
      print(welcome(added, baseUrl));
    }
    if (!context.registry.hasPassword) {
      const link = await offerSetupLink(store, { baseUrl, now: now() });
      print(`Open the dashboard; this link sets its password, once and within 24 hours:\n\n  ${link}\n\n`);
    }
    await stopped;
    print('Stopping: requests under way are answered first.\n');
    await server.stop();
  } finally {
    await store.close();
  }
}

export const serveCommand: Command = {
  help: `Usage: headcount [serve]

Counts visitors and answers the API until it is told to stop (Ctrl+C, SIGTERM).

Settings, from the environment:
  HEADCOUNT_PORT               port to listen on (8787)
  HEADCOUNT_HOST               address to listen on (127.0.0.1); 0.0.0.0 or :: for all
  HEADCOUNT_DATA_DIR           where the database is (./data)
  HEADCOUNT_BASE_URL           address by which browsers reach the server (http://localhost:<port>)
  HEADCOUNT_TRUSTED_PROXIES    proxies whose X-Forwarded-For is believed: addresses, ranges,
                               "loopback" or "none", with commas between them (loopback)
  HEADCOUNT_OFFLINE            1: do not ask the makers of AI clients for their addresses and keys (0)
  HEADCOUNT_COUNTRY_DATABASE   a MaxMind DB file (.mmdb), if countries are to be counted
  HEADCOUNT_SECRET_KEY         32 bytes in base64 to encrypt secrets of projects with (a key file
                               that is made in the data folder)

For agent jobs:
  HEADCOUNT_JOBS               turns at work at once; 0: this process runs none (2)
  HEADCOUNT_JOBS_PER_PROJECT   the same for one project (1)
  HEADCOUNT_JOB_LEASE          seconds after which another process takes over a turn of a dead one (60)
  HEADCOUNT_JOB_GRACE          seconds that turns have to finish when the server stops (5)
  HEADCOUNT_JOB_RETRY          seconds before a turn is tried again after a passing error (10)
  HEADCOUNT_JOB_ARCHIVE_DAYS   jobs are archived after so many days without activity; 0: never (30)
  HEADCOUNT_GIT_PROTOCOLS      how repositories may be reached: https, http, file (https)
  HEADCOUNT_GIT_AUTHOR         whom commits are by (Headcount <headcount@localhost>)
  HEADCOUNT_AGENT_ENV          names of variables that outside agents get; they get PATH besides
  ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY
                               keys of the models' providers
  ANTHROPIC_BASE_URL, OPENAI_BASE_URL
                               where to reach them instead
  HEADCOUNT_MODEL_BASE_URL, HEADCOUNT_MODEL_API_KEY
                               any server of the OpenAI kind, for models named compatible/…
`,
  run,
};
