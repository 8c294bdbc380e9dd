import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import type { AgentLimits } from '../../../server/jobs/agent/limits.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { runHeadcount, startProcess } from '../../support/child.ts';
import { startHeadcount } from '../../support/headcount.ts';
import {
  createJob,
  eventsOf,
  type JobRun,
  type Outside,
  prepareDataDir,
  runJob,
  slug,
  startJobRun,
  startOutside,
  until,
} from '../../support/jobs/job-run.ts';
import { type JobClient, jobClient } from '../../support/jobs/jobs.ts';
import { asNormalUser, whereNamespacesAreOff } from '../../support/machine/normal-user.ts';
import { findProgram } from '../../support/machine/program.ts';
import { needSandbox } from '../../support/machine/sandbox.ts';
import { listProcesses } from '../../support/processes.ts';

const program = join(import.meta.dirname, '../../support/jobs/agent/hostile-agent.ts');
const hostile = (...args: string[]) => [process.execPath, program, ...args];
const folders = `${dirname(program)},${dirname(process.execPath)}`;

interface Options {
  env?: Record<string, string>;
  agentLimits?: Partial<AgentLimits>;
  agentUnconfined?: boolean;
  dataDir?: string;
}

function startRun(agentCommand: string[], { env, agentUnconfined = false, ...options }: Options = {}) {
  return startJobRun({
    ...options,
    env: { HEADCOUNT_AGENT_READABLE_FOLDERS: folders, ...env },
    project: { agentCommand, agentUnconfined },
  });
}

interface Found {
  read: string[];
  secrets: string[];
  writable: string[];
  environments: string[];
  alternates: boolean;
  head: string;
  sound: boolean;
  config: string;
  commonDir: string;
  capabilities: string;
  interfaces: number;
}

/** What the hostile agent found, as it says in the transcript. */
async function lookAround(jobs: JobClient): Promise<Found> {
  const job = await runJob(jobs, 'look around');
  const events = await eventsOf(jobs, job.id);
  expect([job.status, events.at(-1)?.data]).toEqual(['completed', expect.any(Object)]);
  const said = events.filter(({ type }) => type === 'output').map(({ data }) => String(data.text));
  return JSON.parse(
    said
      .join('\n')
      .split('\n')
      .find((line) => line.startsWith('{')) ?? '',
  ) as Found;
}

async function expectFailure({ jobs, forge }: JobRun, reason: string, message: RegExp): Promise<void> {
  const job = await runJob(jobs, 'do harm');
  const events = await eventsOf(jobs, job.id);
  const data = { reason, message: expect.stringMatching(message) };
  expect(events.at(-1)).toMatchObject({ type: 'failed', data });
  expect(Object.keys(await forge.git.refs(slug))).toEqual(['refs/heads/main']);
}

/** Each process starts two; the twelfth generation rests, so that no defect of ours fills the machine. */
const bomb = (mark: string) =>
  `b() { [ $1 -lt 12 ] || exec sleep ${mark}; b $(($1 + 1)) & b $(($1 + 1)) & wait; }; b 0`;

/** The mark alone would also be found in the long numbers that a browser hands to its processes. */
const countOf = async (commandLine: string) =>
  (await listProcesses()).filter((found) => found.commandLine.includes(commandLine)).length;

async function readMirrorConfigs(dataDir: string): Promise<string> {
  const mirrors = join(dataDir, 'jobs', 'mirrors');
  const configs = (await readdir(mirrors)).map((name) => readFile(join(mirrors, name, 'config'), 'utf8'));
  return (await Promise.all(configs)).join('\n');
}

