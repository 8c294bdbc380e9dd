import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { defaultLimits } from '../../../server/jobs/agent/limits.ts';
import { Folder } from '../../../server/jobs/agent/tools/folder.ts';
import { runTool } from '../../../server/jobs/agent/tools/tool.ts';
import { createToolbox } from '../../../server/jobs/agent/tools/toolbox.ts';
import { JobFailure } from '../../../server/jobs/failure.ts';
import type { RepositoryAccess } from '../../../server/jobs/git/access.ts';
import { collectChange } from '../../../server/jobs/git/change.ts';
import type { Workspace } from '../../../server/jobs/git/workspace/workspace.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import {
  accessTo,
  limits,
  startGitClient,
  type TestGitClient,
  token,
} from '../../support/jobs/git-client.ts';

const run = promisify(execFile);
const slug = 'ada/site';
const files = {
  'index.md': '# Site\n\nTea for two.\n',
  'docs/a.md': 'Tea.\n',
  'docs/b.md': 'Two\r\nlines of tea.\r\n',
  'docs/deep/c.md': 'Deep tea.\n',
  'guides/one.md': 'One tea.\n',
  'guides/two.md': 'Two teas.\n',
  'bin/run.sh': { mode: '100755', content: 'echo tea\n' },
  'latest.md': { mode: '120000', content: 'index.md' },
  'docs/link': { mode: '120000', content: '../index.md' },
  lib: { mode: '160000', content: '0123456789012345678901234567890123456789' },
  '.gitignore': '*.tmp\nignored/\n',
  'docs/.gitignore': '!kept.tmp\n',
  'photo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
  '.github/workflows/ci.yml': 'on: tea\n',
  '.gitattributes': '*.md diff=evil filter=evil\n',
} as const;

let server: GitServer;
let gitClient: TestGitClient;
let site: { access: RepositoryAccess; head: string };

beforeAll(async () => {
  server = await startGitServer({ token });
  gitClient = await startGitClient();
  const url = await server.createRepository(slug, files);
  site = { access: accessTo(url), head: (await server.refs(slug))['refs/heads/main'] ?? '' };
});
afterAll(async () => {
  await gitClient.remove();
  await server.close();
});

interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** What the tools answer, one after the other, and what of it would be committed. */
async function work(calls: readonly Call[], onDemand: boolean): Promise<unknown> {
  const workspace = await gitClient.openWorkspace(site.access, site.head, { onDemand });
  try {
    const folder = new Folder(workspace.root, defaultLimits, { ...workspace, paths: ['**'] });
    const tools = createToolbox(folder, process.env.PATH ?? '');
    const answers = [];
    for (const call of calls) answers.push(await runTool(tools, call, new AbortController().signal));
    return { answers, changes: folder.changes, end: await collect(workspace) };
  } finally {
    await workspace.close();
  }
}

async function collect(workspace: Workspace): Promise<unknown> {
  try {
    const { tree, files, patch, ignored } = await collectChange(workspace, limits);
    return { tree, files, patch: patch.toString('latin1'), ignored };
  } catch (error) {
    if (error instanceof JobFailure) return { code: error.code, message: error.message };
    throw error;
  }
}

const path = fc.constantFrom(
  ...Object.keys(files),
  ...['', 'docs', 'docs/', './docs/a.md', 'docs/deep', 'docs/new.md', 'new/deep/page.md', 'index.md/below'],
  ...[
    'latest.md/below',
    'lib/new.md',
    'x.tmp',
    'docs/kept.tmp',
    'ignored/y.md',
    'docs/link/z',
    '../out',
    'docs/deep/c.md/d',
  ],
);
const text = fc.constantFrom('Tea.\n', 'More tea.\nTwo.\n', '');
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ name: fc.constant('list'), input: fc.record({ path, recursive: fc.boolean() }) }),
  fc.record({ name: fc.constant('read'), input: fc.record({ path }) }),
  fc.record({
    name: fc.constant('search'),
    input: fc.record({
      text: fc.constantFrom('tea', '^[A-Z]', 'evil', '('),
      path,
      regex: fc.boolean(),
      ignoreCase: fc.boolean(),
    }),
  }),
  fc.record({ name: fc.constant('write'), input: fc.record({ path, content: text }) }),
  fc.record({
    name: fc.constant('edit'),
    input: fc.record({ path, old: fc.constantFrom('Tea', 'tea'), new: text }),
  }),
  fc.record({ name: fc.constant('move'), input: fc.record({ from: path, to: path }) }),
  fc.record({ name: fc.constant('delete'), input: fc.record({ path }) }),
);

test('an agent cannot tell whether files were checked out at once or when it asked for them', async () => {
  const property = fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 14 }), async (calls) => {
    const [atOnce, onDemand] = await Promise.all([work(calls, false), work(calls, true)]);
    expect(onDemand).toEqual(atOnce);
  });
  await fc.assert(property, { numRuns: 40, endOnFailure: true });
});

