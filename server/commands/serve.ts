import { isIP } from 'node:net';
import { projectSettings } from '../../shared/project/project.ts';
import { offerSetupLink } from '../admin/sign-in/setup-link.ts';
import { auditing, theServer } from '../audit/audit-list.ts';
import type { Config } from '../config/config.ts';
import { parseDatabaseUrl } from '../config/database-url.ts';
import { addressOf, withPort } from '../config/own-address.ts';
import type { Setting } from '../config/setting.ts';
import { settingGroups } from '../config/settings.ts';
import type { FindPlace } from '../counting/places/place.ts';
import { openPlaces } from '../counting/places/places.ts';
import { createContext } from '../create-context.ts';
import { warnOfOpenFolder } from '../files/private-file.ts';
import type { AddedProject } from '../operations/projects.ts';
import { giveBackWhenIdle } from '../process/idle-memory.ts';
import { program } from '../process/program.ts';
import { type Listening, listen, serve } from '../serve.ts';
import { aboutDamage, StoreError } from '../store/store.ts';
import type { Command, Terminal } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { removeServerUrl, writeServerUrl } from './terminal/running-server.ts';

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
  warnOfOpenFolder(config.dataDir, log);
  try {
    const { projects, incomplete } = await store.directory();
    const isEmpty = projects.length === 0;
    if (isEmpty && incomplete.has('projects')) throw withoutProjects();
    const context = await createContext({ config, store, log, now, clock, findPlace });
    const server = await serve(context, listening);
    giveBackWhenIdle();
    // Before the first line is printed: its reader may send a signal at once.
    const stopped = terminal.untilStopped();
    // Port 0 asks for any free one.
    const baseUrl = withPort(config.baseUrl, server.port);
    writeServerUrl(config, baseUrl, log);
    print(
      `Headcount runs at ${baseUrl} (listening on ${config.host}, port ${server.port}; data in ${placeOf(config)}).\n`,
    );
    if (config.metricsAddress) print(`Metrics: ${metricsUrl(config.metricsAddress.host, listening)}.\n`);
    if (isEmpty) {
      const settings = projectSettings.parse({ name: 'My site' });
      // Once in the life of a data folder.
      const { makeProject, projectAdded } = await import('../operations/projects.ts');
      const making = { baseUrl, now: now(), maker: theServer };
      const { project, keys, added } = makeProject(settings, making);
      const noted = auditing(theServer, now).entries(...projectAdded(project, keys));
      // False: there is one, such as another server's that began at the same time.
      const isFirst = await store.callAudited('projects', 'addFirstProject', [project, keys], noted);
      await context.registry.refresh();
      if (isFirst) print(welcome(added, baseUrl));
    }
    if (!context.registry.hasPassword) {
      const link = await offerSetupLink(store, { baseUrl, now: now() });
      print(
        `Dashboard: set its password with this link, which works once and expires in 24 hours:\n\n  ${link}\n\nPress Ctrl+C to stop the server.\n\n`,
      );
    }
    await stopped;
    print('Stopping; finishing requests in flight first.\n');
    removeServerUrl(config);
    await server.stop();
  } finally {
    await store.close();
  }
}

function withoutProjects(): StoreError {
  return new StoreError(
    'damaged',
    `The database is damaged: no row of its table projects can be read, so nothing can be counted. "${program} check" lists the damage, and "${program} backup <new file>" saves what can be read: ${aboutDamage}`,
  );
}

function placeOf({ dataDir, databaseUrl }: Config): string {
  return databaseUrl === null ? dataDir : `the database ${parseDatabaseUrl(databaseUrl)?.name}`;
}

function metricsUrl(host: string, { metrics }: Listening): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${metrics?.port}/metrics`;
}

const nameWidth = 32;
const lineWidth = 100;

/** All settings, with their meaning and default. */
function describeSettings(): string {
  return settingGroups
    .map(({ title, settings }) => `${title}:\n${settings.map(describeSetting).join('')}`)
    .join('\n');
}

function describeSetting({ name, standard, meaning }: Setting): string {
  const [first, ...rest] = wrap(`${meaning} (${standard})`, lineWidth - nameWidth);
  const indent = ' '.repeat(nameWidth);
  const label = `  ${name}`.padEnd(nameWidth);
  // A long name has a line of its own.
  const start = label.endsWith(' ') ? label : `${label}\n${indent}`;
  return [start + first, ...rest.map((line) => indent + line)].join('\n').concat('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export const serveCommand: Command = {
  help: `Usage: headcount [serve]

Counts visitors and serves the dashboard and the API until it is stopped (Ctrl+C, SIGTERM).

Settings come from the environment; defaults in parentheses.

${describeSettings()}`,
  run,
};