describe('an outside agent', () => {
  test('sees its workspace and the system, and no secret, database or other process', async (context: TestContext) => {
    needSandbox(context);
    const env = { HEADCOUNT_AGENT_ENV: 'GIVEN', GIVEN: 'to the agent', HIDDEN: 'from the agent' };
    const run = await startRun(hostile('look', '/etc/shadow', '/root', '/home', '/var/lib'), {
      env,
    });
    const found = await lookAround(run.jobs);
    expect(found).toMatchObject({ read: [], secrets: [], writable: [] });
    expect(found.capabilities).toMatch(/^0+$/);
    expect(found.environments.length).toBeLessThan(6);
    const names = found.environments.join('\0').match(/(?<=^|\0)\w+(?==)/g) ?? [];
    expect(
      [...new Set(names)].sort().filter((name) => !['OLDPWD', 'PWD', 'SHLVL', '_'].includes(name)),
    ).toEqual(['GIVEN', 'HOME', 'PATH']);
  });

  test('has a repository of its own, and does not reach the mirror', async (context: TestContext) => {
    needSandbox(context);
    const run = await startRun(hostile('look'));
    const found = await lookAround(run.jobs);
    expect(found).toMatchObject({ alternates: false, sound: true, config: '', commonDir: '/workspace/.git' });
    expect(found.head).not.toBe('');
    const configs = await readMirrorConfigs(run.headcount.dataDir);
    expect(configs).toContain('promisor');
    expect(configs).not.toContain('evil');
  });

  test('sees nothing of a data folder that lies where it may read', async (context: TestContext) => {
    needSandbox(context);
    const folder = await mkdtemp(join(tmpdir(), 'headcount-shown-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const run = await startRun(hostile('look'), {
      env: { HEADCOUNT_AGENT_READABLE_FOLDERS: `${folders},${folder}` },
      dataDir: join(folder, 'data'),
    });
    await writeFile(join(folder, 'other.db'), 'something that it may read');
    const { secrets } = await lookAround(run.jobs);
    // So it did look there.
    expect(secrets).toEqual([join(folder, 'other.db')]);
  });

  test('has the network, unless the operator takes it', async (context: TestContext) => {
    needSandbox(context);
    const with_ = await lookAround((await startRun(hostile('look'))).jobs);
    const without = await lookAround(
      (await startRun(hostile('look'), { env: { HEADCOUNT_AGENT_NETWORK: '0' } })).jobs,
    );
    expect(with_.interfaces).toBeGreaterThan(1);
    expect(without.interfaces).toBe(1);
  });

  test('leaves no process behind, also none in a session of its own', async (context: TestContext) => {
    needSandbox(context);
    const run = await startRun(hostile('stay', '7261'));
    expect(await runJob(run.jobs, 'stay')).toMatchObject({ status: 'completed' });
    await expect.poll(() => countOf('sleep 7261')).toBe(0);
  });

  test('that starts too many processes is ended with all of them', async (context: TestContext) => {
    needSandbox(context);
    const run = await startRun(hostile('multiply', '7262'), { agentLimits: { processes: 40 } });
    await expectFailure(run, 'processes', /more than 40 processes/);
    await expect.poll(() => countOf('sleep 7262')).toBe(0);
  });

  test('that doubles again and again is ended with all of them', async (context: TestContext) => {
    needSandbox(context);
    const run = await startRun(['sh', '-c', bomb('7263')], { agentLimits: { processes: 40 } });
    await expectFailure(run, 'processes', /more than 40 processes/);
    await expect.poll(() => countOf('sleep 7263')).toBe(0);
  });

  test('that takes too much memory is ended', async (context: TestContext) => {
    needSandbox(context);
    const run = await startRun(hostile('swell'), { agentLimits: { memoryBytes: 300_000_000 } });
    await expectFailure(run, 'memory', /more than 300 MB/);
  });

  test('whose program is not in sight says which setting shows it', async (context: TestContext) => {
    needSandbox(context);
    const run = await startRun(hostile('look'), { env: { HEADCOUNT_AGENT_READABLE_FOLDERS: '' } });
    await expectFailure(run, 'command_settings', /HEADCOUNT_AGENT_READABLE_FOLDERS/);
  });
});

