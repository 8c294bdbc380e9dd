import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../server/jobs/agent/tools/tool-error.ts';
import type { RepositoryAccess } from '../../../server/jobs/git/access.ts';
import { runGit, type SeedFiles } from '../../support/git/git-server.ts';
import { asEve, folderOf, hostileGit } from '../../support/git/hostile.ts';
import { changeFiles, runTurn } from '../../support/jobs/git-client.ts';

const hostile = hostileGit();

const embedded = (at: string): SeedFiles => ({
  [`${at}HEAD`]: 'ref: refs/heads/main\n',
  [`${at}config`]: hostile.settings(),
  [`${at}objects/info/keep`]: '',
  [`${at}refs/heads/keep`]: '',
  [`${at}hooks/post-checkout`]: { mode: '100755', content: `#!/bin/sh\n${hostile.program()}\n` },
});

describe('a repository that brings programs along', () => {
  const fullTurn = async (access: RepositoryAccess) => {
    const { plan, change } = await runTurn(hostile.gitClient, access, async ({ root }) => {
      await writeFile(join(root, 'page.md'), 'two\n');
    });
    expect(change.files.map(({ path }) => path)).toEqual(['page.md']);
    expect(await hostile.gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
  };

  test.for([
    ['in a folder', 'assets/'],
    ['in its root', ''],
  ])('as an embedded bare repository %s runs none of them', async ([, at = '']) => {
    const { access, head } = await hostile.serve({ 'page.md': 'one\n', ...embedded(at) });
    await fullTurn(access);
    expect(await hostile.sang()).toBe(false);

    // The same files do run the program where git goes looking for a repository.
    const workspace = await hostile.gitClient.openWorkspace(access, head);
    await runGit(join(workspace.root, at), ['status']).catch(() => undefined);
    await workspace.close();
    expect(await hostile.sang()).toBe(true);
  });

  test('as filters, drivers, hooks and LFS settings runs none of them', async () => {
    const { access } = await hostile.serve({
      'page.md': 'one\n',
      '.gitattributes': '* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n',
      '.gitconfig': hostile.settings(),
      '.lfsconfig': `[lfs]\n\turl = http://127.0.0.1:1/\n[lfs "customtransfer.x"]\n\tpath = ${hostile.canary}\n`,
      'photo.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
      '.husky/post-checkout': { mode: '100755', content: `#!/bin/sh\n${hostile.program()}\n` },
      '.githooks/pre-push': { mode: '100755', content: `#!/bin/sh\n${hostile.program()}\n` },
    });
    await fullTurn(access);
    expect(await hostile.sang()).toBe(false);
  });

  test('as a submodule with an update command runs and fetches nothing', async () => {
    const { access, slug } = await hostile.serve({
      'page.md': 'one\n',
      '.gitmodules': `[submodule "lib"]\n\tpath = lib\n\turl = ext::sh -c touch% ${hostile.canary}\n\tupdate = !${hostile.program()}\n`,
      lib: { mode: '160000', content: '0123456789012345678901234567890123456789' },
    });
    await fullTurn(access);
    expect(await hostile.sang()).toBe(false);
    expect(hostile.server.requests.filter((request) => request.includes('lib'))).toEqual([]);
    expect(await hostile.server.files(slug, 'main')).toContain('lib');
  });

  test.for([['.git'], ['.GIT'], ['git~1'], ['.g\u200cit'], ['.git '], ['.git::$INDEX_ALLOCATION']])(
    'with a folder "%s" in its tree is refused before a file is written',
    async ([name = '']) => {
      const { access, head, slug } = await hostile.serve({ 'page.md': 'one\n', config: hostile.settings() });
      const tree = (await hostile.server.git(slug, ['rev-parse', `${head}^{tree}`])).trim();
      const evil = (
        await hostile.server.git(slug, ['mktree', '-z'], `040000 tree ${tree}\t${name}\0`)
      ).trim();
      const commit = (await hostile.server.git(slug, [...asEve, 'commit-tree', '-m', 'x', evil])).trim();
      await hostile.server.git(slug, ['update-ref', 'refs/heads/main', commit]);
      await expect(hostile.gitClient.openWorkspace(access, commit)).rejects.toMatchObject({
        code: 'bad_repository',
        passing: false,
      });
      expect(await hostile.sang()).toBe(false);
    },
  );
});

describe('links out of the tree', () => {
  const links = () =>
    hostile.serve({
      'page.md': 'one\n',
      'docs/real.md': 'real\n',
      passwd: { mode: '120000', content: '/etc/passwd' },
      outside: { mode: '120000', content: hostile.folder },
      'docs/up': { mode: '120000', content: '../../../..' },
    });

  test('are plain files here, and file tools refuse them', async () => {
    const { access, head } = await links();
    const workspace = await hostile.gitClient.openWorkspace(access, head);
    expect(await readFile(join(workspace.root, 'passwd'), 'utf8')).toBe('/etc/passwd');
    const folder = folderOf(workspace);
    for (const path of ['passwd', 'outside', 'docs/up', 'outside/new.md', 'docs/up/etc/passwd']) {
      await expect(folder.read(path)).rejects.toThrow(ToolError);
      await expect(folder.write(path, 'x')).rejects.toThrow(ToolError);
      await expect(folder.remove(path)).rejects.toThrow(ToolError);
    }
    await workspace.close();
  });

  test('cannot be turned elsewhere, but may be deleted or left', async () => {
    const { access, head } = await links();
    await expect(
      changeFiles(hostile.gitClient, access, head, ({ root }) =>
        writeFile(join(root, 'passwd'), '/root/.ssh/id_rsa'),
      ),
    ).rejects.toMatchObject({ code: 'forbidden_change', message: expect.stringContaining('"passwd"') });
    const { files } = await changeFiles(hostile.gitClient, access, head, async ({ root }) => {
      await rm(join(root, 'docs'), { recursive: true });
    });
    expect(files.map(({ path, status }) => `${status} ${path}`).toSorted()).toEqual([
      'deleted docs/real.md',
      'deleted docs/up',
    ]);
  });
});
