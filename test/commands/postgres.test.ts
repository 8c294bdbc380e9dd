import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { type Finished, runHeadcount, type ServerProcess, startProcess } from '../support/child.ts';
import { type Run, runHere } from '../support/commands/command.ts';
import { temporaryFolders, visit, visitorsOf } from '../support/data-folders.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { citusUrl } from '../support/store/citus-cluster.ts';
import { runIn } from '../support/store/postgres-client.ts';
import { password } from '../support/store/postgres-server.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase } from '../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();
let dataDir: string;
let url: string;
let env: Record<string, string>;

beforeEach(async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  dataDir = await newFolder();
  url = await makeEmptyDatabase();
  env = {
    HEADCOUNT_DATA_DIR: dataDir,
    HEADCOUNT_DATABASE_URL: url,
    HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64'),
  };
});
afterEach(() => dropDatabase(url));

/** Nothing that a command says may hold the password. */
async function run(
  args: string,
  changes: Record<string, string> = {},
  start: Run = runHere,
): Promise<Finished> {
  const finished = await start(args.split(' '), { ...env, ...changes });
  const said = finished.stdout + finished.stderr;
  expect(said).not.toContain(password);
  expect(said).not.toContain(encodeURIComponent(password));
  return finished;
}

/** One more, with a folder of its own. */
async function startServer(changes: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startProcess({ ...env, HEADCOUNT_DATA_DIR: await newFolder(), ...changes });
  onTestFinished(async () => {
    server.signal('SIGKILL');
    await server.ended;
  });
  return server;
}

test('commands work on the database of HEADCOUNT_DATABASE_URL, and make no other', async () => {
  const added = await run('project add --name Docs --json');
  expect([added.code, added.stderr]).toEqual([0, '']);
  const { projectId } = JSON.parse(added.stdout) as { projectId: string };
  expect((await run('project list')).stdout).toContain(projectId);
  expect((await run(`key add --project ${projectId} --name mine`)).code).toBe(0);
  expect((await run('key list')).stdout).toContain('mine');
  const renamed = { HEADCOUNT_DATABASE_URL: url.replace(/^postgres:/, 'postgresql:') };
  expect((await run(`project set ${projectId} --name Pages`, renamed)).code).toBe(0);
  expect(await runIn(url, "select settings ->> 'name' as name from projects")).toEqual([{ name: 'Pages' }]);
  expect(readdirSync(dataDir)).toEqual([]);
});

test('several that begin on an empty database at once all find its tables', async () => {
  const added = await Promise.all([1, 2, 3].map((i) => run(`project add --name Docs${i}`, {}, runHeadcount)));
  expect(added.map(({ code, stderr }) => [code, stderr])).toEqual(added.map(() => [0, '']));
  expect(await runIn(url, 'select count(*)::int as projects from projects')).toEqual([{ projects: 3 }]);
});

test('servers that begin on an empty database at once add one first project, and one of them shows its key', async () => {
  const servers = await Promise.all([startServer(), startServer(), startServer()]);
  await Promise.all(servers.map(({ output }) => expect.poll(() => output.stdout).toContain('/setup')));
  expect(await runIn(url, "select settings ->> 'name' as name from projects")).toEqual([{ name: 'My site' }]);
  expect(servers.filter(({ output }) => output.stdout.includes('Your first project'))).toHaveLength(1);
});

describe('a server with another key than the first', () => {
  const otherKey = () => ({ HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64') });
  const salts = () => runIn(url, 'select salt from days');

  async function addProject(): Promise<AddedProject> {
    return JSON.parse((await run('project add --name Docs --json')).stdout) as AddedProject;
  }

  async function stop(server: ServerProcess): Promise<void> {
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
  }

  test('is refused, as is a command, and nobody counts twice', async () => {
    const project = await addProject();
    const server = await startServer();
    await visit(server, project, [1, 2]);
    const before = await salts();
    const refusal =
      /^HEADCOUNT_SECRET_KEY is another key than the one that the database .* is encrypted with.*\n$/;
    for (const args of ['serve', 'project list']) {
      const { code, stderr } = await run(args, { HEADCOUNT_PORT: '0', ...otherKey() }, runHeadcount);
      expect([code, stderr]).toEqual([1, expect.stringMatching(refusal)]);
    }
    const second = await startServer();
    await visit(second, project, [1, 2, 3]);
    expect(await visitorsOf(second, project)).toBe(3);
    expect(await salts()).toEqual(before);
    const [kept] = await runIn<{ instance: string }>(url, 'select instance from secret_key');
    expect(Buffer.from(kept?.instance ?? '', 'hex')).toHaveLength(16);
    expect(env.HEADCOUNT_SECRET_KEY).not.toContain(
      Buffer.from(kept?.instance ?? '', 'hex').toString('base64'),
    );
  });

  test('is refused by an empty database too, to which both come at once', async () => {
    const started = await Promise.allSettled([startServer(otherKey()), startServer(otherKey())]);
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(started.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining('HEADCOUNT_SECRET_KEY is another key') },
    });
  });

  test('takes over where the operator says so, and active days get new salts', async () => {
    const project = await addProject();
    const server = await startServer();
    await visit(server, project, [1, 2]);
    await stop(server);
    const before = await salts();
    await runIn(url, 'delete from secret_key');
    const key = otherKey();
    const next = await startServer(key);
    await expect.poll(salts).not.toEqual(before);
    await visit(next, project, [1]);
    expect(await visitorsOf(next, project)).toBe(3);
    expect(next.output.stderr).toContain('These days get new salts');
    expect((await run('project list')).stderr).toContain('HEADCOUNT_SECRET_KEY is another key');
    expect((await run('project list', key)).code).toBe(0);
  });
});

