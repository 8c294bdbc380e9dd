import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { runHeadcount, startHeadcountCommand, startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { dashboardClient, isSignedIn } from '../support/dashboard/dashboard.ts';
import { accept, userPassword } from '../support/dashboard/people.ts';
import { codeAt, enter, turnOn } from '../support/dashboard/second-factor.ts';
import { databaseIn, query, temporaryFolders, visit, visitorsOf } from '../support/data-folders.ts';
import { projectClient } from '../support/headcount.ts';
import { aiClient, combined, person } from '../support/import/import-run.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import {
  type Released,
  readEverything,
  releasedSchemas,
  unpackReleased,
} from '../support/releases/released.ts';
import { citusUrl } from '../support/store/citus-cluster.ts';
import { password } from '../support/store/postgres-server.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase, runIn } from '../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();
let made: Released;
let source: Record<string, string>;
let folder: string;
let url: string;
/** Of servers after the move. */
let target: Record<string, string>;

beforeEach(async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  folder = await newFolder();
  ({ env: source, made } = unpackReleased(releasedSchemas.at(-1) as string, folder));
  url = await makeEmptyDatabase();
  target = { ...source, HEADCOUNT_DATA_DIR: await newFolder(), HEADCOUNT_DATABASE_URL: url };
});
afterEach(() => dropDatabase(url));

const moveEnv = () => ({ ...source, HEADCOUNT_DATABASE_URL: url });
const move = (...args: string[]) => runHeadcount(['move', '--to', 'postgres', ...args], moveEnv());

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

const asProject = () => ({ projectId: made.projectId, adminKey: made.adminKey, ingestKey: '', snippet: '' });

async function signUp(server: Pick<Awaited<ReturnType<typeof startProcess>>, 'url'>): Promise<void> {
  const body = { u: 'https://docs.example.com/', e: 'Sign up', v: { plan: 'team' } };
  expect((await projectClient(server.url, asProject()).hit(body)).status).toBe(202);
}

