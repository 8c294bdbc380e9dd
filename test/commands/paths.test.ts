import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectCommands } from '../support/commands/project-commands.ts';
import { startGitServer } from '../support/git/git-server.ts';

const { home, run } = projectCommands();

const inFolder = (name: string) => join(home.folder, name);
const paths = (...args: string[]) => run(['paths', args[0] as string, home.projectId, ...args.slice(1)]);

/** Pages of the archive of a project, and its renames. */
async function exported(projectId: string, name: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await run(['export', '--project', projectId, '-'], '', env);
  expect([name, code, stderr.includes('rror')]).toEqual([name, 0, false]);
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const [{ settings } = { settings: {} }] = records.filter((one) => one.settings !== undefined);
  return {
    renames: (settings as { renamedPaths: string[] }).renamedPaths,
    pages: records.flatMap((one) => (one.of === 'path' ? [one.name] : [])),
  };
}

test('a rename counts lines of a log, comes along with an archive, and is undone', async () => {
  expect((await paths('rename', '--from', '/old/', '--to', '/new', '--dry-run')).stdout).toMatch(
    /hits to come/,
  );
  await run(['project', 'set', home.projectId, '--goal', '/old']);
  const renamed = await paths('rename', '--from', '/old/', '--to', '/new');
  expect(renamed).toMatchObject({ code: 0, stderr: '' });
  expect(renamed.stdout).toContain(
    '\nThe goal "/old" names /old, which counts as /new: it is of all views of /new now',
  );
  const line = (path: string, ip: string) =>
    `${ip} - - [01/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 512 "-" "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"\n`;
  await writeFile(inFolder('access.log'), line('/old', '192.0.2.1') + line('/new', '192.0.2.2'));
  const imported = await run(['import', inFolder('access.log'), '--project', home.projectId]);
  expect(imported).toMatchObject({ code: 0 });
  expect(await exported(home.projectId, 'own')).toEqual({ renames: ['/old /new'], pages: ['/new'] });

  await run(['export', '--project', home.projectId, inFolder('archive.jsonl')]);
  const other = { HEADCOUNT_DATA_DIR: inFolder('other') };
  expect(await run(['project', 'import', inFolder('archive.jsonl'), '--json'], '', other)).toMatchObject({
    code: 0,
  });
  expect((await exported(home.projectId, 'copy', other)).renames).toEqual(['/old /new']);

  expect((await paths('undo', '--from', '/none')).stderr).toMatch(/must be an old path, such as \/old/);
  expect((await paths('undo', '--from', '/old')).stdout).toMatch(/counts as itself again/);
  expect((await exported(home.projectId, 'own')).renames).toEqual([]);
});

test('renames come from a file of redirects, and a circle is refused', async () => {
  await writeFile(inFolder('_redirects'), '/a /b\n/blog/* /news/:splat 301\n');
  expect((await paths('rename', '--redirects', inFolder('_redirects'), '--json')).stdout).toMatch('/news/**');
  expect((await paths('rename', '--redirects', inFolder('none'))).stderr).toMatch(/cannot be read/);
  await writeFile(inFolder('circle'), '/b /a\n/x /a\n');
  const circle = await paths('rename', '--redirects', inFolder('circle'));
  expect([circle.code, circle.stderr]).toEqual([
    1,
    expect.stringContaining('a circle: "/b /a" comes back to itself, so leave it out'),
  ]);
});

test('renames come from the repository of the project', async () => {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const repository = await git.createRepository('ada/site', { 'static/_redirects': '/moved /there 301\n' });
  const env = { HEADCOUNT_GIT_PROTOCOLS: 'http', HEADCOUNT_PRIVATE_NETWORKS: 'allow' };
  const rename = ['paths', 'rename', home.projectId, '--from-repository'];
  expect(await run(rename, '', env)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('The project has no repository') },
  });
  await run(['project', 'set', home.projectId, '--repository', repository, '--forge', 'none'], '', env);
  expect(await run(rename, '', env)).toMatchObject({
    ...{
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Read from static\/_redirects\.\nNo page .* hits to come/),
    },
  });
  expect((await exported(home.projectId, 'read')).renames).toContain('/moved /there');
  await git.commit('ada/site', { 'docs/api/a.md': '', 'docs/api/b.md': '', 'docs/c.md': '' });
  expect((await run(['project', 'sections', home.projectId], '', env)).stdout).toMatch(
    /PATH +NAME +PAGES +VIEWS\n\/api\/\*\* +Api +2 +0\n/,
  );
});
