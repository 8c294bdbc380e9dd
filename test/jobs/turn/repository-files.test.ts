import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitServer, runGit, startGitServer } from '../../support/git/git-server.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../../support/headcount.ts';
import { runJob, setSecrets, slug, startJobRun } from '../../support/jobs/job-run.ts';

const token = 'glpat_sesame7f3a9c21b8';
let git: GitServer;
let headcount: Headcount;

beforeAll(async () => {
  git = await startGitServer({ token });
  headcount = await startHeadcount({
    env: { HEADCOUNT_PRIVATE_NETWORKS: 'allow', HEADCOUNT_GIT_PROTOCOLS: 'http' },
  });
});
afterAll(async () => {
  await headcount.stop();
  await git.close();
});

async function addProject(repository: string, ref = '', forgeToken = token): Promise<ProjectClient> {
  const project = await headcount.addProject({ repository, ref, forge: 'none' });
  await setSecrets({ context: headcount.context, projectId: project.projectId }, { forgeToken });
  return project;
}

const ask = (
  { projectId, adminKey, url = headcount.url }: ProjectClient & { url?: string },
  body: object = {},
) =>
  fetch(`${url}/v1/analytics/${projectId}/renames`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ fromRepository: true, ...body }),
  });

test('the redirects of all files of the repository become renames', async () => {
  const files = {
    '_redirects.md': '/no /page 301',
    'docs.json': JSON.stringify({ redirects: [{ source: '/a', destination: '/b' }] }),
    'mkdocs.yml': 'site_name: Docs\nplugins:\n  - search\n',
    'public/_redirects': '/a /c 301\n/blog/* /news/:splat\n/de /deutsch 302 Country=de\n',
    'test/fixtures/_redirects': '/fixture /no 301',
  };
  const project = await addProject(await git.createRepository('ada/site', files));
  await project.hit({ u: 'https://example.com/blog/one' });
  const added = [
    { from: '/a', to: '/b' },
    { from: '/blog/**', to: '/news/**' },
  ];
  const found = { added, left: 2, files: ['docs.json', 'mkdocs.yml', 'public/_redirects'] };
  const tried = await ask(project, { dryRun: true });
  expect(await tried.json()).toMatchObject({ ...found, dryRun: true });
  expect(await project.visitors()).toEqual({ '/blog/one': { human: 1, ai: 0, total: 1 } });

  const response = await ask(project);
  expect([response.status, await response.json()]).toEqual([201, expect.objectContaining(found)]);
  expect(await project.visitors()).toEqual({ '/news/one': { human: 1, ai: 0, total: 1 } });

  // What is pushed later is read then.
  await git.commit('ada/site', { 'public/_redirects': '/later /now 301' });
  expect(await (await ask(project)).json()).toMatchObject({
    added: [{ from: '/later', to: '/now' }],
    left: 1,
  });
});

test('the branch of the project is read', async () => {
  const repository = await git.createRepository('ada/branches', { _redirects: '/a /main' });
  await git.commit('ada/branches', { _redirects: '/a /next' }, { branch: 'next' });
  const project = await addProject(repository, 'next');
  expect(await (await ask(project)).json()).toMatchObject({ added: [{ from: '/a', to: '/next' }] });
});

test('what is wrong with the repository is said, and changes nothing', async () => {
  const wrong = async (project: ProjectClient, body?: object) => {
    const response = await ask(project, body);
    return [response.status, (await errorOf(response)).error];
  };
  const none = await headcount.addProject();
  expect(await wrong(none)).toEqual([400, expect.stringContaining('has no repository: set it')]);
  const empty = await addProject(await git.createRepository('ada/none', { 'a.md': '' }));
  expect(await (await ask(empty)).json()).toMatchObject({
    ...{ added: [], files: [] },
    message: 'The repository has no file with redirects, such as _redirects or docs.json.',
  });
  expect(await wrong(empty, { redirects: '/a /b' })).toEqual([
    400,
    expect.stringContaining('fromRepository alone'),
  ]);
  const broken = await git.createRepository('ada/broken', {
    'docs.json': '{"redirects": [',
    _redirects: '/a /b',
  });
  const project = await addProject(broken);
  expect(await wrong(project)).toEqual([400, expect.stringContaining('docs.json is no JSON')]);
  const { renamedPaths } = await project.get<{ renamedPaths: string[] }>(`/v1/projects/${project.projectId}`);
  expect(renamedPaths).toEqual([]);
  const large = await git.createRepository('ada/large', {
    'docs.json': JSON.stringify({ redirects: [], more: 'x'.repeat(600_000) }),
  });
  expect(await wrong(await addProject(large))).toEqual([
    ...[400, 'docs.json has more than 512 KB, or is no text: send the text of the file that counts.'],
  ]);
  const [one, other] = await Promise.all([wrong(project), wrong(project)]);
  expect([one[0], other[0]].sort()).toEqual([400, 503]);
  expect(await wrong(await addProject(broken, '', 'other'))).toEqual([
    400,
    expect.stringContaining('rejected the token'),
  ]);
  expect(await wrong(await addProject(git.urlOf('ada/gone')))).toEqual([
    400,
    expect.stringContaining('There is no repository'),
  ]);
  git.faults.push({ on: /ada\/broken/, status: 503 }, { on: /ada\/broken/, status: 503 });
  expect(await wrong(project)).toEqual([503, expect.stringContaining('had an internal error')]);
});