test('keys keep their limits and who made them, to PostgreSQL and back', async () => {
  const limits = ['--expires', '2999-01-01', '--network', '10.0.0.0/8'];
  expect(
    (await runHere(['key', 'add', '--project', made.projectId, '--scope', 'jobs', ...limits], source)).code,
  ).toBe(0);
  await withServer(source, async (server) => {
    const response = await fetch(`${server.url}/v1/projects/${made.projectId}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'made by a key', scope: 'read' }),
    });
    expect(response.status).toBe(201);
  });
  const keysIn = async (env: Record<string, string>) =>
    (await runHere(['key', 'list', '--json'], env)).stdout;
  const before = await keysIn(source);
  expect(before).toContain('"networks":["10.0.0.0/8"]');
  expect(before).toContain('"madeBy":{"kind":"key"');
  expect((await move()).code).toBe(0);
  expect(await keysIn(target)).toBe(before);
  const back = { ...target, HEADCOUNT_DATA_DIR: await newFolder() };
  expect((await runHere(['move', '--to', 'sqlite'], back)).code).toBe(0);
  expect(await keysIn({ ...source, HEADCOUNT_DATA_DIR: back.HEADCOUNT_DATA_DIR })).toBe(before);
});

test('a moved installation answers as before, and knows who was there today', async () => {
  const setGoals = [
    'project',
    'set',
    made.projectId,
    '--goal',
    'Sign up',
    '--goal',
    '/**',
    '--funnel',
    '/** > Sign up',
  ];
  expect((await runHere(setGoals, source)).code).toBe(0);
  const before = await withServer(source, async (server) => {
    await visit(server, asProject(), [1, 2, 3, 4]);
    await signUp(server);
    return {
      answers: await readEverything(server.url, made),
      visitors: await visitorsOf(server, asProject()),
    };
  });
  const moved = await move('--json');
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  const { moved: rows } = JSON.parse(moved.stdout) as { moved: Record<string, number> };
  expect(rows).toMatchObject({ projects: 1, seen: expect.any(Number), jobs: 3 });
  expect(rows.seen).toBeGreaterThanOrEqual(4);
  await withServer(target, async (server) => {
    const answers = await readEverything(server.url, made);
    for (const [path, answer] of Object.entries(before.answers)) {
      expect({ [path]: answers[path] }).toEqual({ [path]: answer });
    }
    await visit(server, asProject(), [1, 2, 3, 4, 5]);
    expect(await visitorsOf(server, asProject())).toBe(before.visitors + 1);
  });
  const { problems } = JSON.parse((await runHere(['check', '--json'], target)).stdout) as {
    problems: { kind: string; message: string }[];
  };
  // The PostgreSQL of the tests keeps nothing when the power goes, which is faster; a cluster is set up by whoever has it.
  const unsafe = citusUrl === undefined ? ['fsync', 'synchronous_commit', 'full_page_writes'] : [];
  expect(problems.filter(({ kind }) => kind !== 'durability')).toEqual([]);
  expect(problems.map(({ message }) => message.split(' ')[0])).toEqual(expect.arrayContaining(unsafe));
});

test('imports are taken back after a move to PostgreSQL, and after another one back', async () => {
  const add = async (name: string) => {
    const added = await runHere(['project', 'add', '--name', name, '--json'], source);
    return JSON.parse(added.stdout) as AddedProject;
  };
  const [alone, project] = [await add('Alone'), await add('Imported')];
  const answersOf = async (url: string, one: AddedProject) =>
    JSON.parse(JSON.stringify(await readEverything(url, one)).replaceAll(one.projectId, '')) as object;
  const sendHits = (env: Record<string, string>, people: number[]) =>
    withServer(env, async (server) => {
      for (const one of [alone, project]) await visit(server, one, people);
    });
  const now = new Date().toISOString();
  const writeLog = async (name: string, at: string[]) => {
    const lines = at.flatMap((at) =>
      [0, 1, 2, 3, 4, 5].map((i) =>
        combined({
          ...{ at, ip: `10.1.0.${i}`, path: `/${i % 2 ? i : `${name}?utm_source=${name}`}` },
          userAgent: i === 5 ? aiClient : person,
          referrer: `https://${name}.example/`,
        }),
      ),
    );
    const file = join(await newFolder(), `${name}.log`);
    writeFileSync(file, lines.join(''));
    return file;
  };
  const change = async (env: Record<string, string>, args: string[]) => {
    const { code, stdout, stderr } = await runHere(
      ['import', '--project', project.projectId, '--json', ...args],
      env,
    );
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as { days?: object };
  };
  const closed = ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z'];
  const takenBack = (days: string[]) => ({
    takenBack: days.map((day) => day.slice(0, 10)),
    visitorsLeft: [],
    notKept: [],
  });
  const count = ['--merge', '--people', 'count'];
  await sendHits(source, [1, 2, 30]);
  const files = [await writeLog('first', [...closed, now]), await writeLog('second', [now])] as const;
  await change(source, [...files, ...count]);
  expect((await move()).code).toBe(0);
  expect(await change(target, ['--undo', files[0]])).toMatchObject({ days: takenBack([...closed, now]) });
  const third = await writeLog('third', [...closed, now]);
  await change(target, [third, ...count]);
  await sendHits(target, [2, 3, 31]);
  const back = { ...source, HEADCOUNT_DATA_DIR: await newFolder() };
  const moved = await runHere(['move', '--to', 'sqlite'], {
    ...target,
    ...back,
    HEADCOUNT_DATABASE_URL: url,
  });
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  expect(await change(back, ['--undo', third])).toMatchObject({ days: takenBack([...closed, now]) });
  expect(await change(back, ['--undo', files[1]])).toMatchObject({ days: takenBack([now]) });
  await withServer(back, async (server) => {
    expect(await answersOf(server.url, project)).toEqual(await answersOf(server.url, alone));
    for (const one of [alone, project]) await visit(server, one, [1, 4, 32]);
    expect(await answersOf(server.url, project)).toEqual(await answersOf(server.url, alone));
  });
  expect(query(databaseIn(back.HEADCOUNT_DATA_DIR), 'select count(*) from log_days')).toEqual([0]);
});

