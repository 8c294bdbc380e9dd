import { expect, test } from 'vitest';
import { listContents } from '../../support/git/contents.ts';
import type { SeedFiles } from '../../support/git/git-server.ts';
import { runJob, slug, startJobRun } from '../../support/jobs/job-run.ts';
import type { Script } from '../../support/jobs/model/model-server.ts';

/** A repository of a product, in which the documentation is a small part. */
const files: SeedFiles = {
  'README.md': '# Product\n\nSee [how to install](apps/docs/install.md).\n',
  '.gitignore': 'node_modules\n',
  'apps/docs/index.md': '# Docs\n\n[Install](install.md) or [nothing](nowhere.md)\n',
  'apps/docs/install.md': '# Install\n\nRun `product`.\n',
  'apps/docs/picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 1]),
  ...Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      [`packages/p${index}/.gitignore`, `dist-${index}\n`],
      [`packages/p${index}/README.md`, `# Package ${index} has install.md\n`],
      [`packages/p${index}/index.ts`, `export const p = ${index};\n`],
    ]).flat() as [string, string][],
  ),
};

const steps: Script = (_request, index) =>
  [
    { calls: [{ tool: 'search', input: { text: 'install' } }] },
    { calls: [{ tool: 'read', input: { path: 'apps/docs/index.md' } }] },
    { calls: [{ tool: 'move', input: { from: 'apps/docs/install.md', to: 'apps/docs/setup.md' } }] },
    { calls: [{ tool: 'write', input: { path: 'apps/docs/new.md', content: '[gone](gone.md)\n' } }] },
  ][index] ?? { text: 'Move the page\n\nAs it was asked.' };

async function fetchedPaths(docsFolder: string, script: Script = steps) {
  const run = await startJobRun({ files, script, project: { docsFolder } });
  const job = await runJob(run.jobs, 'move the page');
  const contents = await listContents(run.headcount.dataDir);
  const tree = await run.forge.git.git(slug, ['ls-tree', '-r', 'main']);
  const entries = [...tree.matchAll(/^\d+ blob (\w+)\t(.*)$/gm)];
  const fetched = entries.flatMap(([, hash = '', path = '']) => (contents.includes(hash) ? [path] : []));
  return { run, job, fetched };
}

test('of a repository whose docs folder is named only that is fetched, and what decides what is left out', async () => {
  const { job, fetched, run } = await fetchedPaths('apps/docs');
  expect(job.status).toBe('completed');
  const ignores = fetched.filter((path) => path.endsWith('.gitignore'));
  expect(ignores).toHaveLength(41);
  expect(fetched.filter((path) => !ignores.includes(path))).toEqual([
    'apps/docs/index.md',
    'apps/docs/install.md',
  ]);
  const branch = String(job.branch);
  expect(await run.forge.git.files(slug, branch)).toContain('apps/docs/setup.md');
  expect(await run.forge.git.read(slug, branch, 'apps/docs/index.md')).toContain('[Install](setup.md)');
});

test('elsewhere it is read and searched where the agent names it', async () => {
  const script: Script = (_request, index) =>
    [
      { calls: [{ tool: 'search', input: { text: 'Package 7 ' } }] },
      { calls: [{ tool: 'search', input: { text: 'Package 7 ', path: 'packages' } }] },
      { calls: [{ tool: 'search', input: { text: 'install.md', path: '.' } }] },
    ][index] ?? { text: 'Nothing to do\n\nI have looked.' };
  const { run } = await fetchedPaths('apps/docs', script);
  const [inDocs, inPackages, everywhere] = run.model.requests.at(-1)?.results ?? [];
  expect(inDocs).toBe('Nothing found.');
  expect(inPackages).toBe('packages/p7/README.md:1: # Package 7 has install.md');
  expect(everywhere).toContain('README.md:3:');
  const told = JSON.stringify(run.model.requests[0]?.body.tools);
  expect(JSON.parse(`"${/Finds text in the files of a folder\.(?:[^"\\]|\\.)*/.exec(told)?.[0]}"`)).toMatch(
    /Without "path" it is "apps\/docs"; "\." is the whole repository\.$/,
  );
});

test('without a docs folder all of it is searched', async () => {
  const { fetched } = await fetchedPaths('');
  expect(fetched.filter((path) => path.endsWith('README.md'))).toHaveLength(41);
});
