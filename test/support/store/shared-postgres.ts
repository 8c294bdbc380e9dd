import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import { runIn } from './postgres-client.ts';
import { folderVariable } from './postgres-folder.ts';
import { emptyDatabase, noteFirstRows } from './postgres-rows.ts';
import { fast, PostgresServer, urlOf } from './postgres-server.ts';

export { runIn } from './postgres-client.ts';

// One PostgreSQL for all tests of a run, started by the first that needs it. `postgres-run.ts` ends it.

const template = 'headcount_template';

interface Shared {
  /** Null: this machine has no PostgreSQL. */
  port: number | null;
  /** Why it did not start; null: it did, or there is none. */
  failure: string | null;
}

let shared: Promise<Shared> | undefined;
let made = 0;

/** Used before and free again: emptying one takes a tenth of making one. */
const free: string[] = [];

/** The address of an empty database with all tables. @throws Error where this machine has no PostgreSQL */
export async function makeDatabase(): Promise<string> {
  const used = free.pop();
  if (used === undefined) return makeDatabaseOf(template);
  await emptyDatabase(used);
  return used;
}

/** The same without tables. */
export function makeEmptyDatabase(): Promise<string> {
  return makeDatabaseOf('template1');
}

async function makeDatabaseOf(model: string): Promise<string> {
  const name = `test_${process.pid}_${++made}`;
  await administer(`create database ${name} template ${model}`);
  return urlOf(await portOf(), name);
}

/** Whoever has it open is thrown out. Only for what `makeDatabase` gave, which it may give again. */
export async function giveBackDatabase(url: string): Promise<void> {
  await administer(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${nameOf(url)}'`,
  );
  free.push(url);
}

/** Whoever has it open is thrown out. */
export async function dropDatabase(url: string): Promise<void> {
  await administer(`drop database if exists ${nameOf(url)} with (force)`);
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

export async function hasPostgres(): Promise<boolean> {
  shared ??= share();
  const { port, failure } = await shared;
  return port !== null || failure !== null;
}

/** Runs a statement beside the databases of tests. */
export async function administer(statement: string): Promise<void> {
  await runIn(urlOf(await portOf(), 'postgres'), statement);
}

async function portOf(): Promise<number> {
  shared ??= share();
  const { port, failure } = await shared;
  if (port === null) throw new Error(failure ?? 'This machine has no PostgreSQL for tests.');
  return port;
}

async function share(): Promise<Shared> {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} is not set: run the tests with vitest.`);
  const told = join(folder, 'shared.json');
  if (isFirst(folder)) await tell(told, () => start(folder));
  while (!existsSync(told)) await pause(20);
  return JSON.parse(readFileSync(told, 'utf8')) as Shared;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'begun'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Others wait for it, so that something is told also where it fails. */
async function tell(file: string, begin: () => Promise<Shared>): Promise<void> {
  const found = await begin().catch((error: Error): Shared => ({ port: null, failure: error.message }));
  writeFileSync(`${file}.new`, JSON.stringify(found));
  renameSync(`${file}.new`, file);
}

async function start(folder: string): Promise<Shared> {
  const home = join(folder, 'server');
  mkdirSync(home);
  const server = await PostgresServer.start(home, fast);
  if (!server) return { port: null, failure: null };
  await runIn(server.urlOf('postgres'), `create database ${template}`);
  const store = await openPostgresStore(server.urlOf(template));
  await store.close();
  await noteFirstRows(server.urlOf(template));
  return { port: server.port, failure: null };
}
