import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { instanceOf } from '../../server/projects/instance.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { runHeadcount, startHeadcountCommand, startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { databaseIn, query, temporaryFolders, visit, visitorsOf } from '../support/data-folders.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import {
  type Released,
  readEverything,
  releasedKey,
  releasedSchemas,
  unpackReleased,
} from '../support/releases/released.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase, runIn } from '../support/store/shared-postgres.ts';
import { anySalt, query as countQuery, human, openDay, view } from '../support/views.ts';

const newFolder = temporaryFolders();
let made: Released;
let url: string;
/** Of servers on PostgreSQL. */
let source: Record<string, string>;
/** Where it is moved to, and of a server there. */
let folder: string;
let target: Record<string, string>;

beforeEach(async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  url = await makeEmptyDatabase();
  const first = unpackReleased(releasedSchemas.at(-1) as string, await newFolder());
  made = first.made;
  const moved = await runHere(['move', '--to', 'postgres'], {
    ...first.env,
    HEADCOUNT_DATABASE_URL: url,
  });
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  source = { ...first.env, HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_DATABASE_URL: url };
  folder = join(await newFolder(), 'new');
  target = { ...first.env, HEADCOUNT_DATA_DIR: folder };
});
afterEach(() => dropDatabase(url));

const backEnv = (): Record<string, string> => ({ ...target, HEADCOUNT_DATABASE_URL: url });
const moveBack = (...args: string[]) => runHeadcount(['move', '--to', 'sqlite', ...args], backEnv());
const asProject = (projectId = made.projectId, adminKey = made.adminKey) => ({
  ...{ projectId, adminKey, ingestKey: '', snippet: '' },
});

async function withServer<T>(
  env: Record<string, string>,
  use: (server: Awaited<ReturnType<typeof startProcess>>) => Promise<T>,
): Promise<T> {
  const server = await startProcess(env);
  try {
    return await use(server);
  } finally {
    server.signal('SIGTERM');
    await server.ended;
  }
}

test('an installation that comes back from PostgreSQL answers as before, and knows who was there today', async () => {
  // Its visitors lie in several shards, and its names have numbers that those of the first project have too.
  const added = await runHere(['project', 'add', '--name', 'Second', '--goal', '/**', '--json'], source);
  const second = JSON.parse(added.stdout) as { projectId: string; adminKey: string };
  await runIn(url, `update projects set buckets = 8 where public_id = '${second.projectId}'`);
  const other = asProject(second.projectId, second.adminKey);
  const answersOf = async (server: { url: string }) => ({
    first: await readEverything(server.url, made),
    second: await readEverything(server.url, { ...second }),
  });
  const before = await withServer(source, async (server) => {
    await visit(server, asProject(), [1, 2, 3, 4]);
    await visit(
      server,
      other,
      Array.from({ length: 40 }, (_, i) => i),
    );
    return { answers: await answersOf(server), visitors: await visitorsOf(server, asProject()) };
  });
  const exported = (env: Record<string, string>, projectId: string) =>
    runHere(['export', '--project', projectId, '-'], env);
  const texts = [await exported(source, made.projectId), await exported(source, second.projectId)];
  const moved = await moveBack('--json');
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  const { moved: rows } = JSON.parse(moved.stdout) as { moved: Record<string, number> };
  expect(rows).toMatchObject({ projects: 2, seen: expect.any(Number), jobs: 3 });
  expect(rows.seen).toBeGreaterThanOrEqual(44);
  expect(await exported(target, made.projectId)).toEqual(texts[0]);
  expect(await exported(target, second.projectId)).toEqual(texts[1]);
  await withServer(target, async (server) => {
    expect(await answersOf(server)).toEqual(before.answers);
    await visit(server, asProject(), [1, 2, 3, 4, 5]);
    expect(await visitorsOf(server, asProject())).toBe(before.visitors + 1);
    await visit(
      server,
      other,
      Array.from({ length: 41 }, (_, i) => i),
    );
    expect(await visitorsOf(server, other)).toBe(41);
  });
  const { stdout } = await runHere(['check', '--json'], target);
  expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
  // And there again, into another PostgreSQL.
  const third = await makeEmptyDatabase();
  const again = await runHere(['move', '--to', 'postgres'], {
    ...target,
    HEADCOUNT_DATABASE_URL: third,
  });
  expect([again.code, again.stderr]).toEqual([0, '']);
  await dropDatabase(third);
});