test('a folder whose files were all deleted but one is still there', async () => {
  const calls = [
    { name: 'delete', input: { path: 'guides/one.md' } },
    { name: 'list', input: {} },
    { name: 'list', input: { path: 'guides' } },
    { name: 'delete', input: { path: 'guides/two.md' } },
    { name: 'list', input: {} },
    { name: 'write', input: { path: 'guides', content: 'Tea.\n' } },
  ];
  const onDemand = await work(calls, true);
  expect(onDemand).toEqual(await work(calls, false));
  expect(onDemand).toMatchObject({ answers: calls.map(() => ({ ok: true })) });
});

test('only what was asked for is on the disk, with its mode, and reading it changes nothing', async () => {
  const workspace = await gitClient.openWorkspace(site.access, site.head, { onDemand: true });
  const folder = new Folder(workspace.root, defaultLimits, { ...workspace, paths: ['**'] });
  const onDisk = async () => {
    const entries = await readdir(workspace.root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(workspace.root.length + 1))
      .sort();
  };
  expect(await onDisk()).toEqual(['.gitignore', 'docs/.gitignore']);
  await Promise.all([folder.read('bin/run.sh'), folder.read('docs/b.md'), folder.read('docs/b.md')]);
  expect(await onDisk()).toEqual(['.gitignore', 'bin/run.sh', 'docs/.gitignore', 'docs/b.md']);
  expect((await stat(join(workspace.root, 'bin/run.sh'))).mode & 0o777).toBe(0o755);
  expect(await readFile(join(workspace.root, 'docs/b.md'), 'latin1')).toBe('Two\r\nlines of tea.\r\n');
  expect((await collectChange(workspace, limits)).files).toEqual([]);
  await workspace.close();
});

test('contents are fetched as far as somebody reads or searches, and pictures that nobody opens are not', async () => {
  const mine = await startGitClient();
  onTestFinished(() => mine.remove());
  const workspace = await mine.openWorkspace(site.access, site.head, { onDemand: true });
  const folder = new Folder(workspace.root, defaultLimits, { ...workspace, paths: ['**'] });
  const tools = createToolbox(folder, process.env.PATH ?? '');
  const [mirror = ''] = await mine.mirrors();
  const isHere = async (path: string) => {
    const missing = await run('git', ['rev-list', '--objects', '--missing=print', `${site.head}^{tree}`], {
      env: { PATH: process.env.PATH, GIT_DIR: mirror },
    });
    const { stdout: hash } = await run('git', ['rev-parse', `${site.head}:${path}`], {
      env: { PATH: process.env.PATH, GIT_DIR: mirror },
    });
    return !missing.stdout.includes(`?${hash.trim()}`);
  };
  const here = async () => {
    const paths = ['index.md', 'docs/b.md', 'docs/deep/c.md', 'guides/one.md', 'photo.png'];
    const found = await Promise.all(paths.map(isHere));
    return paths.filter((_, i) => found[i]);
  };

  // Beside the .gitignore of a folder its pages come, too.
  expect(await here()).toEqual(['index.md', 'docs/b.md']);
  await folder.read('guides/two.md');
  expect(await here()).toEqual(['index.md', 'docs/b.md', 'guides/one.md']);
  const found = await runTool(
    tools,
    { name: 'search', input: { text: 'tea', path: 'docs' } },
    AbortSignal.timeout(60_000),
  );
  expect(found).toMatchObject({ ok: true, output: expect.stringContaining('docs/deep/c.md:1: Deep tea.') });
  expect(await here()).toEqual(['index.md', 'docs/b.md', 'docs/deep/c.md', 'guides/one.md']);
  expect(await isHere('photo.png')).toBe(false);
  await folder.move('photo.png', 'picture.png');
  expect(await isHere('photo.png')).toBe(true);
  expect((await collectChange(workspace, limits)).files).toMatchObject([
    { status: 'renamed', path: 'picture.png' },
  ]);
  await workspace.close();
});

test('a file whose name is not UTF-8 stays as it is where files are checked out on demand', async () => {
  const odd = await server.createRepository('ada/odd', { 'index.md': 'Tea.\n' });
  const blob = (await server.git('ada/odd', ['rev-parse', 'main:index.md'])).trim();
  const lines = Buffer.concat([
    Buffer.from(`100644 blob ${blob}\tindex.md\u0000100644 blob ${blob}\tcaf`),
    Buffer.from([0xe9, 0]),
  ]);
  const tree = (await server.git('ada/odd', ['mktree', '-z'], lines)).trim();
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const commit = (await server.git('ada/odd', [...who, 'commit-tree', '-m', 'Odd', tree])).trim();
  await server.git('ada/odd', ['update-ref', 'refs/heads/main', commit]);

  const workspace = await gitClient.openWorkspace(accessTo(odd), commit, { onDemand: true });
  const folder = new Folder(workspace.root, defaultLimits, { ...workspace, paths: ['**'] });
  await folder.write('index.md', 'More tea.\n');
  const { files } = await collectChange(workspace, limits);
  expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual(['modified index.md']);
  await workspace.close();
});
