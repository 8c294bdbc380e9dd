import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import {
  citusUrl,
  closeCitusDatabase,
  copyCitusDatabase,
  databaseAt,
  dropCitusDatabase,
  makeCitusDatabase,
} from './citus-cluster.ts';
import { runIn } from './postgres-client.ts';
import { databasePrefix, folderVariable } from './postgres-folder.ts';
import { emptyDatabase, noteFirstRows } from './postgres-rows.ts';
import { fast, PostgresServer } from './postgres-server.ts';

export { runIn } from './postgres-client.ts';

// One PostgreSQL for all tests of a run, started by the first that needs it. `postgres-run.ts` ends it. Or the Citus that
// HEADCOUNT_TEST_CITUS_URL names. Databases are copies of one that the first makes.

const template = `${databasePrefix}template`;
/** A cluster without tables takes as long to make as the tables. */
const empty = citusUrl === undefined ? 'template1' : `${databasePrefix}empty`;

interface Shared {
  /** Of its first database. Null: this machine has no PostgreSQL. */
  url: string | null;
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
  if (used !== undefined) {
    await emptyDatabase(used);
    return used;
  }
  return makeDatabaseOf(template);
}

/** The same without tables. */
export function makeEmptyDatabase(): Promise<string> {
  return makeDatabaseOf(empty);
}

async function makeDatabaseOf(model: string): Promise<string> {
  const name = `${databasePrefix}${process.pid}_${++made}`;
  const server = await findServer();
  if (citusUrl !== undefined) return copyCitusDatabase(name, model);
  await runIn(server, `create database ${name} template ${model}`);
  return databaseAt(server, name);
}

/** Returns a database of `makeDatabase`, which may give it out again; its open connections are closed then. */
export function giveBackDatabase(url: string): void {
  free.push(url);
}

/** Closes its open connections. */
export async function dropDatabase(url: string): Promise<void> {
  if (citusUrl !== undefined) await dropCitusDatabase(nameOf(url));
  else await administer(`drop database if exists ${nameOf(url)} with (force)`);
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

export async function hasPostgres(): Promise<boolean> {
  shared ??= share();
  const { url, failure } = await shared;
  return url !== null || failure !== null;
}

/** Runs a statement outside the databases of tests. */
export async function administer(statement: string): Promise<void> {
  await runIn(await findServer(), statement);
}

async function findServer(): Promise<string> {
  shared ??= share();
  const { url, failure } = await shared;
  if (url === null) throw new Error(failure ?? 'This machine has no PostgreSQL for tests.');
  return url;
}

async function share(): Promise<Shared> {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} is not set: run the tests with vitest.`);
  const file = join(folder, 'shared.json');
  if (isFirst(folder)) await publish(file, () => start(folder));
  while (!existsSync(file)) await pause(20);
  return JSON.parse(readFileSync(file, 'utf8')) as Shared;
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

/** Others wait for the file, so it is written also on failure. */
async function publish(file: string, begin: () => Promise<Shared>): Promise<void> {
  const found = await begin().catch((error: Error): Shared => ({ url: null, failure: error.message }));
  writeFileSync(`${file}.new`, JSON.stringify(found));
  renameSync(`${file}.new`, file);
}

async function start(folder: string): Promise<Shared> {
  if (citusUrl !== undefined) return startOnCluster(citusUrl);
  const home = join(folder, 'server');
  mkdirSync(home);
  const server = await PostgresServer.start(home, fast);
  if (!server) return { url: null, failure: null };
  await runIn(server.urlOf('postgres'), `create database ${template}`);
  await makeTables(server.urlOf(template));
  return { url: server.urlOf('postgres'), failure: null };
}

async function startOnCluster(url: string): Promise<Shared> {
  await makeCitusDatabase(empty);
  await closeCitusDatabase(empty);
  await makeTables(await copyCitusDatabase(template, empty));
  await closeCitusDatabase(template);
  return { url, failure: null };
}

async function makeTables(url: string): Promise<void> {
  const store = await openPostgresStore(url);
  await store.close();
  await noteFirstRows(url);
}
