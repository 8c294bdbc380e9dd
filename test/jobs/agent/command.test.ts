import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CommandTask, runCommand } from '../../../server/jobs/agent/command/command.ts';
import { buildCommandPrompt } from '../../../server/jobs/agent/prompt.ts';
import type { AgentEvent } from '../../../server/jobs/agent/result.ts';
import { makeSite } from '../../support/jobs/agent/agent-site.ts';

const program = join(import.meta.dirname, '../../support/jobs/agent/outside-agent.ts');
const agent = (...args: string[]) => [process.execPath, program, ...args];
const runaway = (directory: string) => [
  '/bin/sh',
  join(import.meta.dirname, '../../support/jobs/agent/runaway.sh'),
  join(directory, 'alive'),
  '3',
];
const token = 'ghs_0123456789abcdefghij';

async function run(argv: string[], options: Partial<CommandTask> = {}) {
  const site = await makeSite({ 'page.md': 'old\n' });
  const events: AgentEvent[] = [];
  const task: CommandTask = {
    argv,
    directory: site.directory,
    prompt: 'Write a new page: ü\n',
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    limits: { timeMs: 20_000 },
    graceMs: 100,
    secrets: [token],
    signal: new AbortController().signal,
    onEvent: (event) => void events.push(event),
    ...options,
  };
  return { site, events, result: await runCommand(task) };
}

/** Waits for so many processes of one test to have started; their ids. */
async function findStarted(directory: string, count: number): Promise<number[]> {
  for (;;) {
    const names = (await readdir(directory)).filter((name) => name.startsWith('alive.'));
    if (names.length === count) return names.map((name) => Number(name.slice('alive.'.length)));
    await wait(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Nobody may have asked yet how it ended; then it is dead all the same.
    return !existsSync('/proc/self') || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function expectDeath(pids: number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
}

describe('an outside agent', () => {
  test('gets the prompt on standard input and works in the folder', async () => {
    const { result, events, site } = await run(agent('work'));
    expect(result).toEqual({
      status: 'done',
      summary: 'Write the page\n\nFrom the prompt.',
      tokens: { input: 0, output: 0 },
    });
    expect(await site.read('page.md')).toBe('Write a new page: ü\n');
    expect(events).toEqual(
      expect.arrayContaining([
        { type: 'output', stream: 'stderr', text: 'working' },
        { type: 'output', stream: 'stdout', text: expect.stringContaining('Write the page') },
      ]),
    );
  });

  test('sees the environment that it is given and nothing else', async () => {
    process.env.HEADCOUNT_TEST_TOKEN = token;
    onTestFinished(() => void delete process.env.HEADCOUNT_TEST_TOKEN);
    const { result, site } = await run(agent('environment'), {
      env: { PATH: '/usr/bin:/bin', MODEL: 'small' },
    });
    const [environment = '', directory] = result.status === 'done' ? result.summary.split('\n') : [];
    const { PWD, OLDPWD, _, SHLVL, ...given } = JSON.parse(environment);
    expect(given).toEqual({ PATH: '/usr/bin:/bin', MODEL: 'small' });
    expect(directory).toBe(site.directory);
  });

  test('is told the rules after the request', () => {
    const prompt = buildCommandPrompt('Explain keys.', {
      guidance: [{ path: 'AGENTS.md', text: 'Write in British English.' }],
    });
    expect(prompt.startsWith('Explain keys.\n\n---\n')).toBe(true);
    expect(prompt).toContain('The first line is a title');
    expect(prompt).toContain('Write in British English.');
  });

  test('fails with its last words when it ends with a status', async () => {
    const { result } = await run(agent('fail'));
    expect(result).toMatchObject({
      status: 'failed',
      failure: {
        code: 'command_failed',
        passing: false,
        message: expect.stringMatching(
          /ended with status 3\. Its last output: reading\nThe model is overloaded\.$/,
        ),
      },
    });
  });

  test.each([['headcount-has-no-such-agent'], ['/dev/null']])(
    '%s cannot be started, and that is said',
    async (name) => {
      const { result } = await run([name]);
      expect(result).toMatchObject({
        failure: {
          code: 'command_settings',
          message: expect.stringContaining(`"${name}" could not be started`),
        },
      });
    },
  );

  test('cannot smuggle a shell command through its arguments', async () => {
    const { result } = await run(['/bin/echo', '$(id)', '; touch made', '`id`', '*']);
    expect(result).toMatchObject({ status: 'done', summary: '$(id) ; touch made `id` *' });
  });

  test('may write without end: events and summary are bounded, and nothing waits', async () => {
    const { result, events } = await run(agent('flood'));
    expect(result).toMatchObject({ status: 'done', summary: expect.stringMatching(/0 x+\n/) });
    expect(JSON.stringify(result).length).toBeLessThan(25_000);
    expect(JSON.stringify(events).length).toBeLessThan(500_000);
  });

  test('has secrets taken out of all that it says', async () => {
    const words = `${token} ${btoa(`user:${token}`)}`;
    const { result, events } = await run(['/bin/sh', '-c', `echo "${words}"; echo "${words}" >&2; exit 1`]);
    const said = JSON.stringify([result, events]);
    expect(said).toContain('[secret]');
    expect(said).not.toContain(token);
    expect(said).not.toContain(btoa(`user:${token}`).slice(8, -4));
  });

  test('that does not read its input is no fault', async () => {
    const { result } = await run(['/bin/echo', 'done'], { prompt: 'x'.repeat(1_000_000) });
    expect(result).toMatchObject({ status: 'done', summary: 'done' });
  });

  test('throws what onEvent throws, and is ended', async () => {
    const outdated = new Error('The lease was lost.');
    const refuse = async () => {
      throw outdated;
    };
    const site = await makeSite();
    const started = run(runaway(site.directory), { onEvent: refuse });
    await expect(started).rejects.toBe(outdated);
  });
});

describe('a runaway agent, its child and its grandchild', () => {
  test('die at the limit, though they ignore SIGTERM', async () => {
    const site = await makeSite();
    const started = run(runaway(site.directory), { limits: { timeMs: 2_000 } });
    const pids = await findStarted(site.directory, 3);
    expect(pids.filter(isAlive)).toHaveLength(3);
    expect((await started).result).toMatchObject({
      status: 'failed',
      failure: { code: 'time', passing: false },
    });
    await expectDeath(pids);
  });

  test('die when the turn is stopped', async () => {
    const site = await makeSite();
    const controller = new AbortController();
    const started = run(runaway(site.directory), { signal: controller.signal });
    const pids = await findStarted(site.directory, 3);
    controller.abort();
    expect((await started).result).toMatchObject({ status: 'failed', failure: { code: 'aborted' } });
    await expectDeath(pids);
  });

  test('die when the server is killed', async () => {
    const site = await makeSite();
    const runner = join(import.meta.dirname, '../../support/jobs/command-runner.ts');
    const server = spawn(process.execPath, [runner, site.directory, ...runaway(site.directory)], {
      stdio: 'ignore',
    });
    const pids = await findStarted(site.directory, 3);
    server.kill('SIGKILL');
    await expectDeath(pids);
  });

  test('leave no child behind when the agent itself ends', async () => {
    const site = await makeSite();
    const command = 'sh "$1" "$2" 3 & until [ "$(ls "$2".* | wc -l)" -eq 3 ]; do sleep 0.1; done';
    const [, script = '', alive = ''] = runaway(site.directory);
    const started = run(['/bin/sh', '-c', command, 'sh', script, alive]);
    const pids = await findStarted(site.directory, 3);
    expect((await started).result).toMatchObject({ status: 'done' });
    await expectDeath(pids);
  });
});