describe('is refused in words', () => {
  const refused: [string, string, Record<string, string>, number, RegExp][] = [
    [
      'without a key',
      'project list',
      { HEADCOUNT_SECRET_KEY: '' },
      2,
      /DATABASE_URL also needs HEADCOUNT_SECRET_KEY/,
    ],
    [
      'another address',
      'project list',
      { HEADCOUNT_DATABASE_URL: 'mysql://a:b@c/d' },
      2,
      /URL such as postgres:/,
    ],
    ['nothing there', 'project list', {}, 1, /There is nothing of Headcount in the database [^ /]+\/\w+, /],
    ['a file for a backup', 'backup copy', {}, 1, /pg_dump/],
    ['a file to restore', 'restore copy', {}, 1, /pg_dump|No such file|cannot be read/],
  ];

  test('a database of a development version, which was made before its migrations were written anew', async () => {
    await runIn(url, 'create table headcount_schema (version int); insert into headcount_schema values (7)');
    const finished = await run('project list');
    expect([finished.code, finished.stderr]).toEqual([1, expect.stringContaining('a development version')]);
  });

  test.each(refused)('%s', async (_, args, changes, code, words) => {
    const finished = await run(args, changes);
    expect([finished.code, finished.stderr]).toEqual([code, expect.stringMatching(words)]);
    expect(finished.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a user without the rights that days need later is refused at the start, with the right and how to grant it', async (context) => {
    if (citusUrl !== undefined) leaveOut(context, 'roles of a cluster are made on all of its servers');
    await run('project add --name Docs');
    const role = `app_${randomBytes(4).toString('hex')}`;
    const [{ owner } = { owner: '' }] = await runIn<{ owner: string }>(url, 'select current_user as owner');
    const can = `nosuperuser login password 'app'`;
    await runIn(
      url,
      `create role ${role} ${can}; revoke create on schema public from public;
       grant usage on schema public to ${role};
       grant select, insert, update, delete on all tables in schema public to ${role};
       grant usage on all sequences in schema public to ${role}`,
    );
    const address = Object.assign(new URL(url), { username: role, password: 'app' }).href;
    const refusal = async () => {
      const { code, stderr } = await run('serve', { HEADCOUNT_DATABASE_URL: address, HEADCOUNT_PORT: '0' });
      expect(stderr.trim().split('\n')).toHaveLength(1);
      return [code, stderr];
    };
    const create = `grant create on schema public to ${role}`;
    expect(await refusal()).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`user ${role} may not create tables in the schema public.* ${create}`),
      ),
    ]);
    await runIn(url, create);
    expect(await refusal()).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`${role} is not the owner of the table \\w+,.* grant ${owner} to ${role}`),
      ),
    ]);
    const other = `owner_${role}`;
    await runIn(
      url,
      `create role ${other}; grant ${other} to ${role}; grant create on schema public to ${other}`,
    );
    const tables = await runIn<{ name: string }>(
      url,
      `select oid::regclass::text as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    for (const { name } of tables) await runIn(url, `alter table ${name} owner to ${other}`);
    await runIn(url, `revoke delete on jobs from ${role}, ${other}`);
    const change = 'grant select, insert, update, delete on all tables in schema public';
    expect(await refusal()).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`${role} may not read and change the table jobs\\. .* ${change} to ${role}`),
      ),
    ]);
    await runIn(url, `${change} to ${role}`);
    const functions = 'all functions in schema public';
    await runIn(url, `revoke execute on ${functions} from public; grant execute on ${functions} to ${role}`);
    for (const name of ['fold_project', 'count_traced_batch', 'open_day']) {
      await runIn(url, `revoke execute on function ${name} from ${role}`);
      expect(await refusal()).toEqual([1, expect.stringContaining(`may not call the function ${name}(`)]);
      await runIn(url, `grant execute on ${functions} to ${role}`);
    }
    await runIn(url, `revoke execute on ${functions} from ${role}`);
    expect(await refusal()).toEqual([
      1,
      expect.stringMatching(
        /may not call the function .* grant execute on all functions in schema public to /,
      ),
    ]);
    await runIn(url, `drop owned by ${other}, ${role}; drop role ${role}, ${other}`);
  });

  test('a password that is wrong, a database that is not there, and a server that does not answer', async () => {
    const addressWith = (
      changes: Partial<Record<'password' | 'pathname' | 'port' | 'hostname', string>>,
    ) => ({
      HEADCOUNT_DATABASE_URL: Object.assign(new URL(url), changes).href,
    });
    const cases: [Record<string, string>, RegExp][] = [
      [addressWith({ pathname: '/nowhere' }), /database "nowhere" does not exist/],
      [addressWith({ port: '1' }), /cannot be used: .*ECONNREFUSED/],
      [addressWith({ hostname: 'nowhere.invalid' }), /cannot be used: .*(ENOTFOUND|EAI_AGAIN)/],
    ];
    // A cluster that somebody names may trust everybody.
    if (citusUrl === undefined)
      cases.push([addressWith({ password: 'wr0ng' }), /password authentication failed/]);
    for (const [changes, words] of cases) {
      const { code, stderr } = await run('project list', changes);
      expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
      expect(stderr).not.toContain('wr0ng');
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  test('the schema of a newer version, which stays as it is', async () => {
    await run('project add --name Docs');
    await runIn(url, 'update headcount_schema set version = 9000');
    const { code, stderr } = await run('project list');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/newer Headcount \(schema 9000, this one knows \d+\)/),
    ]);
    expect(await runIn(url, 'select version from headcount_schema')).toEqual([{ version: 9000 }]);
  });
});
