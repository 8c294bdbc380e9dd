import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../server/jobs/agent/tools/tool-error.ts';
import { collectChange } from '../../../server/jobs/git/change.ts';
import type { Workspace } from '../../../server/jobs/git/workspace/workspace.ts';
import { runGit, type SeedFiles } from '../../support/git/git-server.ts';
import { asEve, folderOf, hostileGit } from '../../support/git/hostile.ts';
import { changeFiles, limits } from '../../support/jobs/git-client.ts';

const hostile = hostileGit();
const run = promisify(execFile);

describe('a program that works in the tree', () => {
  const refused = async (edit: (workspace: Workspace) => Promise<unknown>, files: SeedFiles = {}) => {
    const { access, head } = await hostile.serve({ 'page.md': 'one\n', 'docs/a.md': 'a\n', ...files });
    await expect(changeFiles(hostile.gitClient, access, head, edit)).rejects.toMatchObject({
      code: 'forbidden_change',
      passing: false,
    });
    expect(await hostile.sang()).toBe(false);
  };

  test('cannot leave a link', () => refused(({ root }) => symlink('/etc/passwd', join(root, 'new'))));

  test('cannot put a link where a folder was', () =>
    refused(async ({ root }) => {
      await rm(join(root, 'docs'), { recursive: true });
      await symlink(hostile.folder, join(root, 'docs'));
    }));

  test('cannot put a FIFO where a file was', () =>
    refused(async ({ root }) => {
      await rm(join(root, 'page.md'));
      await run('mkfifo', [join(root, 'page.md')]);
    }));

  test('leaves a FIFO of its own behind for nothing, and nobody waits for it', async () => {
    const { access, head } = await hostile.serve({ 'page.md': 'one\n' });
    const { files } = await changeFiles(hostile.gitClient, access, head, async (workspace) => {
      await run('mkfifo', [join(workspace.root, 'pipe')]);
      await expect(folderOf(workspace).read('pipe')).rejects.toThrow(ToolError);
      await expect(folderOf(workspace).write('pipe', 'x')).rejects.toThrow(ToolError);
    });
    expect(files).toEqual([]);
  });

  test('cannot leave a repository of its own that runs programs', () =>
    refused(async ({ root }) => {
      await runGit(root, ['init', '-q', 'vendor']);
      await writeFile(join(root, 'vendor', 'x.md'), 'x\n');
      await runGit(join(root, 'vendor'), ['add', '-A']);
      await runGit(join(root, 'vendor'), [...asEve, 'commit', '-q', '-m', 'x']);
      await runGit(join(root, 'vendor'), ['config', 'core.fsmonitor', hostile.program()]);
    }));

  test('cannot fill a submodule with a repository that runs programs', () =>
    refused(
      async ({ root }) => {
        await runGit(root, ['init', '-q', 'lib']);
        await writeFile(join(root, 'lib', 'x.md'), 'x\n');
        await runGit(join(root, 'lib'), ['add', '-A']);
        await runGit(join(root, 'lib'), [...asEve, 'commit', '-q', '-m', 'x']);
        await runGit(join(root, 'lib'), ['config', 'core.fsmonitor', hostile.program()]);
      },
      { lib: { mode: '160000', content: '0123456789012345678901234567890123456789' } },
    ));

  test('cannot delete a submodule', () =>
    refused(({ root }) => rm(join(root, 'lib'), { recursive: true }), {
      lib: { mode: '160000', content: '0123456789012345678901234567890123456789' },
    }));

  test('changes the settings of its own repository for nobody but itself', async () => {
    const { access, head } = await hostile.serve({ 'page.md': 'one\n' });
    const { files } = await changeFiles(hostile.gitClient, access, head, async (workspace) => {
      await workspace.giveRepository();
      await writeFile(join(workspace.root, '.git', 'config'), hostile.settings(), { flag: 'a' });
      await mkdir(join(workspace.root, '.git', 'info'), { recursive: true });
      await writeFile(join(workspace.root, '.git', 'info', 'attributes'), '* filter=evil diff=evil\n');
      await writeFile(join(workspace.root, 'page.md'), 'two\n');
      expect((await collectChange(workspace, limits)).files).toHaveLength(1);
    });
    expect(files.map(({ path }) => path)).toEqual(['page.md']);
    expect(await hostile.sang()).toBe(false);
  });

  test.for([
    ['.github/workflows/ci.yml'],
    ['.github/workflows/sub/ci.yml'],
    ['.GitHub/Workflows/ci.yml'],
    ['.github/actions/x/action.yml'],
    ['.gitlab-ci.yml'],
    ['docs/.gitlab-ci.yml'],
    ['.circleci/config.yml'],
    ['.forgejo/workflows/x.yaml'],
    ['.woodpecker.yml'],
    ['Jenkinsfile'],
    ['.gitattributes'],
    ['docs/.gitattributes'],
    ['.gitmodules'],
    ['.husky/pre-commit'],
    ['.pre-commit-config.yaml'],
    ['lefthook.yml'],
    ['.lfsconfig'],
    ['CODEOWNERS'],
  ])('cannot add, change, move or delete %s', async ([path = '']) => {
    const { access, head } = await hostile.serve({ 'page.md': 'one\n', [path]: 'original\n' });
    const edits: ((root: string) => Promise<unknown>)[] = [
      (root) => writeFile(join(root, path), 'changed\n'),
      (root) => rm(join(root, path)),
      async (root) => {
        await writeFile(join(root, 'moved.md'), await readFile(join(root, path)));
        await rm(join(root, path));
      },
    ];
    for (const edit of edits) {
      await expect(
        changeFiles(hostile.gitClient, access, head, ({ root }) => edit(root)),
      ).rejects.toMatchObject({
        code: 'forbidden_change',
        message: expect.stringContaining(JSON.stringify(path)),
      });
    }
    await expect(
      changeFiles(hostile.gitClient, access, head, (workspace) =>
        folderOf(workspace).write(path, 'changed\n'),
      ),
    ).rejects.toThrow(ToolError);
  });
});
