import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Lease } from '../../server/store/jobs/job.ts';
import { BatchIds, batchCounting } from '../../server/store/postgres/counts/batch/counting.ts';
import { Names } from '../../server/store/postgres/counts/names/names.ts';
import { openDatabase, openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { statementsOf } from '../support/releases/postgres-schemas.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase, runIn } from '../support/store/shared-postgres.ts';
import { anySalt, gptBot, human, openDay, query, view } from '../support/views.ts';

const migrations = join(import.meta.dirname, '../../server/store/postgres/migrations');
const files = readdirSync(migrations)
  .filter((file) => /^\d{4}-.*\.sql$/.test(file))
  .sort();
const numberOf = (file: string | undefined) => Number(file?.slice(0, 4));

/** What migrations may do while nodes of the release before are at work: they add. */
const addToAll = `do $$ declare t record; begin
  for t in select oid::regclass::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  loop
    execute format('alter table %s add column later text', t.name);
  end loop;
end $$`;

let url: string;

beforeEach(async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  url = await makeEmptyDatabase();
});
afterEach(() => dropDatabase(url));

async function open(): Promise<Store> {
  const store = await openPostgresStore(url, { opener: 'server' });
  onTestFinished(() => store.close());
  return store;
}

/** As a newer node does it: what got into the way of others is done again. */
async function migrate(): Promise<void> {
  const database = openDatabase(url);
  try {
    await database.transaction(async (session) => {
      await session.query(addToAll);
      await session.query('update headcount_schema set version = 9000');
    });
  } finally {
    await database.close();
  }
}

const addProject = (store: Store, id: string) =>
  store.addProject({ id, settings: projectSettings.parse({ name: id }), createdAt: '' }, []);

/** Some of all that a node does, on a day of its own. */
async function doAll(store: Store, day: number): Promise<void> {
  const name = `job-${day}`;
  await addProject(store, `project-${day}`);
  await openDay(store, 'p1', day, anySalt());
  expect(await store.countViews([view({ day })], [])).toEqual([]);
  const keyed = { projectId: 'p1', idempotency: { key: name, requestHash: '' }, places: [0], dropped: [] };
  const batch = {
    ...keyed,
    views: [view({ day, visitor: 2n })],
    droppedCounters: [],
    reservations: [],
    at: day * 86_400_000,
  };
  expect(await store.countBatches([batch])).toMatchObject([{ isRepeated: false }]);
  expect(await store.countBatches([batch])).toMatchObject([{ isRepeated: true }]);
  await store.nodes?.recent.noteRecent([{ projectId: 'p1', visitor: 1n, kind: 'human', agoMs: 0 }]);
  await store.nodes?.loginAttempts.changeAttempts(['network'], (attempts) => attempts.known.add('network'));
  const job = { id: name, projectId: 'p1', prompt: 'do', repository: 'https://example.com/a', ref: '' };
  await store.jobs.createJob({ ...job, model: 'openai/x' }, { key: name, requestHash: '' });
  const lease = (await store.jobs.claimTurn({ total: 9, perProject: 9, leaseMs: 60_000 })) as Lease;
  await store.jobs.appendEvents(lease, [{ type: 'text', data: { text: 'hello' } }]);
  await store.jobs.settleTurn(lease, { status: 'completed', prLink: null }, { type: 'completed', data: {} });
  expect(await store.jobs.findJob('p1', name)).toMatchObject({ status: 'completed' });
  await store.paths.move('p1', [{ from: '/', to: `/${day}` }]);
  await store.seal('p1', day);
  expect((await store.readCounts(query({ from: day, to: day + 1 }))).totals).toEqual(human(2));
  await store.retention.forgetSome('p1', { details: day, counts: null });
  expect(await store.check.findDamage()).toEqual([]);
  expect(await store.removeProject(`project-${day}`)).toBe(true);
  expect((await store.directory()).projects).toHaveLength(2);
  await store.forgetReceipts(day * 86_400_000);
}

test('a node goes on while a newer one brings the database up to date, and no further one of its release starts', async () => {
  const store = await open();
  for (const id of ['p1', 'p2']) await addProject(store, id);
  await openDay(store, 'p2', 20_000, anySalt());
  await doAll(store, 20_001);
  let counted = 0;
  const count = async () => {
    const views = [view({ projectId: 'p2', visitor: BigInt(counted + 1) })];
    expect(await store.countViews(views, [])).toEqual([]);
    counted++;
  };
  await meanwhile([count], async () => {
    await expect.poll(() => counted).toBeGreaterThan(3);
    await migrate();
    const before = counted;
    await expect.poll(() => counted).toBeGreaterThan(before + 3);
  });
  expect((await store.readCounts(query({ projectId: 'p2' }))).totals).toEqual(human(counted));
  await doAll(store, 20_002);
  await expect(openPostgresStore(url)).rejects.toMatchObject({
    code: 'newer',
    message: expect.stringMatching(/newer Headcount \(schema 9000, this one knows \d+\): start that version/),
  });
});

