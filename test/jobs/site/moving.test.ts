import { expect, test } from 'vitest';
import type { SeedFiles } from '../../support/git/git-server.ts';
import { runScripted, scripted } from '../../support/jobs/agent/scripted-agent.ts';
import { move, type ToolCall, write } from '../../support/jobs/agent/tool-calls.ts';
import { docsSites } from '../../support/jobs/docs-sites.ts';
import { eventsOf, slug, startJobRun } from '../../support/jobs/job-run.ts';

/** What a job of these calls made of a site. */
async function change(files: SeedFiles, ...calls: ToolCall[]) {
  const { jobs, forge } = await startJobRun({ script: scripted, files });
  const { job, findings: rounds } = await runScripted(jobs, calls);
  const events = await eventsOf(jobs, job.id);
  return {
    rounds,
    status: job.status,
    answers: events.filter(({ type }) => type === 'tool').map(({ data }) => String(data.output)),
    read: (path: string) => forge.git.read(slug, `headcount/${job.id}`, path),
  };
}

test('a page of Mintlify is moved with the navigation and all links to it, however they are written', async () => {
  const { rounds, answers, read } = await change(
    docsSites.mintlify,
    move('guides/start.mdx', 'first/begin.mdx'),
  );
  expect(rounds).toEqual([]);
  expect(answers[0]?.split('\n')).toEqual([
    '"guides/start.mdx" is now "first/begin.mdx".',
    'Corrected in "docs.json": 1',
    'Corrected in "api/keys.mdx": 1',
    'Corrected in "index.mdx": 1',
    'What visitors saw at "/guides/start" is now at "/first/begin": add a redirect if the site has them.',
  ]);
  expect(await read('docs.json')).toContain('"first/begin"');
  expect(await read('docs.json')).toContain('"destination": "/guides/start"');
  expect(await read('index.mdx')).toContain('[start](/first/begin), [keys](api/keys)');
  expect(await read('api/keys.mdx')).toContain('[start](/first/begin#get-a-key)');
  expect(await read('first/begin.mdx')).toContain('[keys](../api/keys)');
});

test('where a page moves, only its entries are renamed: no title, icon or key of the same name', async () => {
  const page = '# Page\n';
  const moved = async (path: string, list: string, from: string, to: string, files: SeedFiles = {}) => {
    const { answers, read } = await change({ [path]: list, [from]: page, ...files }, move(from, to));
    return { list: await read(path), told: answers[0]?.split('\n')[1] };
  };
  const docs = (name: string) =>
    `{"name": "webhook", "navigation": {"groups": [{"group": "webhook", "icon": "webhook", "pages": ["${name}"]}]}}\n`;
  expect(await moved('docs.json', docs('webhook'), 'webhook.mdx', 'guides/webhook.mdx')).toEqual({
    list: docs('guides/webhook'),
    told: 'Corrected in "docs.json": 1',
  });
  const sidebars = (name: string) =>
    `{\n\t"beta": [{"type": "doc", "id": "${name}", "label": "beta"}, {"type": "category", "label": "beta", "items": ["${name}"]}]\n}\n`;
  const settings = { 'docusaurus.config.js': 'export default {};\n' };
  expect(await moved('sidebars.json', sidebars('beta'), 'docs/beta.md', 'docs/a/beta.md', settings)).toEqual({
    list: sidebars('a/beta'),
    told: 'Corrected in "sidebars.json": 2',
  });
  const meta = (name: string) => `{"${name}": "beta", "other": {"title": "beta"}}\n`;
  const nextra = { 'next.config.mjs': "import nextra from 'nextra';\n", 'content/other.mdx': page };
  expect(
    await moved('content/_meta.json', meta('beta'), 'content/beta.mdx', 'content/gamma.mdx', nextra),
  ).toEqual({ list: meta('gamma'), told: 'Corrected in "content/_meta.json": 1' });
  const mkdocs = (name: string) => `site_name: beta.md\nnav:\n  - beta.md: ${name}\n  - "${name}"\n`;
  expect(await moved('mkdocs.yml', mkdocs('beta.md'), 'docs/beta.md', 'docs/a/b.md')).toEqual({
    list: mkdocs('a/b.md'),
    told: 'Corrected in "mkdocs.yml": 2',
  });
});

test('a page of Docusaurus is moved; what a person has to do is told', async () => {
  const { rounds, read } = await change(
    docsSites.docusaurus,
    move('website/docs/api.md', 'website/docs/reference/keys.md'),
  );
  expect(rounds).toEqual([
    ['website/sidebars.js: the navigation still names "api", whose page website/docs/api.md is gone.'],
  ]);
  expect(await read('website/docs/intro.md')).toContain('[API](reference/keys.md)');
  expect(await read('website/docs/guides/deploy.md')).toContain('[the same](@site/docs/reference/keys.md)');
  expect(await read('website/docs/guides/deploy.md')).toContain('[API](../reference/keys.md#get-apikeys)');
  expect(await read('website/docs/more/01-topics.md')).toContain('[Next](../reference/keys.md)');
  expect(await read('website/docs/reference/keys.md')).toContain('[up](../intro.md)');
});

