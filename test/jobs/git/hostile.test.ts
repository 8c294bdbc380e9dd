import { execFile } from 'node:child_process';
import { access as findFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../server/jobs/agent/limits.ts';
import { Folder } from '../../../server/jobs/agent/tools/folder.ts';
import { ToolError } from '../../../server/jobs/agent/tools/tool-error.ts';
import type { RepositoryAccess } from '../../../server/jobs/git/access.ts';
import { collectChange } from '../../../server/jobs/git/change.ts';
import type { Workspace } from '../../../server/jobs/git/workspace/workspace.ts';
import { type GitServer, runGit, type SeedFiles, startGitServer } from '../../support/git/git-server.ts';
import {
  accessTo,
  changeFiles,
  limits,
  runTurn,
  startGitClient,
  type TestGitClient,
  token,
} from '../../support/jobs/git-client.ts';

const run = promisify(execFile);
/** As the agent gets it. */
const folderOf = (workspace: Workspace) => new Folder(workspace.root, defaultLimits, workspace);

let server: GitServer;
let gitClient: TestGitClient;
let folder = '';
let canary = '';
let counter = 0;

beforeAll(async () => {
  server = await startGitServer({ token });
  gitClient = await startGitClient();
  folder = await mkdtemp(join(tmpdir(), 'headcount-canary-'));
});

afterAll(async () => {
  await gitClient.remove();
  await server.close();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  canary = join(folder, `canary-${++counter}`);
});

/** A program that tells on whoever runs it. */
const program = () => `touch ${canary}; false`;
const sang = () =>
  findFile(canary).then(
    () => true,
    () => false,
  );

async function serve(files: SeedFiles): Promise<{ access: RepositoryAccess; head: string; slug: string }> {
  const slug = `eve/hostile-${counter}`;
  const url = await server.createRepository(slug, files);
  return { access: accessTo(url), head: (await server.refs(slug))['refs/heads/main'] ?? '', slug };
}

/** Settings that start the program at the first look at a repository. */
const settings = () =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../\n\tfsmonitor = "${program()}"\n` +
  `\tsshCommand = "${program()}"\n[filter "evil"]\n\tclean = "${program()}"\n\tsmudge = "${program()}"\n` +
  `[diff "evil"]\n\ttextconv = "${program()}"\n\tcommand = "${program()}"\n`;

const embedded = (at: string): SeedFiles => ({
  [`${at}HEAD`]: 'ref: refs/heads/main\n',
  [`${at}config`]: settings(),
  [`${at}objects/info/keep`]: '',
  [`${at}refs/heads/keep`]: '',
  [`${at}hooks/post-checkout`]: { mode: '100755', content: `#!/bin/sh\n${program()}\n` },
});

describe('a repository that brings programs along', () => {
  const fullTurn = async (access: RepositoryAccess) => {
    const { plan, change } = await runTurn(gitClient, access, async ({ root }) => {
      await writeFile(join(root, 'page.md'), 'two\n');
    });
    expect(change.files.map(({ path }) => path)).toEqual(['page.md']);
    expect(await gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
  };

  test.for([
    ['in a folder', 'assets/'],
    ['in its root', ''],
  ])('as an embedded bare repository %s runs none of them', async ([, at = '']) => {
    const { access, head } = await serve({ 'page.md': 'one\n', ...embedded(at) });
    await fullTurn(access);
    expect(await sang()).toBe(false);

    // The same files do run the program where git goes looking for a repository.
    const workspace = await gitClient.openWorkspace(access, head);
    await runGit(join(workspace.root, at), ['status']).catch(() => undefined);
    await workspace.close();
    expect(await sang()).toBe(true);
  });

  test('as filters, drivers, hooks and LFS settings runs none of them', async () => {
    const { access } = await serve({
      'page.md': 'one\n',
      '.gitattributes': '* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n',
      '.gitconfig': settings(),
      '.lfsconfig': `[lfs]\n\turl = http://127.0.0.1:1/\n[lfs "customtransfer.x"]\n\tpath = ${canary}\n`,
      'photo.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
      '.husky/post-checkout': { mode: '100755', content: `#!/bin/sh\n${program()}\n` },
      '.githooks/pre-push': { mode: '100755', content: `#!/bin/sh\n${program()}\n` },
    });
    await fullTurn(access);
    expect(await sang()).toBe(false);
  });

  test('as a submodule with an update command runs and fetches nothing', async () => {
    const { access, slug } = await serve({
      'page.md': 'one\n',
      '.gitmodules': `[submodule "lib"]\n\tpath = lib\n\turl = ext::sh -c touch% ${canary}\n\tupdate = !${program()}\n`,
      lib: { mode: '160000', content: '0123456789012345678901234567890123456789' },
    });
    await fullTurn(access);
    expect(await sang()).toBe(false);
    expect(server.requests.filter((request) => request.includes('lib'))).toEqual([]);
    expect(await server.files(slug, 'main')).toContain('lib');
  });

  test.for([['.git'], ['.GIT'], ['git~1'], ['.g\u200cit'], ['.git '], ['.git::$INDEX_ALLOCATION']])(
    'with a folder "%s" in its tree is refused before a file is written',
    async ([name = '']) => {
      const { access, head, slug } = await serve({ 'page.md': 'one\n', config: settings() });
      const tree = (await server.git(slug, ['rev-parse', `${head}^{tree}`])).trim();
      const evil = (await server.git(slug, ['mktree', '-z'], `040000 tree ${tree}\t${name}\0`)).trim();
      const who = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com'];
      const commit = (await server.git(slug, [...who, 'commit-tree', '-m', 'x', evil])).trim();
      await server.git(slug, ['update-ref', 'refs/heads/main', commit]);
      await expect(gitClient.openWorkspace(access, commit)).rejects.toMatchObject({
        code: 'bad_repository',
        passing: false,
      });
      expect(await sang()).toBe(false);
    },
  );
});

describe('links out of the tree', () => {
  const links = () =>
    serve({
      'page.md': 'one\n',
      'docs/real.md': 'real\n',
      passwd: { mode: '120000', content: '/etc/passwd' },
      outside: { mode: '120000', content: folder },
      'docs/up': { mode: '120000', content: '../../../..' },
    });

  test('are plain files here, and file tools refuse them', async () => {
    const { access, head } = await links();
    const workspace = await gitClient.openWorkspace(access, head);
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
      changeFiles(gitClient, access, head, ({ root }) =>
        writeFile(join(root, 'passwd'), '/root/.ssh/id_rsa'),
      ),
    ).rejects.toMatchObject({ code: 'forbidden_change', message: expect.stringContaining('"passwd"') });
    const { files } = await changeFiles(gitClient, access, head, async ({ root }) => {
      await rm(join(root, 'docs'), { recursive: true });
    });
    expect(files.map(({ path, status }) => `${status} ${path}`).toSorted()).toEqual([
      'deleted docs/real.md',
      'deleted docs/up',
    ]);
  });
});

