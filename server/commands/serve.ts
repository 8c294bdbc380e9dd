import { isIP } from 'node:net';
import { projectSettings } from '../../shared/project/project.ts';
import { offerSetupLink } from '../admin/sign-in/setup-link.ts';
import { auditedStore, theServer } from '../audit/audited-store.ts';
import type { Config } from '../config/config.ts';
import { parseDatabaseUrl } from '../config/database-url.ts';
import { addressOf, withPort } from '../config/own-address.ts';
import type { FindPlace } from '../counting/places/place.ts';
import { openPlaces } from '../counting/places/places.ts';
import { createContext } from '../create-context.ts';
import { tellOpenFolder } from '../files/private-file.ts';
import { giveBackWhenIdle } from '../process/idle-memory.ts';
import { program } from '../process/program.ts';
import { type Listening, listen, serve } from '../serve.ts';
import { StoreError } from '../store/store.ts';
import type { AddedProject } from './project/project.ts';
import type { Command, Terminal } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { forgetServerUrl, tellServerUrl } from './terminal/running-server.ts';
import { describeSettings } from './terminal/settings-help.ts';

function welcome(added: AddedProject, baseUrl: string): string {
  return `
Welcome. Your first project, "My site", is ready.

1. Paste this line into every page of your site:

  ${added.snippet}

2. Open a page, then read the counts. The command has your admin key (hc_admin_…), which won't be shown again:

  curl -H "Authorization: Bearer ${added.adminKey}" ${addressOf(baseUrl, `/v1/analytics/${added.projectId}/visitors`)}

`;
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  readOptions(args, {});
  const { config } = terminal;
  // A start that fails has changed nothing: the database comes last, as it is brought up to date.
  const findPlace = openPlaces(config.countryDatabase);
  const listening = await listen(config, terminal);
  try {
    await serveUntilStopped(terminal, listening, findPlace);
  } finally {
    await listening.close();
  }
}

async function serveUntilStopped(
  terminal: Terminal,
  listening: Listening,
  findPlace: FindPlace,
): Promise<void> {
  const { config, log, now, clock, print } = terminal;
  const store = await terminal.openServerStore();
  tellOpenFolder(config.dataDir, log);
  try {
    const { projects, incomplete } = await store.directory();
    const isEmpty = projects.length === 0;
    if (isEmpty && incomplete.has('projects')) throw withoutProjects();
    const context = await createContext({ config, store, log, now, clock, findPlace });
    const server = await serve(context, listening);
    giveBackWhenIdle();
    // Before the first line is printed: whoever reads it may ask for an end at once.
    const stopped = terminal.untilStopped();
    // Port 0 asks for any free one.
    const baseUrl = withPort(config.baseUrl, server.port);
    tellServerUrl(config, baseUrl, log);
    print(
      `Headcount runs at ${baseUrl} (listening on ${config.host}, port ${server.port}; data in ${placeOf(config)}).\n`,
    );
    if (config.metricsAddress) print(`Metrics: ${metricsUrl(config.metricsAddress.host, listening)}.\n`);
    if (isEmpty) {
      const settings = projectSettings.parse({ name: 'My site' });
      // Once in the life of a data folder.
      const { addFirstProject } = await import('./project/project.ts');
      const added = await addFirstProject(auditedStore(store, theServer, now), settings, {
        baseUrl,
        now: now(),
        maker: theServer,
      });
      await context.registry.refresh();
      if (added) print(welcome(added, baseUrl));
    }
    if (!context.registry.hasPassword) {
      const link = await offerSetupLink(store, { baseUrl, now: now() });
      print(
        `Dashboard: set its password with this link, which works once and expires in 24 hours:\n\n  ${link}\n\nPress Ctrl+C to stop the server.\n\n`,
      );
    }
    await stopped;
    print('Stopping; finishing requests in flight first.\n');
    forgetServerUrl(config);
    await server.stop();
  } finally {
    await store.close();
  }
}

function withoutProjects(): StoreError {
  return new StoreError(
    'damaged',
    `The database is damaged: no row of its table projects can be read, so that nothing can be counted. "${program} check" lists what is hurt, and "${program} backup <new file>" saves what can be read: docs/operations.md, "If the file is damaged".`,
  );
}

function placeOf({ dataDir, databaseUrl }: Config): string {
  return databaseUrl === null ? dataDir : `the database ${parseDatabaseUrl(databaseUrl)?.name}`;
}

function metricsUrl(host: string, { metrics }: Listening): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${metrics?.port}/metrics`;
}

export const serveCommand: Command = {
  help: `Usage: headcount [serve]

Counts visitors and serves the dashboard and the API until it is stopped (Ctrl+C, SIGTERM).

Settings come from the environment; defaults in parentheses.

${describeSettings()}`,
  run,
};