test('a page of MkDocs is moved, with its own links and images', async () => {
  const { rounds, read } = await change(docsSites.mkdocs, move('docs/setup.md', 'docs/start/install.md'));
  expect(rounds).toEqual([]);
  expect(await read('mkdocs.yml')).toContain(
    '  - Home: index.md\n  - start/install.md\n  - API: api/index.md\n',
  );
  expect(await read('docs/index.md')).toContain(
    '[Set up](start/install.md), [API](api/index.md#keys--tokens)',
  );
  expect(await read('docs/api/index.md')).toContain('[Set up](../start/install.md)');
  const page = await read('docs/start/install.md');
  expect(page).toContain('    See [API](../api/index.md).');
  expect(page).toContain('![A plan](../img/plan.png){ width=300 } <img src="../../img/plan.png">');
});

test('a page of Sphinx is moved with the lists and roles that name it', async () => {
  const { rounds, read } = await change(docsSites.sphinx, move('docs/usage.rst', 'docs/guide/use.rst'));
  expect(rounds).toEqual([]);
  const index = await read('docs/index.rst');
  expect(index).toContain('\n   guide/use\n   Settings <settings>\n');
  expect(index).toContain('See :doc:`guide/use` and :doc:`the settings <settings>`.');
  expect(await read('docs/settings.md')).toContain('[Usage](guide/use.rst)');
  expect(await read('docs/guide/use.rst')).toContain('.. image:: ../img/plan.png');
});

test('a folder is moved with all that is in it, and only what leads elsewhere by then is rewritten', async () => {
  const files = {
    'mkdocs.yml':
      'site_name: x\nnav:\n  - index.md\n  - Guide:\n      - guide/a.md\n      - guide/deep/b.md\n',
    'docs/index.md': '[A](guide/a.md), [B](./guide/deep/b.md#b), ![](guide/img/plan.png)\n',
    'docs/guide/a.md': '# A\n\n[B](./deep/b.md), [up](../index.md), ![](img/plan.png)\n',
    'docs/guide/deep/b.md': '# B\n\n[A](../a.md)\n',
    'docs/guide/img/plan.png': Buffer.from('89504e470d0a1a0a', 'hex'),
    'docs/guide/run.sh': 'echo\n',
  };
  const { rounds, answers, read } = await change(files, move('docs/guide', 'docs/use/manual'));
  expect(rounds).toEqual([]);
  expect(answers[0]?.split('\n')).toEqual([
    '"docs/guide" is now "docs/use/manual": 3 files.',
    expect.stringMatching(/^Not moved: "docs\/guide\/run\.sh" may not be changed/),
    'Corrected in "docs/use/manual/a.md": 1',
    'Corrected in "mkdocs.yml": 2',
    'Corrected in "docs/index.md": 3',
    'What visitors saw at "/guide/a" is now at "/use/manual/a": add a redirect if the site has them.',
    'What visitors saw at "/guide/deep/b" is now at "/use/manual/deep/b": add a redirect if the site has them.',
  ]);
  expect(await read('docs/index.md')).toBe(
    '[A](use/manual/a.md), [B](./use/manual/deep/b.md#b), ![](use/manual/img/plan.png)\n',
  );
  expect(await read('docs/use/manual/a.md')).toBe(
    '# A\n\n[B](./deep/b.md), [up](../../index.md), ![](img/plan.png)\n',
  );
  expect(await read('docs/use/manual/deep/b.md')).toBe(files['docs/guide/deep/b.md']);
  expect(await read('mkdocs.yml')).toContain('      - use/manual/a.md\n      - use/manual/deep/b.md\n');
});

test('a folder of Sphinx is moved with its list, changes its capitals, and does not go into itself', async () => {
  const files = {
    'docs/conf.py': 'project = "x"\n',
    'docs/index.rst': 'Home\n====\n\n.. toctree::\n\n   Guide/index\n   other\n',
    'docs/other.rst': 'Other\n=====\n',
    'docs/Guide/index.rst': 'Guide\n=====\n\n.. toctree::\n\n   a\n   ../other\n',
    'docs/Guide/a.rst': 'A\n=\n\n:doc:`/Guide/index`\n',
  };
  const { rounds, answers, read } = await change(
    files,
    move('docs/Guide', 'docs/Guide/more'),
    move('docs/Guide', 'docs/guide'),
    move('docs/guide', 'docs/use/guide'),
  );
  expect(rounds).toEqual([]);
  expect(answers[0]).toContain('cannot be moved into itself');
  expect(await read('docs/index.rst')).toContain('\n   use/guide/index\n   other\n');
  expect(await read('docs/use/guide/index.rst')).toContain('\n   a\n   ../../other\n');
  expect(await read('docs/use/guide/a.rst')).toContain(':doc:`/use/guide/index`');
});