describe('a program that works in the tree', () => {
  const refused = async (edit: (workspace: Workspace) => Promise<unknown>, files: SeedFiles = {}) => {
    const { access, head } = await serve({ 'page.md': 'one\n', 'docs/a.md': 'a\n', ...files });
    await expect(changeFiles(gitClient, access, head, edit)).rejects.toMatchObject({
      code: 'forbidden_change',
      passing: false,
    });
    expect(await sang()).toBe(false);
  };
  const who = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com'];

  test('cannot leave a link', () => refused(({ root }) => symlink('/etc/passwd', join(root, 'new'))));

  test('cannot put a link where a folder was', () =>
    refused(async ({ root }) => {
      await rm(join(root, 'docs'), { recursive: true });
      await symlink(folder, join(root, 'docs'));
    }));

  test('cannot put a FIFO where a file was', () =>
    refused(async ({ root }) => {
      await rm(join(root, 'page.md'));
      await run('mkfifo', [join(root, 'page.md')]);
    }));

  test('leaves a FIFO of its own behind for nothing, and nobody waits for it', async () => {
    const { access, head } = await serve({ 'page.md': 'one\n' });
    const { files } = await changeFiles(gitClient, access, head, async (workspace) => {
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
      await runGit(join(root, 'vendor'), [...who, 'commit', '-q', '-m', 'x']);
      await runGit(join(root, 'vendor'), ['config', 'core.fsmonitor', program()]);
    }));

  test('cannot fill a submodule with a repository that runs programs', () =>
    refused(
      async ({ root }) => {
        await runGit(root, ['init', '-q', 'lib']);
        await writeFile(join(root, 'lib', 'x.md'), 'x\n');
        await runGit(join(root, 'lib'), ['add', '-A']);
        await runGit(join(root, 'lib'), [...who, 'commit', '-q', '-m', 'x']);
        await runGit(join(root, 'lib'), ['config', 'core.fsmonitor', program()]);
      },
      { lib: { mode: '160000', content: '0123456789012345678901234567890123456789' } },
    ));

  test('cannot delete a submodule', () =>
    refused(({ root }) => rm(join(root, 'lib'), { recursive: true }), {
      lib: { mode: '160000', content: '0123456789012345678901234567890123456789' },
    }));

  test('changes the settings of its own repository for nobody but itself', async () => {
    const { access, head } = await serve({ 'page.md': 'one\n' });
    const { files } = await changeFiles(gitClient, access, head, async (workspace) => {
      await workspace.giveRepository();
      await writeFile(join(workspace.root, '.git', 'config'), settings(), { flag: 'a' });
      await mkdir(join(workspace.root, '.git', 'info'), { recursive: true });
      await writeFile(join(workspace.root, '.git', 'info', 'attributes'), '* filter=evil diff=evil\n');
      await writeFile(join(workspace.root, 'page.md'), 'two\n');
      expect((await collectChange(workspace, limits)).files).toHaveLength(1);
    });
    expect(files.map(({ path }) => path)).toEqual(['page.md']);
    expect(await sang()).toBe(false);
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
    const { access, head } = await serve({ 'page.md': 'one\n', [path]: 'original\n' });
    const edits: ((root: string) => Promise<unknown>)[] = [
      (root) => writeFile(join(root, path), 'changed\n'),
      (root) => rm(join(root, path)),
      async (root) => {
        await writeFile(join(root, 'moved.md'), await readFile(join(root, path)));
        await rm(join(root, path));
      },
    ];
    for (const edit of edits) {
      await expect(changeFiles(gitClient, access, head, ({ root }) => edit(root))).rejects.toMatchObject({
        code: 'forbidden_change',
        message: expect.stringContaining(JSON.stringify(path)),
      });
    }
    await expect(
      changeFiles(gitClient, access, head, (workspace) => folderOf(workspace).write(path, 'changed\n')),
    ).rejects.toThrow(ToolError);
  });
});
