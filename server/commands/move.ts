import { hash } from 'node:crypto';
import { join } from 'node:path';
import { parseDatabaseUrl } from '../config/database-url.ts';
import { movedTables } from '../database/tables/tables.ts';
import { readTrouble } from '../files/file-trouble.ts';
import { readSecretFile } from '../files/private-file.ts';
import { instanceOf } from '../projects/instance.ts';
import { findSecretKey, keyFile, readKeyFile } from '../projects/key-file.ts';
import type { MoveSource, MoveTarget } from '../store/store-files.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';

const options = {
  to: { type: 'string' },
  'url-file': { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** The rows of a table on one side, in any order. */
interface Sum {
  rows: number;
  digest: bigint;
}

/** Where from and to; null: the data folder. */
interface Ends {
  from: string | null;
  to: string | null;
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, options);
  const { from, to } = readEnds(values.to, values['url-file'], terminal);
  requireSameKey(terminal);
  const source = await terminal.openMoveSource(from);
  try {
    requireKeyOf(source, terminal);
    const target = await terminal.openMoveTarget(to);
    try {
      const moved = await move(source, target, terminal);
      terminal.print(
        values.json ? `${JSON.stringify({ moved })}\n` : describe(moved, { from, to }, terminal),
      );
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** @throws UsageError, CommandError */
function readEnds(to: string | undefined, file: string | undefined, { config, note, log }: Terminal): Ends {
  if (to === undefined) {
    throw new UsageError('Say where to move to: --to postgres, --to postgres://… or --to sqlite.');
  }
  const given = file === undefined ? config.databaseUrl : readFirstLine(file, log);
  const url = to === 'postgres' || to === 'sqlite' ? given : to;
  if (url === null) {
    throw new UsageError('Give the address of the PostgreSQL with HEADCOUNT_DATABASE_URL or --url-file.');
  }
  const address = parseDatabaseUrl(url);
  if (!address)
    throw new UsageError('The address must be a URL such as postgres://user:password@host/database.');
  if (url === to && address.passwords.length > 0) {
    note(
      'Others on this machine can see the password among the processes: give the address with HEADCOUNT_DATABASE_URL or --url-file, and "--to postgres".\n',
    );
  }
  return to === 'sqlite' ? { from: url, to: null } : { from: null, to: url };
}

/** Servers with another key could not decrypt the moved data. @throws CommandError */
function requireSameKey({ config }: Terminal): void {
  const file = join(config.dataDir, keyFile);
  const key = readKeyFile(file);
  if (!key || !config.secretKey || key.equals(config.secretKey)) return;
  throw new CommandError(
    `HEADCOUNT_SECRET_KEY is another key than the one in ${file}, which servers on that data folder use: set it to the key in that file, or give another folder with HEADCOUNT_DATA_DIR. Nothing was changed.`,
  );
}

/** The same where the database says which key it needs. @throws CommandError */
function requireKeyOf({ instance }: MoveSource, { config }: Terminal): void {
  const key = findSecretKey(config);
  if (instance === null || (key && instanceOf(key) === instance)) return;
  throw new CommandError(
    `${key ? 'The database is encrypted with another key than this one' : 'The database is encrypted'}: set HEADCOUNT_SECRET_KEY to the one that its servers have. Nothing was changed.`,
  );
}

function readFirstLine(file: string, log: Terminal['log']): string {
  try {
    return readSecretFile(file, log).split(/\r?\n/)[0] ?? '';
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read: ${readTrouble(cause as Error)}.`, { cause });
  }
}

/** Returns the number of rows of each table. @throws CommandError where the two sides are not the same */
async function move(
  source: MoveSource,
  target: MoveTarget,
  { config, note, isWatched }: Terminal,
): Promise<Record<string, number>> {
  for (const { name: table } of movedTables) {
    if (isWatched) note(`Moving ${table}\n`);
    for await (const rows of source.read(table)) await target.add(table, rows);
  }
  const moved: Record<string, number> = {};
  for (const { name: table } of movedTables) {
    if (isWatched) note(`Counting ${table} again\n`);
    const [there, here] = [await sumUp(source, table), await sumUp(target, table)];
    if (there.rows !== here.rows || there.digest !== here.digest) throw isAnother(table, there, here);
    moved[table] = here.rows;
  }
  const key = findSecretKey(config);
  await target.finish(key && instanceOf(key));
  return moved;
}

async function sumUp(side: Pick<MoveSource, 'read'>, table: string): Promise<Sum> {
  const sum = { rows: 0, digest: 0n };
  for await (const rows of side.read(table)) {
    for (const row of rows) {
      sum.rows++;
      sum.digest += BigInt(`0x${hash('sha256', JSON.stringify(row)).slice(0, 24)}`);
    }
  }
  return sum;
}

function isAnother(table: string, there: Sum, here: Sum): CommandError {
  return new CommandError(
    `The recount differs in ${table} (${there.rows} rows there, ${here.rows} here): the move is not finished, and the source is unchanged. Run the command again.`,
  );
}

function describe(moved: Record<string, number>, { from, to }: Ends, { config }: Terminal): string {
  const where = to === null ? config.dataDir : parseDatabaseUrl(to)?.name;
  return `Moved to ${where}, and counted again on both sides: projects: ${moved.projects}, counts: ${moved.counts}, visitors of active days: ${moved.seen}, jobs: ${moved.jobs}.
${from === null ? describeServers(config) : describeServer(from, config)}`;
}

function describeServers(config: Terminal['config']): string {
  const key = findSecretKey(config);
  const keyed = key
    ? `the same HEADCOUNT_SECRET_KEY everywhere: here it is ${config.secretKey ? 'that of the environment' : `in ${config.dataDir}/${keyFile}`}`
    : 'a HEADCOUNT_SECRET_KEY';
  return `Start servers with HEADCOUNT_DATABASE_URL and ${keyed}. Tokens and the visitors of active days can be read with it alone.
The database in ${config.dataDir} is as it was, visitors of active days included: start no server on it, and delete it when all is well.
`;
}

function describeServer(from: string, config: Terminal['config']): string {
  const keyed = readKeyFile(join(config.dataDir, keyFile))
    ? `the key that is in ${config.dataDir}/${keyFile}`
    : 'the HEADCOUNT_SECRET_KEY that it had there';
  return `Start the one server without HEADCOUNT_DATABASE_URL, and with ${keyed}. Tokens and the visitors of active days can be read with it alone.
The database ${parseDatabaseUrl(from)?.name} is as it was, visitors of active days included: start no server on it, and drop it when all is well.
`;
}

export const moveCommand: Command = {
  help: `Usage: headcount move --to postgres [--url-file <file>] [--json]
       headcount move --to postgres://host/database
       headcount move --to sqlite [--url-file <file>] [--json]

Brings a whole installation from the data folder into an empty PostgreSQL, or from there into an empty data folder:
projects, keys, links, password, users, sessions, tokens, counts, the visitors of active days, imports and jobs. All
servers have to be stopped. Both sides are counted again at the end; until then no server starts on the target.
An interrupted move starts again with the same command; the source stays unchanged.

  --to <where>       postgres: the database of HEADCOUNT_DATABASE_URL, or of the file; or its address without a password,
                     as arguments can be seen by all users of the machine; sqlite: the folder of HEADCOUNT_DATA_DIR
  --url-file <file>  its first line is the address of the PostgreSQL
  --json             print how many rows were moved, for programs
`,
  run,
};