test('a folder with more files than a turn may change stays whole, and the agent is told to move less', async () => {
  const pages = Object.fromEntries(Array.from({ length: 151 }, (_, n) => [`docs/a/${n}.md`, `# ${n}\n`]));
  const { status, answers } = await change(pages, move('docs/a', 'docs/b'), move('docs/a/1.md', 'docs/c.md'));
  expect(status).toBe('completed');
  expect(answers[0]).toContain('That would change 302 files with their old names, and a turn may change 300');
  expect(answers[1]).toContain('"docs/a/1.md" is now "docs/c.md".');
});

test('an image is moved with the pages that show it, and a page that was made in this turn with its links', async () => {
  const { rounds, read } = await change(
    docsSites.docusaurus,
    write('website/docs/new.md', '# New\n\n![A plan](/img/plan.png)\n\n[API](api.md)\n'),
    move('website/static/img/plan.png', 'website/static/img/plans/first.png'),
    move('website/docs/new.md', 'website/docs/more/new.md'),
  );
  expect(rounds).toEqual([]);
  expect(await read('website/docs/more/new.md')).toBe(
    '# New\n\n![A plan](/img/plans/first.png)\n\n[API](../api.md)\n',
  );
  expect(await read('website/docs/guides/deploy.md')).toContain('![A plan](/img/plans/first.png)');
});

test('a text is replaced over sixty pages in one call, within words or not, and nowhere else', async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `docs/p${n}.md`,
      `Use --old-flag\r\nand --old-flags, \`--old-flag\`.\r\n`,
    ]),
  );
  const calls = {
    tool: 'replace',
    input: { files: 'docs/**/*.md', old: '--old-flag', new: '--new-flag', word: true },
  };
  const files = { ...pages, 'CHANGELOG.md': 'Added --old-flag.\n', 'docs/run.sh': 'x --old-flag\n' };
  const { status, answers, read } = await change(files, calls);
  expect(status).toBe('completed');
  expect(answers[0]?.split('\n')).toHaveLength(60);
  expect(answers[0]).toContain('"docs/p7.md": 2');
  expect(await read('docs/p59.md')).toBe('Use --new-flag\r\nand --old-flags, `--new-flag`.\r\n');
  expect(await read('CHANGELOG.md')).toBe('Added --old-flag.\n');
});

test('what may not be changed is left, and named', async () => {
  const files = { 'docs/a.md': 'one two\n', 'docs/run.sh': 'one\n', 'docs/b.md': 'one one\n' };
  const { answers, read } = await change(
    files,
    { tool: 'replace', input: { files: 'docs/**', old: 'one', new: 'three' } },
    { tool: 'edit', input: { path: 'docs/b.md', old: 'three', new: 'four', all: true } },
    { tool: 'replace', input: { files: '../**', old: 'one', new: 'x' } },
    { tool: 'replace', input: { files: 'docs/*.md', old: 'nowhere', new: 'x' } },
  );
  expect(answers).toEqual([
    expect.stringMatching(
      /^"docs\/a\.md": 1\n"docs\/b\.md": 2\n"docs\/run\.sh": left as it is\. .*may not be changed/,
    ),
    '"docs/b.md" was edited in 2 places.',
    expect.stringContaining('is not a glob'),
    expect.stringContaining('stands in no file'),
  ]);
  expect(await read('docs/b.md')).toBe('four four\n');
  expect(await read('docs/run.sh')).toBe('one\n');
});

test('a search takes a glob of files, of what is new and of what is not checked out', async () => {
  const files = {
    'docs/a.mdx': 'Tea one\n',
    'docs/deep/b.mdx': 'Tea two\n',
    'docs/c.md': 'Tea three\n',
    'x.mdx': 'Tea\n',
  };
  const search = (input: object) => ({ tool: 'search', input: { text: 'Tea', ...input } });
  const { answers } = await change(
    files,
    write('docs/new.mdx', 'Tea four\n'),
    search({ files: 'docs/**/*.mdx' }),
    search({ text: 'T(e|x)a (one|two)$', regex: true, files: '**/*.mdx' }),
    search({ files: ':(top)*' }),
    search({ files: '*.mdx', path: 'docs' }),
  );
  expect(answers.slice(1)).toEqual([
    'docs/a.mdx:1: Tea one\ndocs/deep/b.mdx:1: Tea two\ndocs/new.mdx:1: Tea four',
    'docs/a.mdx:1: Tea one\ndocs/deep/b.mdx:1: Tea two',
    expect.stringContaining('is not a glob'),
    expect.stringContaining('either "path" or "files"'),
  ]);
});
