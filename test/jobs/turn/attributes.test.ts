import { expect, test } from 'vitest';
import { defaultLimits } from '../../../server/jobs/agent/limits.ts';
import { Folder } from '../../../server/jobs/agent/tools/folder.ts';
import { runTool } from '../../../server/jobs/agent/tools/tool.ts';
import { createToolbox } from '../../../server/jobs/agent/tools/toolbox.ts';
import { collectChange } from '../../../server/jobs/git/change.ts';
import { gitRun } from '../../support/git/git-run.ts';
import type { SeedFiles } from '../../support/git/git-server.ts';
import { docsSites } from '../../support/jobs/docs-sites.ts';
import { accessTo, limits, planFor, startGitClient } from '../../support/jobs/git-client.ts';
import { runJob, slug, startJobRun } from '../../support/jobs/job-run.ts';
import { inOrder, type Script } from '../../support/jobs/model/model-server.ts';

const lfs = '*.png filter=lfs diff=lfs merge=lfs -text\n';
const everything = `${lfs}*.md text=auto eol=crlf ident\n*.mdx text eol=crlf\n*.rst working-tree-encoding=UTF-16LE\n`;

/** A page of each layout, its docs folder, and a folder that has nothing to do with it. */
const layouts = [
  ['plain Markdown', 'docs/use.md', 'docs', 'src'],
  ['vitepress', 'docs/api.md', 'docs', 'tools'],
  ['sphinx', 'docs/usage.rst', 'docs', 'tools'],
  ['docusaurus', 'website/docs/api.md', 'website/docs', 'tools'],
  ['mkdocs', 'docs/setup.md', 'docs', 'tools'],
  ['starlight', 'src/content/docs/fr/index.mdx', 'src/content/docs', 'src'],
] as const;

const run = gitRun();

function siteOf(layout: keyof typeof docsSites, folder: string, attributes: string): SeedFiles {
  return {
    ...docsSites[layout],
    [folder === '' ? '.gitattributes' : `${folder}/.gitattributes`]: attributes,
  };
}

/** Each tool alone, in a mirror that has no contents yet. */
function callsFor(page: string) {
  const fresh = page.replace(/[^/]+$/, 'fresh-page.md');
  return [
    [{ name: 'write', input: { path: fresh, content: 'Fresh $Id$.\n' } }, `added ${fresh}`],
    [{ name: 'delete', input: { path: page } }, `deleted ${page}`],
    [
      { name: 'move', input: { from: page, to: page.replace(/([^/]+)$/, 'moved-$1') } },
      `renamed ${page.replace(/([^/]+)$/, 'moved-$1')}`,
    ],
    [
      { name: 'edit', input: { path: page, old: '\n', new: '\nOne more line.\n', all: true } },
      `modified ${page}`,
    ],
  ] as const;
}

/** Of plain Markdown each tool, of the others each tool and each place. */
const cases = layouts.flatMap(([layout, page, docs, other], n) =>
  [
    ['at the top', ''],
    ['in the docs folder', docs],
    ['in another folder', other],
  ].map(([where = '', folder = ''], place) => {
    const calls = callsFor(page);
    return { layout, docs, where, folder, calls: n === 0 ? calls : [calls[(n + place) % calls.length]] };
  }),
);

test.each(cases)(
  'in a site of $layout a change is committed with a .gitattributes $where',
  async ({ layout, docs, folder, calls }) => {
    const name = `ada/${layout.replaceAll(' ', '-')}-${folder.replaceAll('/', '-') || 'top'}`;
    const url = await run.server.createRepository(name, siteOf(layout, folder, everything));
    const head = (await run.server.refs(name))['refs/heads/main'] ?? '';
    for (const [call, expected] of calls.filter((each) => each !== undefined)) {
      const gitClient = await startGitClient();
      try {
        const access = accessTo(url);
        const workspace = await gitClient.openWorkspace(access, head, { onDemand: true, near: docs });
        const tools = createToolbox(
          new Folder(workspace.root, defaultLimits, workspace),
          process.env.PATH ?? '',
        );
        expect(await runTool(tools, call, AbortSignal.timeout(60_000))).toMatchObject({ ok: true });
        const { files, patch, tree } = await collectChange(workspace, limits);
        await workspace.close();
        expect(files.map(({ status, path }) => `${status} ${path}`)).toEqual([expected]);
        expect(await gitClient.makeCommit(access, planFor(head, patch))).toMatchObject({ tree });
      } finally {
        await gitClient.remove();
      }
    }
  },
);

const onePage: Script = inOrder(
  { calls: [{ tool: 'write', input: { path: 'docs/new.md', content: 'New.\n' } }] },
  { text: 'Add a page\n\nAs it was asked.' },
);