test('a day whose sealing was begun is sealed before it is moved', async () => {
  const store = await openPostgresStore(url);
  await store.addProject(
    { id: 'late', settings: projectSettings.parse({ name: 'late' }), createdAt: '' },
    [],
  );
  for (const day of [20_000, 20_001]) await openDay(store, 'late', day, anySalt());
  const clients = { kind: 'ai', client: { name: 'GPTBot', proof: 'claimed' } } as const;
  await store.countViews(
    [view({ projectId: 'late' }), view({ projectId: 'late', day: 20_001, ...clients })],
    [],
  );
  await store.close();
  await runIn(url, `select close_days('late', 20000)`);
  expect((await moveBack()).code).toBe(0);
  const back = await openSqliteStore(folder);
  const of = async (from: number, to: number) =>
    (await back.readCounts(countQuery({ projectId: 'late', from, to }))).totals;
  expect(await of(19_968, 20_224)).toEqual({ human: 1, ai: 1, total: 2 });
  expect(await of(20_000, 20_001)).toEqual(human(1));
  expect((await back.listSalts()).filter(({ projectId }) => projectId === 'late')).toMatchObject([
    { day: 20_001 },
  ]);
  expect((await openDay(back, 'late', 20_000, anySalt()))?.day).toBe(20_001);
  await back.close();
});

test('a move back that is killed leaves nothing that a server would use, and is begun anew by the same command', async () => {
  const counts = () => runIn(url, 'select count(*)::int as rows, sum(human_views) as views from counts');
  const before = await counts();
  let kills = 0;
  for (let waitMs = 0; waitMs < 200; waitMs += 60) {
    const command = startHeadcountCommand(['move', '--to', 'sqlite'], backEnv());
    const draft = () => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.restoring'));
    await expect.poll(draft, { interval: 5 }).toBe(true);
    await pause(waitMs);
    command.kill('SIGKILL');
    await once(command, 'exit');
    if (existsSync(databaseIn(folder))) break;
    const refused = await runHere(['project', 'list'], target);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/no database/)]);
    kills++;
  }
  expect(kills).toBeGreaterThan(0);
  expect(await counts()).toEqual(before);
  if (!existsSync(databaseIn(folder))) {
    await expect.poll(async () => (await moveBack()).code, { interval: 500 }).toBe(0);
  }
  const [views] = query<number>(databaseIn(folder), 'select sum(human_views) from counts');
  expect(String(views)).toBe(String((before[0] as { views: string }).views));
});

test('nothing is moved back that is in use, into a folder with a database, or with another key', async () => {
  const refusal = async (env = backEnv()) => {
    const { code, stderr } = await runHere(['move', '--to', 'sqlite'], env);
    return [code, stderr] as const;
  };
  await withServer(source, async () => {
    expect(await refusal()).toEqual([1, expect.stringMatching(/Somebody has the database .* open/)]);
  });
  const key = randomBytes(32);
  expect(instanceOf(key)).not.toBe(instanceOf(Buffer.from(releasedKey, 'base64')));
  const otherKey = { ...backEnv(), HEADCOUNT_SECRET_KEY: key.toString('base64') };
  expect(await refusal(otherKey)).toEqual([1, expect.stringMatching(/encrypted with another key/)]);
  const { HEADCOUNT_SECRET_KEY: _key, HEADCOUNT_DATABASE_URL: _url, ...keyless } = backEnv();
  const file = join(await newFolder(), 'url');
  writeFileSync(file, `${url}\n`);
  const unknown = await runHere(['move', '--to', 'sqlite', '--url-file', file], keyless);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/set HEADCOUNT_SECRET_KEY/)]);
  expect(await refusal(target)).toEqual([2, expect.stringMatching(/HEADCOUNT_DATABASE_URL or --url-file/)]);
  const empty = await makeEmptyDatabase();
  expect(await refusal({ ...backEnv(), HEADCOUNT_DATABASE_URL: empty })).toEqual([
    1,
    expect.stringMatching(/nothing of Headcount/),
  ]);
  await dropDatabase(empty);
  expect(existsSync(databaseIn(folder))).toBe(false);
  await runHere(['project', 'add', '--name', 'Other'], target);
  expect(await refusal()).toEqual([1, expect.stringMatching(/database in the folder .* already/)]);
  expect(query(databaseIn(folder), "select settings ->> 'name' from projects")).toEqual(['Other']);
});

test('no server starts on a PostgreSQL that is being moved away', async () => {
  const holding = new Client(url);
  await holding.connect();
  await holding.query('select pg_advisory_lock(10, 0)');
  const refused = await runHere(['project', 'list'], source);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/being moved to a data folder/)]);
  await holding.end();
  await expect.poll(async () => (await runHere(['project', 'list'], source)).code).toBe(0);
});