const suggest = async ({ projectId, adminKey }: ProjectClient) => {
  await headcount.context.ingest.drain();
  const response = await fetch(`${headcount.url}/v1/analytics/${projectId}/repository-sections`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
  });
  return [response.status, await response.json()];
};

test('the pages of the repository suggest sections, with what was viewed of them', async () => {
  const pages = ['index', 'api/a', 'api/b', 'guides/a', 'guides/b', 'guides/more/c', 'alone/d'];
  const project = await addProject(
    await git.createRepository('ada/docs', {
      'mkdocs.yml': 'site_name: Docs\n',
      'README.md': '# Docs\n',
      ...Object.fromEntries(pages.map((name) => [`docs/${name}.md`, '# Page\n'])),
    }),
  );
  await project.hit({ u: 'https://example.com/api/a' });
  expect(await suggest(project)).toEqual([
    200,
    {
      suggestions: [
        { path: '/api/**', name: 'Api', pages: 2, views: 1 },
        { path: '/guides/**', name: 'Guides', pages: 3, views: 0 },
      ],
    },
  ]);
  expect(await suggest(await headcount.addProject())).toEqual([
    400,
    expect.objectContaining({ error: 'The project has no repository: set it in the settings.' }),
  ]);
});

test('sections are suggested of the version that visitors see, and not of parts of pages', async () => {
  const versioned = {
    'docusaurus.config.js':
      "export default { presets: [['classic', { docs: { routeBasePath: 'docs' } }]] };\n",
    'versions.json': '["2.0"]',
    ...Object.fromEntries(
      ['api/a', 'api/b', 'Über uns/a', 'Über uns/b', '_partials/a', '_partials/b', 'index'].flatMap((name) =>
        ['docs', 'versioned_docs/version-2.0'].map((folder) => [`${folder}/${name}.md`, '# Page\n']),
      ),
    ),
  };
  const project = await addProject(await git.createRepository('ada/versions', versioned));
  for (const name of ['a', 'b']) await project.hit({ u: `https://example.com/docs/api/${name}.html` });
  expect(await suggest(project)).toEqual([
    200,
    {
      suggestions: [
        { path: '/docs/api/**', name: 'Docs / Api', pages: 2, views: 2 },
        { path: '/docs/%C3%9Cber%20uns/**', name: 'Docs / Über uns', pages: 2, views: 0 },
      ],
    },
  ]);
});

test('of a long history the newest commit alone is brought to read, and jobs get all of it', async () => {
  const { headcount, forge, jobs } = await startJobRun({ files: { _redirects: '/a /b' } });
  const path = forge.git.pathOf(slug);
  const commits = Array.from({ length: 2000 }, (_, i) =>
    [
      `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + i} +0000\ndata 1\nx`,
      ...(i === 0 ? ['from refs/heads/main^0'] : []),
      `M 644 inline pages/${i % 100}.md\ndata 4\n${String(i).padStart(4, '0')}\n`,
    ].join('\n'),
  );
  await runGit(path, ['fast-import', '--quiet'], commits.join(''));
  const countIn = async (folder: string) => {
    const mirrors = join(headcount.dataDir, 'jobs', folder, 'mirrors');
    const [name = ''] = await readdir(mirrors);
    return Number(await runGit(join(mirrors, name), ['rev-list', '--count', '--all']));
  };
  expect(await (await ask(headcount)).json()).toMatchObject({ added: [{ from: '/a', to: '/b' }] });
  expect(await countIn('read')).toBe(1);
  expect((await runJob(jobs, 'write page.md Hello.')).status).toBe('completed');
  expect(await countIn('')).toBeGreaterThan(2000);
  await forge.git.commit(slug, { _redirects: '/a /b\n/c /d' });
  expect(await (await ask(headcount)).json()).toMatchObject({ added: [{ from: '/c', to: '/d' }] });
  expect(await countIn('read')).toBeLessThan(4);
});