test('automations and the catalogue that was loaded are the same there and back', async () => {
  const list = async (env: Record<string, string>) =>
    JSON.parse((await runHere(['automation', 'list', made.projectId, '--json'], env)).stdout) as unknown[];
  const weekly = ['--weekly', 'monday', '--hour', '9', '--recipe', 'still-true', '--on'];
  await runHere(['automation', 'add', made.projectId, '--name', 'Mondays', ...weekly], source);
  const [{ id }] = (await list(source)) as [{ id: string }];
  const store = await openSqliteStore(folder);
  const startedBy = { automation: id, name: 'Mondays', kind: 'schedule' as const };
  const job = { projectId: made.projectId, repository: 'https://git.example/a/b', ref: '', model: 'm/x' };
  const start = { automation: id, keys: ['2026-11-23'], perWeek: 3 };
  await store.catalogue.keepCatalogue({ version: 99, signed: 'as it was signed' });
  const images = [{ name: '„Shot“', type: 'image/png' as const, content: Uint8Array.from([0, 255, 10]) }];
  await store.jobs.startJob({ ...job, id: 'job_1', prompt: 'Look.', startedBy, images }, start);
  const kept = await store.jobs.readImages('job_1', 0);
  const reverts = 'https://git.example/a/b/pull/1';
  await store.jobs.revertMerge({ ...job, id: 'job_2', prompt: 'Revert', reverts, record: { reverts } }, null);
  await store.close();
  const before = await list(source);
  expect(before).toMatchObject([{ enabled: true, lastRun: { about: '2026-11-23', jobId: 'job_1' } }]);
  expect((await move()).code).toBe(0);
  expect(await list(target)).toEqual(before);
  const back = { ...source, HEADCOUNT_DATA_DIR: await newFolder() };
  const moved = await runHere(['move', '--to', 'sqlite'], { ...back, HEADCOUNT_DATABASE_URL: url });
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  expect(await list(back)).toEqual(before);
  expect(query(databaseIn(back.HEADCOUNT_DATA_DIR), 'select signed from loaded_catalogue')).toEqual([
    'as it was signed',
  ]);
  const shown = await runHere(['job', 'show', made.projectId, 'job_1', '--json'], back);
  expect(JSON.parse(shown.stdout)).toMatchObject({ startedBy });
  const there = await openSqliteStore(back.HEADCOUNT_DATA_DIR);
  expect(await there.jobs.readImages('job_1', 0)).toEqual(kept);
  await there.close();
  const reverting = await runHere(['job', 'show', made.projectId, 'job_2', '--json'], back);
  expect(JSON.parse(reverting.stdout)).toMatchObject({ reverts });
});

test('users keep their names, roles, passwords, second factors and sessions, there and back', async () => {
  const list = async (env: Record<string, string>) =>
    JSON.parse((await runHere(['user', 'list', '--json'], env)).stdout) as unknown[];
  const run = (...args: string[]) => runHere(['user', ...args], source);
  await run('add', 'grace', '--project', made.projectId, '--role', 'editor');
  const { url: link } = JSON.parse((await run('add', 'ada', '--all-projects', '--json')).stdout) as {
    url: string;
  };
  const { cookie, secret } = await withServer(source, async (server) => {
    const ada = await accept(server, link);
    return { cookie: ada.cookie, ...(await turnOn(ada, Date.now(), userPassword)) };
  });
  const [{ userId }] = (await list(source)) as [{ userId: string }];
  const store = await openSqliteStore(folder);
  await store.signOns.connectSignOn(userId, { issuer: 'https://login.example', subject: 'ada there' });
  await store.close();
  const before = await list(source);
  expect(before).toMatchObject([
    { name: 'ada', hasPassword: true, hasSecondFactor: true, hasSignOn: true },
    { name: 'grace', hasPassword: false, roles: [{ projectId: made.projectId, role: 'editor' }] },
  ]);
  expect((await move()).code).toBe(0);
  expect(await list(target)).toEqual(before);
  // What is noted of it in the audit list comes after what was moved.
  expect((await runHere(['user', 'set', 'ada', '--all-projects', '--role', 'viewer'], target)).code).toBe(0);
  const back = { ...source, HEADCOUNT_DATA_DIR: await newFolder() };
  const moved = await runHere(['move', '--to', 'sqlite'], { ...back, HEADCOUNT_DATABASE_URL: url });
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  expect(await list(back)).toEqual(before);
  expect(query(databaseIn(back.HEADCOUNT_DATA_DIR), 'select subject from sign_ons')).toEqual(['ada there']);
  await withServer(back, async (server) => {
    expect(await isSignedIn(dashboardClient(server.url, cookie))).toBe(true);
    const credentials = { name: 'ada', password: userPassword };
    expect((await enter(dashboardClient(server.url), credentials)).status).toBe(401);
    const code = codeAt(secret, Date.now() + 30_000);
    expect((await enter(dashboardClient(server.url), { ...credentials, code })).status).toBe(204);
  });
});

