import { type Command, CommandError, type Terminal, UsageError } from './commands/command.ts';
import { keyCommand } from './commands/key.ts';
import { projectCommand } from './commands/project.ts';
import { serveCommand } from './commands/serve.ts';
import { ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { openSqliteStore } from './store/sqlite/store.ts';
import { StoreError } from './store/store.ts';

const commands: Record<string, Command> = { serve: serveCommand, project: projectCommand, key: keyCommand };

function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return `Usage: headcount [command]

Headcount counts who reads a site, people and AI.

Commands:
${lines.join('\n')}

"headcount <command> --help" says more about each.
`;
}

/** A signal asks for an orderly end; the same a second time ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

function createTerminal(): Terminal {
  const config = readConfig(process.env);
  const now = () => Date.now();
  return {
    config,
    now,
    log: createLog((line) => process.stderr.write(line), now),
    openStore: () => openSqliteStore(config.dataDir),
    print: (text) => process.stdout.write(text),
    untilStopped,
  };
}

async function main(args: string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === undefined || first.startsWith('-')) {
    if (first === '--help' || first === '-h') process.stdout.write(overview());
    else await runCommand('serve', args);
  } else if (first === 'help') {
    process.stdout.write(commands[rest[0] ?? '']?.help ?? overview());
  } else {
    await runCommand(first, rest);
  }
}

async function runCommand(name: string, args: string[]): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    throw new UsageError(
      `There is no command "${name}": the commands are ${Object.keys(commands).join(', ')}.`,
    );
  }
  if (args.includes('--help') || args.includes('-h')) process.stdout.write(command.help);
  else await command.run(args, createTerminal());
}

/** 2: the command line or a setting cannot be used; 1: it could be, and failed. */
function exitCodeOf(error: unknown): number {
  return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} "--help" shows how it is used.`;
  const isKnown =
    error instanceof CommandError || error instanceof ConfigError || error instanceof StoreError;
  return isKnown
    ? error.message
    : `This is a defect of Headcount: ${error instanceof Error ? error.stack : error}`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