test('each migration has a number of its own, after those that became one', () => {
  expect(files.map(numberOf)).toEqual(files.map((_, i) => i + 30));
});

test('functions are written anew where their text is another, and by their owner alone', async () => {
  await (await open()).close();
  const read = () =>
    runIn(url, `select functions, pg_get_functiondef('today'::regproc) as today from headcount_schema`);
  const before = await read();
  await runIn(
    url,
    `update headcount_schema set functions = 'of another release';
     create or replace function today() returns int language sql stable as 'select 7'`,
  );
  const role = `app_${randomBytes(4).toString('hex')}`;
  await runIn(
    url,
    `create role ${role} login password 'app'; grant all on schema public to ${role};
     grant all on all tables in schema public to ${role}`,
  );
  const stranger = Object.assign(new URL(url), { username: role, password: 'app' }).href;
  await expect(openPostgresStore(stranger)).rejects.toMatchObject({
    code: 'unusable',
    message: expect.stringMatching(
      new RegExp(
        `${role} is not the owner of the function .* Have an administrator run: grant \\w+ to ${role}$`,
      ),
    ),
  });
  await (await open()).close();
  expect(await read()).toEqual(before);
  // Nothing is to be done any more.
  await (await openPostgresStore(stranger)).close();
  await runIn(url, `drop owned by ${role}; drop role ${role}`);
});

test('the database of the release before is brought up to date once, and serves its nodes on', async () => {
  await runIn(url, statementsOf(30));
  const older = new Client(url);
  // The database is dropped before.
  older.on('error', () => undefined);
  await older.connect();
  onTestFinished(() => older.end().catch(() => undefined));
  // Prepared as a node does, and asked for again on the same connection.
  const ask = async () => {
    await older.query({ name: 'tidy', text: 'select tidy_bins()' });
    const opened = await older.query({
      name: 'open',
      text: 'select state, day, salt from open_day($1, $2, $3, $4)',
      values: ['p1', 20_000, Buffer.alloc(45), null],
    });
    return opened.rows.map(({ state }) => state);
  };
  expect(await ask()).toEqual(['none']);
  const [store] = await Promise.all([open(), open(), open()]);
  expect(await runIn(url, 'select version from headcount_schema')).toEqual([
    { version: numberOf(files.at(-1)) },
  ]);
  for (const id of ['p1', 'p2']) await addProject(store, id);
  expect(await ask()).toEqual(['unmade']);
  await doAll(store, 20_001);
});

test('a node of the release before and a newer one count the same visitors each once, as what they were first', async () => {
  const store = await open();
  await addProject(store, 'p1');
  await openDay(store, 'p1', 20_000, anySalt());
  const database = openDatabase(url);
  onTestFinished(() => database.close());
  // What it asks for is what nodes ask for where shards are on several servers.
  const older = batchCounting(database, new Names(database), new BatchIds(), true);
  const asPerson = (visitor: bigint, path: string) => view({ visitor, network: Number(visitor), path });
  const asAi = (visitor: bigint, path: string) => ({ ...asPerson(visitor, path), ...gptBot });
  await older.countViews([asPerson(1n, '/'), asAi(2n, '/'), asPerson(3n, '/')], []);
  await store.countViews([asAi(1n, '/'), asPerson(2n, '/'), asPerson(3n, '/'), asPerson(4n, '/')], []);
  await older.countViews([asAi(4n, '/'), asAi(3n, '/later')], []);
  // A row of before the newer one came.
  await runIn(url, 'update seen set kinds = null');
  await store.countViews([asAi(3n, '/'), asPerson(3n, '/later')], []);
  await older.countViews([asPerson(1n, '/'), asAi(2n, '/')], []);
  const { totals, rows } = await store.readCounts(query());
  expect(totals).toEqual({ human: 4, ai: 4, total: 4 });
  expect(rows).toEqual([
    { name: '/', human: 4, ai: 4, total: 4 },
    { name: '/later', human: 1, ai: 1, total: 1 },
  ]);
});