test('a project is exported from both engines as the same text', async () => {
  const exported = (env: Record<string, string>) =>
    runHere(['export', '--project', made.projectId, '-'], env);
  const before = await exported(source);
  expect((await move()).code).toBe(0);
  const after = await exported(target);
  expect([after.code, after.stderr]).toEqual([0, '']);
  expect(after.stdout.split('\n')).toEqual(before.stdout.split('\n'));
  expect((await runHere(['export', '--project', 'none', '-'], target)).stderr).toContain('no project none');
});

test('a move that is killed leaves no database that a server would use, and is begun anew by the same command', async () => {
  const counts = () => query(databaseIn(folder), 'select count(*), sum(human_views) from counts');
  const before = counts();
  let refusals = 0;
  for (let waitMs = 0; waitMs < 200; waitMs += 60) {
    const command = startHeadcountCommand(['move', '--to', 'postgres'], moveEnv());
    const marked = () =>
      runIn(url, 'select from moving').then(
        (rows) => rows.length > 0,
        () => false,
      );
    await expect.poll(marked, { interval: 5 }).toBe(true);
    await pause(waitMs);
    command.kill('SIGKILL');
    await once(command, 'exit');
    if (!(await marked())) break;
    const refused = await runHere(['project', 'list'], target);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/begun and not finished/)]);
    refusals++;
  }
  expect(refusals).toBeGreaterThan(0);
  expect(counts()).toEqual(before);
  await expect.poll(async () => (await move()).code, { interval: 500 }).toBe(0);
  await withServer(target, async (server) => {
    const views = `/v1/analytics/${made.projectId}/views`;
    expect((await readEverything(server.url, made))[views]).toEqual(made.answers[views]);
  });
});

describe('is refused, and nothing is changed', () => {
  const refusal = async (args: string[], env = moveEnv()) => {
    const { code, stderr } = await runHere(['move', ...args], env);
    expect(stderr).not.toContain(password);
    return [code, stderr] as const;
  };
  const toPostgres = ['--to', 'postgres'];

  test('into a database that is not empty', async () => {
    await runHere(['project', 'add', '--name', 'Other'], target);
    expect(await refusal(toPostgres)).toEqual([1, expect.stringMatching(/is not empty/)]);
    expect(await runIn(url, "select settings ->> 'name' as name from projects")).toEqual([{ name: 'Other' }]);
  });

  test('while a server has either of the two', async () => {
    await withServer(source, async () => {
      expect(await refusal(toPostgres)).toEqual([
        1,
        expect.stringMatching(/Another server runs|server runs/),
      ]);
    });
    await withServer(target, async () => {
      expect(await refusal(toPostgres)).toEqual([1, expect.stringMatching(/Somebody has the database/)]);
    });
  });

  test('from a folder without a database, with another key, and without an address', async () => {
    const empty = { ...moveEnv(), HEADCOUNT_DATA_DIR: await newFolder() };
    expect(await refusal(toPostgres, empty)).toEqual([1, expect.stringMatching(/no database in the folder/)]);
    writeFileSync(join(folder, 'secret.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    expect(await refusal(toPostgres)).toEqual([1, expect.stringMatching(/another key/)]);
    expect(await refusal(toPostgres, source as ReturnType<typeof moveEnv>)).toEqual([
      2,
      expect.stringMatching(/HEADCOUNT_DATABASE_URL or --url-file/),
    ]);
    expect(await refusal([])).toEqual([2, expect.stringMatching(/--to postgres/)]);
  });
});

test('the address comes from a file too, and an argument with a password is warned of', async () => {
  const file = join(folder, 'url');
  writeFileSync(file, `${url}\n`, { mode: 0o600 });
  const moved = await runHere(['move', '--to', 'postgres', '--url-file', file], source);
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  expect(moved.stdout).toContain('counted again on both sides');
  const address = new URL(url);
  // A cluster that somebody names may trust everybody.
  address.password ||= password;
  const { stderr } = await runHere(['move', '--to', address.href], source);
  expect(stderr).toContain('can see the password');
  expect(stderr).not.toContain(address.password);
});
