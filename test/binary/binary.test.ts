import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { AddedProject } from '../../server/operations/projects.ts';
import { startBrowser } from '../support/browser.ts';
import type { ServerProcess } from '../support/child.ts';
import { projectClient } from '../support/headcount.ts';
import { combined } from '../support/import/import-run.ts';
import { plausibleExport } from '../support/import/plausible-export.ts';
import { zip } from '../support/import/zip.ts';
import {
  createJob,
  forgeToken,
  type Outside,
  runJob,
  slug,
  startOutside,
  until,
} from '../support/jobs/job-run.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { needSandbox } from '../support/machine/sandbox.ts';
import {
  buildBinary,
  type EmptyRootOptions,
  gitFiles,
  makeEmptyRoot,
} from '../support/releases/empty-root.ts';
import { startSite } from '../support/sites/site.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase } from '../support/store/shared-postgres.ts';
import { html } from '../support/tracker/visit.ts';

let binary: string;

beforeAll(async () => {
  binary = await buildBinary();
});
beforeEach(needSandbox);

async function emptyRoot(options?: EmptyRootOptions) {
  const root = await makeEmptyRoot(binary, options);
  onTestFinished(() => root.remove());
  const addProject = async (...args: string[]) =>
    JSON.parse(await root.mustRun(['project', 'add', '--name', 'Docs', '--json', ...args])) as AddedProject;
  const serve = async (): Promise<ServerProcess> => {
    const server = await root.serve();
    onTestFinished(async () => {
      server.signal('SIGKILL');
      await server.ended;
    });
    return server;
  };
  return { ...root, addProject, serve };
}

