import { uptime } from 'node:os';
import { type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { escapeHidden } from '../shared/plain-text.ts';
import { BackupError } from './backup/backup-error.ts';
import { Clock } from './clock.ts';
import { type Command, CommandError, type Terminal, UsageError } from './commands/terminal/command.ts';
import { ConfigError, readConfig } from './config/config.ts';
import { findUnknownSettings } from './config/settings.ts';
import { createEngine, createMove, warmUp } from './engine.ts';
import { isForbidden } from './files/file-trouble.ts';
import { currentRequestId } from './http/request-id.ts';
import { ImportError } from './import/import-error.ts';
import { createLog } from './log.ts';
import { program, version } from './process/program.ts';
import { SecretError } from './projects/key-file.ts';
import { StoreError } from './store/store.ts';

/** The process, as the command line sees it. */
export interface Host {
  /** Settings. */
  env: Readonly<Record<string, string | undefined>>;
  input: Readable & { isTTY?: boolean };
  output: Writable;
  errors: Writable & { isTTY?: boolean };
  /** Resolves when it is asked to end. */
  untilStopped: () => Promise<void>;
}

interface CommandEntry {
  summary: string;
  /** Loaded when it is used: listing keys needs no web server. */
  load(): Promise<Command>;
}

const commands: Record<string, CommandEntry> = {
  serve: {
    summary: 'run the server (this is what happens without a command)',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  project: {
    summary: 'add, list, change and remove projects',
    load: async () => (await import('./operations/projects.ts')).projectCommand,
  },
  whois: {
    summary: 'explain who sends a request: a person, an AI client or another bot',
    load: async () => (await import('./commands/whois.ts')).whoisCommand,
  },
  job: {
    summary: 'start, list, show, follow and archive agent jobs',
    load: async () => (await import('./operations/jobs.ts')).jobCommand,
  },
  automation: {
    summary: 'start jobs on a schedule, or when something happens',
    load: async () => (await import('./operations/automations.ts')).automationCommand,
  },
  key: {
    summary: 'add, list and revoke API keys',
    load: async () => (await import('./operations/keys.ts')).keyCommand,
  },
  admin: {
    summary: 'set the password of the dashboard',
    load: async () => (await import('./operations/sign-in.ts')).adminCommand,
  },
  user: {
    summary: 'add, list, change and remove people who share the dashboard',
    load: async () => (await import('./operations/users.ts')).userCommand,
  },
  backup: {
    summary: 'copy the database to a file, also while the server runs',
    load: async () => (await import('./commands/backup/backup.ts')).backupCommand,
  },
  restore: {
    summary: 'put a backup into the data folder',
    load: async () => (await import('./commands/backup/restore.ts')).restoreCommand,
  },
  export: {
    summary: 'write a project to a file, as JSON lines or CSV',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  forget: {
    summary: 'delete counts of paths, or of old days',
    load: async () => (await import('./operations/project-paths.ts')).forgetCommand,
  },
  check: {
    summary: 'check the installation for problems, and repair the effects of a wrong clock',
    load: async () => (await import('./commands/check/check.ts')).checkCommand,
  },
  licenses: {
    summary: 'print the licences of Headcount and of its dependencies',
    load: async () => (await import('./commands/licenses.ts')).licensesCommand,
  },
  move: {
    summary: 'bring an installation from the data folder into PostgreSQL, or back',
    load: async () => (await import('./commands/move.ts')).moveCommand,
  },
  import: {
    summary: 'count the page views in access logs, once or as they are written',
    load: async () => (await import('./commands/import/import.ts')).importCommand,
  },
  'import-stats': {
    summary: 'import the counts of another analytics tool from its export',
    load: async () => (await import('./commands/import/history.ts')).historyCommand,
  },
  'import-search': {
    summary: 'import the numbers of Search Console and Bing Webmaster Tools from their exports',
    load: async () => (await import('./commands/searches/searches.ts')).searchesCommand,
  },
  probe: {
    summary: 'request your own site as a browser and as AI clients, and report which are blocked',
    load: async () => (await import('./commands/probe.ts')).probeCommand,
  },
  worklist: {
    summary: 'list what is wrong with pages, have an agent fix it, assign and dismiss it',
    load: async () => (await import('./operations/worklist.ts')).worklistCommand,
  },
  annotation: {
    summary: 'note releases, campaigns and other events on the charts of a project',
    load: async () => (await import('./operations/annotations.ts')).annotationCommand,
  },
  paths: {
    summary: 'count pages that moved under their new path, for the past too',
    load: async () => (await import('./operations/renames.ts')).pathsCommand,
  },
  view: {
    summary: 'save, list, change and remove views of the dashboard: filters and days under a name',
    load: async () => (await import('./operations/saved-views.ts')).viewCommand,
  },
  catalogue: {
    summary: 'show, sign and load a newer catalogue of AI clients, and list those that it lacks',
    load: async () => (await import('./commands/catalogue.ts')).catalogueCommand,
  },
  completion: {
    summary: 'print the completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand(loadAll),
  },
};

/** What commands were called before. */
const renamed = new Map([
  ['history', 'import-stats'],
  ['mark', 'annotation'],
  ['searches', 'import-search'],
  ['unknown', 'catalogue unlisted'],
]);

function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}`);
  return `Usage: headcount [command]
       headcount --version

Headcount counts the visitors of a site, people and AI clients apart, and runs agent jobs on its repository.

Commands:
${lines.join('\n')}

"${program} <command> --help" says more about each.
`;
}

/** Runs a command and returns the exit code. */
export async function runCommandLine(args: string[], host: Host): Promise<number> {
  try {
    await run(args, host);
    return 0;
  } catch (error) {
    host.errors.write(`${escapeHidden(messageOf(error))}\n`);
    return exitCodeOf(error);
  }
}

async function run([first, ...rest]: string[], host: Host): Promise<void> {
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h';
  if (isHelp(first) || (first === 'help' && rest.length === 0)) host.output.write(overview());
  else if (first === 'help') host.output.write((await loadCommand(String(rest[0]))).help);
  else if (first === 'version' || first === '--version' || first === '-v')
    host.output.write(`headcount ${version}\n`);
  else if (first === 'warm-up') await warmUp();
  else if (first === undefined || first.startsWith('-'))
    await runCommand('serve', first ? [first, ...rest] : [], host);
  else if (rest.some(isHelp)) host.output.write((await loadCommand(first)).help);
  else await runCommand(first, rest, host);
}

/** For the documentation. */
export const describeCommands = () =>
  Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => ({
      name,
      summary,
      help: (await load()).help,
    })),
  );

const loadAll = () =>
  Promise.all(Object.entries(commands).map(async ([name, { load }]) => [name, await load()] as const));

function loadCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry) return entry.load();
  const now = renamed.get(name);
  if (now !== undefined) throw new UsageError(`"${name}" is called "${now}" now.`);
  throw new UsageError(
    `There is no command "${name}": the commands are ${Object.keys(commands).join(', ')}.`,
  );
}

async function runCommand(name: string, args: string[], host: Host): Promise<void> {
  const command = await loadCommand(name);
  await command.run(args, createTerminal(name, host));
}

/** Output of commands is for people; the log of a server is for programs, unless it goes to a terminal. */
function createTerminal(command: string, host: Host): Terminal {
  const { env, output, errors, untilStopped } = host;
  const config = readConfig(env);
  const wall = Date.now;
  const isForPrograms = command === 'serve' && errors.isTTY !== true;
  const log = createLog((line) => errors.write(line), wall, {
    format: config.logFormat ?? (isForPrograms ? 'json' : 'text'),
    level: config.logLevel,
    requestId: currentRequestId,
  });
  for (const warning of findUnknownSettings(env)) log.warn(warning);
  // Unlike Node's monotonic clock it goes on while the machine sleeps.
  const clock = new Clock({ wall, uptime: () => uptime() * 1000, log });
  return {
    config,
    now: clock.now,
    clock,
    log,
    ...createEngine(config, log),
    ...createMove(config),
    // Names, addresses and lines of files come from outside: none of them may move the cursor or hide other text.
    print: (words) => output.write(escapeHidden(words)),
    note: (words) => errors.write(escapeHidden(words)),
    draw: (words) => errors.write(words),
    isWatched: errors.isTTY === true,
    // Accessed only by its reader: the access alone would keep the process from ending.
    get input() {
      return host.input;
    },
    output,
    askSecret: (question) => askSecret(host, question),
    readInput: () => readInput(host),
    untilStopped,
  };
}

/** Typed secrets would stay on the screen. */
async function readInput({ input }: Host): Promise<string> {
  if (input.isTTY) {
    throw new UsageError('Send the secret by standard input, such as with "< file" at the end of the line.');
  }
  return text(input);
}

/** Not on standard output, which may be a file. */
async function askSecret({ input, errors }: Host, question: string): Promise<string> {
  if (!input.isTTY || !errors.isTTY) {
    throw new UsageError(
      'Nobody can be asked for the passphrase here: give it with --passphrase-file or HEADCOUNT_BACKUP_PASSPHRASE.',
    );
  }
  const { createInterface } = await import('node:readline/promises');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  // From here on the terminal does not show typed characters.
  errors.write(question);
  const interrupted = new Promise<never>((_, reject) =>
    lines.once('SIGINT', () => reject(new CommandError('Stopped.'))),
  );
  try {
    return await Promise.race([lines.question(''), interrupted]);
  } finally {
    lines.close();
    errors.write('\n');
  }
}

/** 2: the command line or a setting cannot be used, or this user lacks a right; 1: it could be, and failed. */
function exitCodeOf(error: unknown): number {
  return error instanceof UsageError || error instanceof ConfigError || isForbidden(error) ? 2 : 1;
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} "--help" shows how it is used.`;
  const known = [BackupError, CommandError, ImportError, ConfigError, StoreError, SecretError];
  return error instanceof Error && known.some((type) => error instanceof type)
    ? error.message
    : `This is a defect of Headcount: ${error instanceof Error ? error.stack : error}`;
}