describe('where the server runs as a normal user, an outside agent', () => {
  /** Doubles where it is told to, and looks around otherwise. */
  const agent = ['sh', '-c', `read -r word; [ "$word" != double ] || { ${bomb('7264')}; }; exec "$@"`, 'sh'];
  let outside: Outside;
  let prepared: Awaited<ReturnType<typeof prepareDataDir>>;
  beforeEach(async () => {
    outside = await startOutside();
    const settings = { ...outside.settings, agentCommand: [...agent, ...hostile('look')] };
    prepared = await prepareDataDir({ ...outside, settings });
  });
  const envOf = () => ({
    ...outside.env,
    HEADCOUNT_DATA_DIR: prepared.dataDir,
    HEADCOUNT_AGENT_READABLE_FOLDERS: folders,
  });

  test('is shut in too, and its processes are bounded by the system besides', async (context: TestContext) => {
    needSandbox(context);
    const server = await startProcess(envOf(), asNormalUser(context, prepared.dataDir));
    onTestFinished(() => server.signal('SIGKILL'));
    expect((await stat(`/proc/${server.pid}`)).uid).not.toBe(0);
    const jobs = jobClient(server.url, prepared);
    expect(await lookAround(jobs)).toMatchObject({ read: [], secrets: [], writable: [] });

    const { id } = await createJob(jobs, 'double');
    let most = 0;
    const job = await until(
      async () => {
        most = Math.max(most, await countOf('sleep 7264'));
        return (await (await jobs.read(id)).json()) as JobReply;
      },
      ({ status }) => status !== 'active',
    );
    expect(job.status).toBe('failed');
    expect((await eventsOf(jobs, id)).at(-1)?.data.reason).toBe('processes');
    expect(most).toBeLessThan(8 * 256 + 10);
    await expect.poll(() => countOf('sleep 7264')).toBe(0);
  });

  test('is not run where nobody is given namespaces, and the transcript says what to do', async (context: TestContext) => {
    needSandbox(context);
    const server = await startProcess(envOf(), whereNamespacesAreOff);
    onTestFinished(() => server.signal('SIGKILL'));
    const jobs = jobClient(server.url, prepared);
    const { id, status } = await runJob(jobs, 'look around');
    const message = expect.stringMatching(
      /could not make its sandbox.*namespace.*allow this server to make user namespaces/,
    );
    expect([status, (await eventsOf(jobs, id)).at(-1)?.data]).toEqual([
      'failed',
      { reason: 'command_settings', message },
    ]);
    expect(server.output.stderr).toMatch(/could not make its sandbox/);
  });
});

/** A PATH with what jobs need, and without bubblewrap. */
async function bareFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-bare-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['git', 'sh', 'rm', 'env', 'cat'])
    await symlink(findProgram(name) ?? '', join(folder, name));
  return folder;
}

describe('without bubblewrap, an outside agent', () => {
  const agent = ['sh', '-c', 'echo done > done.md'];

  test('is not run, and the transcript says what to install', async () => {
    const env = { PATH: await bareFolder() };
    const run = await startRun(agent, { env });
    await expectFailure(
      run,
      'command_settings',
      /bubblewrap is not installed: install bubblewrap.*--agent-unconfined/,
    );
  });

  test('is reported in the log when the server starts', async () => {
    const outside = await startOutside();
    const prepared = await prepareDataDir({
      ...outside,
      settings: { ...outside.settings, agentCommand: agent },
    });
    const env = { ...outside.env, PATH: await bareFolder() };
    const headcount = await startHeadcount({ dataDir: prepared.dataDir, env });
    onTestFinished(() => headcount.stop());
    await expect.poll(() => headcount.log.join('\n')).toContain('install bubblewrap');
  });

  test('is run where the operator wants it unconfined', async () => {
    const run = await startRun(agent, { env: { PATH: await bareFolder() }, agentUnconfined: true });
    expect(await runJob(run.jobs, 'work')).toMatchObject({ status: 'completed' });
  });

  test('is refused on the command line, unless it is to be unconfined', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headcount-bare-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const env = { HEADCOUNT_DATA_DIR: dataDir, PATH: await bareFolder() };
    const add = ['project', 'add', '--name', 'Docs', '--agent-command', '["claude"]'];
    const { code, stderr } = await runHeadcount(add, env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('install bubblewrap')]);
    expect((await runHeadcount([...add, '--agent-unconfined'], env)).code).toBe(0);
  });
});