describe('the one file on a machine that has nothing else', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  test('counts what a browser opens, and shows it', async () => {
    const root = await emptyRoot();
    const server = await root.serve();
    const { stdout } = await until(
      async () => server.output,
      ({ stdout }) => stdout.includes('/setup#'),
    );
    const [adminKey] = /hc_admin_\w+/.exec(stdout) ?? [];
    const [snippet = '', projectId] = /<script .* data-project="(\w+)"><\/script>/.exec(stdout) ?? [];
    const project = projectClient(server.url, { projectId, adminKey } as AddedProject);
    const site = await startSite({ '*': html(snippet) });
    onTestFinished(() => site.stop());
    const page = await browser.newPage();
    await page.goto(`${site.url}/docs`);
    await expect.poll(() => project.visitors()).toEqual({ '/docs': { human: 1, ai: 0, total: 1 } });
    await page.goto(/http\S+\/setup#\S+/.exec(stdout)?.[0] ?? '');
    await page.locator('input[type=password]').first().waitFor();
    await page.close();
  });

  test('knows every command', async () => {
    const root = await emptyRoot();
    const { projectId, adminKey } = await root.addProject();
    const log = combined({ at: '2026-03-01T10:00:00Z', path: '/old' });
    writeFileSync(join(root.dataDir, 'export.zip'), zip(plausibleExport));
    const expectSaid = async ([command, expected]: [string, string]) =>
      expect(await root.mustRun(command.split(' '), log)).toContain(expected);
    const first: [string, string][] = [
      [`project set ${projectId} --name Handbook`, 'was changed'],
      [`key add --project ${projectId} --name robot`, 'hc_admin_'],
      [`import - --project ${projectId} --json`, '"counted"'],
      [`import-stats /data/export.zip --project ${projectId} --json`, '"added":["2025-03-01"'],
      [`import-stats --remove plausible --project ${projectId} --yes`, '2 days from Plausible'],
      ['backup /data/copy.db', ''],
      [`export --project ${projectId} /data/handbook.jsonl`, 'handbook.jsonl'],
    ];
    for (const each of first) await expectSaid(each);
    const others: [string, string][] = [
      ['project list', projectId],
      ['key list', 'robot'],
      ['user list', 'There is no user'],
      [`job list ${projectId}`, 'There are no jobs.'],
      [`automation list ${projectId}`, 'There are no automations.'],
      ['catalogue show', 'AI clients'],
      [`worklist list ${projectId}`, 'AI clients meet was not measured'],
      [`import-search --remove bing --project ${projectId} --yes`, 'There are no numbers'],
      ['admin password', '/setup#'],
      ['whois --user-agent GPTBot', 'OpenAI'],
      ['catalogue unlisted --json', '[]'],
      [`annotation add ${projectId} --text Campaign`, 'Campaign'],
      [`view list ${projectId}`, 'There are no saved views.'],
      [`paths rename ${projectId} --from /gone --to /new --dry-run`, 'Nothing was changed.'],
      ['check', 'Nothing is wrong.'],
      [`forget --project ${projectId} --path /old`, '1 path would be deleted'],
      ['licenses', 'The Headcount authors'],
      ['completion bash', 'complete -'],
    ];
    await Promise.all(others.map(expectSaid));
    const foreign = await root.run(['probe', 'https://elsewhere.example/']);
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('HEADCOUNT_OFFLINE')]);
    expect(await root.mustRun(['--version'])).toBe(`headcount ${manifest.version}\n`);
    const listed = (await root.mustRun(['--help'])).matchAll(/^ {2}([\w-]+) {2}/gm);
    const ran = [...first, ...others].map(([command]) => command.split(' ')[0]);
    expect(new Set(Array.from(listed, ([, name]) => name))).toEqual(
      new Set(['serve', 'restore', 'move', 'probe', ...ran]),
    );

    const restored = await emptyRoot();
    renameSync(join(root.dataDir, 'copy.db'), join(restored.dataDir, 'copy.db'));
    await restored.mustRun(['restore', '/data/copy.db']);
    const server = await restored.serve();
    const { views } = projectClient(server.url, { projectId, adminKey } as AddedProject);
    expect(await views()).toEqual({ '/old': { human: 1, ai: 0, total: 1 } });

    const taken = await emptyRoot();
    renameSync(join(root.dataDir, 'handbook.jsonl'), join(taken.dataDir, 'handbook.jsonl'));
    expect(await taken.mustRun(['project', 'import', '/data/handbook.jsonl'])).toContain(projectId);
  });

  test('moves to a PostgreSQL, and counts there', async (context) => {
    if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
    const url = await makeEmptyDatabase();
    onTestFinished(() => dropDatabase(url));
    const env = { HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64') };
    const before = await emptyRoot({ env });
    const added = await before.addProject();
    const root = await emptyRoot({ env: { HEADCOUNT_DATABASE_URL: url, ...env } });
    renameSync(join(before.dataDir, 'headcount.db'), join(root.dataDir, 'headcount.db'));
    expect(await root.mustRun(['move', '--to', 'postgres'])).toContain('counted again on both sides');
    rmSync(join(root.dataDir, 'headcount.db'));
    const server = await root.serve();
    const project = projectClient(server.url, added);
    expect((await project.hit({ u: 'https://site.example/docs' })).status).toBe(202);
    expect(await project.visitors()).toEqual({ '/docs': { human: 1, ai: 0, total: 1 } });
    expect(readdirSync(root.dataDir)).not.toContain('headcount.db');
  });

  test('prints the licence of each package that is in it, of Node too', async () => {
    const root = await emptyRoot();
    const said = await root.mustRun(['licenses']);
    const packages = [...Object.keys(manifest.dependencies), 'preact', 'uplot', 'Node.js'];
    expect(packages.filter((name) => !said.includes(`\n${name} `))).toEqual([]);
    expect(said).toContain('The Headcount authors');
  });

  /** A server with one project, that works for a code host and a model outside. */
  async function serveWithJobs(outside: Outside, mounts: Record<string, string>) {
    const root = await emptyRoot({ env: outside.env, mounts });
    const project = await root.addProject(
      ...[
        '--repository',
        String(outside.settings.repository),
        '--ref',
        'main',
        '--model',
        'openai/gpt-scripted',
      ],
      ...['--forge', 'github', '--forge-url', String(outside.settings.forgeUrl)],
    );
    await root.mustRun(['project', 'set', project.projectId, '--forge-token-stdin'], forgeToken);
    const server = await root.serve();
    return { ...server, root, jobs: jobClient(server.url, project) };
  }

  test('does a job with nothing but git', async () => {
    const outside = await startOutside();
    const { jobs, root } = await serveWithJobs(outside, gitFiles());
    const job = await runJob(jobs, 'write page.md hello');
    expect(job).toMatchObject({ status: 'completed', prLink: expect.stringContaining('/pull') });
    const [pull] = await outside.forge.list(slug);
    expect(await outside.forge.git.read(slug, `refs/heads/${pull?.head}`, 'page.md')).toBe('hello\n');
    await expect.poll(() => readdirSync(join(root.dataDir, 'jobs/worktrees'))).toEqual([]);
    await runJob(jobs, 'write page.mdx Map<a, b>');
    const [checked] = (await outside.forge.list(slug)).filter(({ number }) => number !== pull?.number);
    expect(checked?.body).toContain('page.mdx:1: it does not compile as MDX');
  });

  test('says of a job without git that it needs git', async () => {
    const { jobs, output } = await serveWithJobs(await startOutside(), {});
    const { status } = await createJob(jobs, 'write page.md hello');
    expect(status).toBe('active');
    await expect.poll(() => output.stderr).toContain('install git 2.39 or later');
  });
});