test.each([
  ['with partial clones', true],
  ['without partial clones', false],
])('a job that only writes a page is completed at the first try, on a host %s', async (_host, filter) => {
  const { jobs, forge, model } = await startJobRun({
    files: siteOf('plain Markdown', '', everything),
    script: onePage,
  });
  await forge.git.git(slug, ['config', 'uploadpack.allowFilter', String(filter)]);
  const job = await runJob(jobs, 'write a page');
  expect(job).toMatchObject({ status: 'completed' });
  expect(await forge.git.read(slug, `headcount/${job.id}`, 'docs/new.md')).toBe('New.\n');
  expect(model.requests).toHaveLength(2);
});

const long = Array.from({ length: 12 }, (_, index) => `folder-${index}-${'n'.repeat(60)}`).join('/');

test.each<[string, SeedFiles]>([
  [
    '.gitattributes beside the page that takes it back',
    { '.gitattributes': everything, 'docs/.gitattributes': '*.md -text -ident\n', 'docs/a.md': 'a\n' },
  ],
  [
    '.gitattributes that wants UTF-16 and leaves pages out of archives',
    {
      '.gitattributes': '*.md working-tree-encoding=UTF-16 export-ignore\ndocs/** export-subst merge=union\n',
      'docs/old.md': 'Old.\n',
    },
  ],
  [
    '.gitattributes that names a macro and another filter',
    { '.gitattributes': '[attr]page text eol=lf filter=crypt\n*.md page\n', '.gitignore': 'out/\n' },
  ],
  ['.gitattributes that is a link', { '.gitattributes': { mode: '120000', content: 'elsewhere' } }],
  [
    '.gitattributes in many folders, one with a very long path, .gitmodules and .mailmap',
    {
      ...Object.fromEntries(['a', 'a/b', 'c', 'docs/d'].map((f) => [`${f}/.gitattributes`, lfs])),
      [`${long}/.gitattributes`]: everything,
      [`${long}/a.md`]: 'a\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ./x\n',
      '.mailmap': 'A <a@b.c>\n',
      x: { mode: '160000', content: '0123456789012345678901234567890123456789' },
    },
  ],
])('a job is completed with a %s, with and without partial clones', async (_what, files) => {
  for (const filter of [true, false]) {
    const { jobs, forge } = await startJobRun({
      files: { 'index.md': '# Site\n', ...files },
      script: onePage,
    });
    await forge.git.git(slug, ['config', 'uploadpack.allowFilter', String(filter)]);
    const job = await runJob(jobs, 'write a page');
    expect(job).toMatchObject({ status: 'completed' });
    expect(await forge.git.read(slug, `headcount/${job.id}`, 'docs/new.md')).toBe('New.\n');
  }
});

test('a page with the executable bit keeps it when it is moved and rewritten', async () => {
  const { jobs, forge } = await startJobRun({
    files: { 'index.md': '# Site\n', 'r.md': { mode: '100755', content: 'old\n' } },
    script: inOrder(
      { calls: [{ tool: 'edit', input: { path: 'r.md', old: 'old', new: 'An altogether new text.' } }] },
      { calls: [{ tool: 'move', input: { from: 'r.md', to: 'run.md' } }] },
      { text: 'Rename a page\n\nAs it was asked.' },
    ),
  });
  const job = await runJob(jobs, 'rename r.md');
  expect(job).toMatchObject({ status: 'completed' });
  const tree = await forge.git.git(slug, ['ls-tree', '-r', `headcount/${job.id}`]);
  expect(tree).toMatch(/^100755 blob \w+\trun\.md$/m);
  expect(tree).not.toContain('\tr.md');
});

test('what the repository ignores is refused at once, and the rest is committed', async () => {
  const { jobs, forge, model } = await startJobRun({
    files: { '.gitignore': '*.draft.md\nbuild/\n', 'docs/.gitignore': 'secret*\n', 'index.md': '# Site\n' },
    script: inOrder(
      {
        calls: [
          { tool: 'write', input: { path: 'a.draft.md', content: 'x\n' } },
          { tool: 'write', input: { path: 'build/page.md', content: 'x\n' } },
          { tool: 'move', input: { from: 'index.md', to: 'docs/secret.md' } },
          { tool: 'write', input: { path: 'docs/page.md', content: 'x\n' } },
        ],
      },
      { text: 'Add a page\n\nAs it was asked.' },
    ),
  });
  const job = await runJob(jobs, 'write pages');
  expect(job).toMatchObject({ status: 'completed' });
  const answers = JSON.stringify(model.requests.at(-1)?.body);
  expect(answers.match(/is ignored by the repository/g)).toHaveLength(3);
  const files = await forge.git.files(slug, `headcount/${job.id}`);
  expect(files.sort()).toEqual(['.gitignore', 'docs/.gitignore', 'docs/page.md', 'index.md']);
});
