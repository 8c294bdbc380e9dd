import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { collectChange } from '../../../server/jobs/git/change.ts';
import { gitRun } from '../../support/git/git-run.ts';
import { runGit } from '../../support/git/git-server.ts';
import { accessTo, changeFiles, limits, runTurn } from '../../support/jobs/git-client.ts';

const run = gitRun();

describe('a change', () => {
  const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('hello\r\nthere\n', 'utf16le')]);
  const binary = Buffer.from(Array.from({ length: 3000 }, (_unused, index) => (index * 7) % 256));

  beforeAll(async () => {
    await run.server.createRepository('ada/site', {
      'README.md': '# Site\n',
      'docs/long.md': Array.from({ length: 60 }, (_unused, index) => `line ${index}\n`).join(''),
      'docs/crlf.txt': 'one\r\ntwo\r\nthree\r\n',
      'docs/latin.txt': latin,
      'docs/utf16.txt': utf16,
      'docs/photo.png': binary,
      'docs/bare.txt': 'no line end',
      'run.sh': { mode: '100755', content: 'echo hi\n' },
      'old/one.md': 'one\n',
      'old/two.md': 'two\n',
      '.gitignore': '*.log\nbuild/\n',
      'odd "name"\ttab.md': 'odd\n',
      'ünï/çødé.md': 'x\n',
      // Each of these would turn line ends or encodings around on the way in or out.
      '.gitattributes': '*.txt text eol=crlf\n*.md text=auto ident\n*utf16* working-tree-encoding=UTF-16\n',
    });
  });

  const site = () => accessTo(run.server.urlOf('ada/site'));
  const headOf = async (slug: string) => (await run.server.refs(slug))['refs/heads/main'] ?? '';

  async function change(edit: (root: string) => Promise<unknown>) {
    return await changeFiles(run.gitClient, site(), await headOf('ada/site'), (tree) => edit(tree.root));
  }

  test('nothing done is no change', async () => {
    const { files, patch } = await change(async () => undefined);
    expect(files).toEqual([]);
    expect(patch).toHaveLength(0);
  });

  test('an edit that was taken back is no change', async () => {
    const { files } = await change(async (root) => {
      await writeFile(join(root, 'README.md'), 'other\n');
      await writeFile(join(root, 'README.md'), '# Site\n');
      await writeFile(join(root, 'new.md'), 'x');
      await rm(join(root, 'new.md'));
    });
    expect(files).toEqual([]);
  });

  test('files are checked out byte for byte, whatever the attributes say', async () => {
    await change(async (root) => {
      expect(await readFile(join(root, 'docs/crlf.txt'), 'latin1')).toBe('one\r\ntwo\r\nthree\r\n');
      expect(await readFile(join(root, 'docs/utf16.txt'))).toEqual(utf16);
      expect(await readFile(join(root, 'docs/latin.txt'))).toEqual(latin);
      expect((await stat(join(root, 'run.sh'))).mode & 0o111).toBe(0o111);
    });
  });

  test('every kind of change is listed and comes out the same on the branch', async () => {
    const { plan, change: made } = await runTurn(run.gitClient, site(), async ({ root }) => {
      await writeFile(join(root, 'README.md'), '# Better site\nmore\n');
      await writeFile(join(root, 'docs/crlf.txt'), 'one\r\n2\r\nthree\r\n');
      await writeFile(join(root, 'docs/utf16.txt'), Buffer.concat([utf16, Buffer.from('!', 'utf16le')]));
      await writeFile(join(root, 'docs/latin.txt'), Buffer.concat([latin, latin]));
      await writeFile(join(root, 'docs/photo.png'), binary.toReversed());
      await writeFile(join(root, 'docs/bare.txt'), 'still no line end');
      await chmod(join(root, 'run.sh'), 0o644);
      await rename(join(root, 'docs/long.md'), join(root, 'docs/renamed.md'));
      await rm(join(root, 'odd "name"\ttab.md'));
      await rm(join(root, 'old'), { recursive: true });
      await writeFile(join(root, 'old'), 'a file where a folder was\n');
      await rm(join(root, 'ünï/çødé.md'));
      await mkdir(join(root, 'ünï/çødé.md'));
      await writeFile(join(root, 'ünï/çødé.md/index.md'), 'a folder where a file was\n');
      await writeFile(join(root, 'skipped.log'), 'ignored');
    });
    const listed = made.files.map(({ path, status, from, mode, additions, deletions }) => [
      path,
      status,
      from,
      mode,
      additions,
      deletions,
    ]);
    expect(listed.toSorted()).toEqual(
      [
        ['README.md', 'modified', undefined, undefined, 2, 1],
        ['docs/bare.txt', 'modified', undefined, undefined, 1, 1],
        ['docs/crlf.txt', 'modified', undefined, undefined, 1, 1],
        ['docs/latin.txt', 'modified', undefined, undefined, 1, 0],
        ['docs/photo.png', 'modified', undefined, undefined, undefined, undefined],
        ['docs/renamed.md', 'renamed', 'docs/long.md', undefined, 0, 0],
        ['docs/utf16.txt', 'modified', undefined, undefined, undefined, undefined],
        ['odd "name"\ttab.md', 'deleted', undefined, undefined, 0, 1],
        ['old', 'added', undefined, '100644', 1, 0],
        ['old/one.md', 'deleted', undefined, undefined, 0, 1],
        ['old/two.md', 'deleted', undefined, undefined, 0, 1],
        ['run.sh', 'modified', undefined, '100644', 0, 0],
        ['ünï/çødé.md', 'deleted', undefined, undefined, 0, 1],
        ['ünï/çødé.md/index.md', 'added', undefined, '100644', 1, 0],
      ].toSorted(),
    );
    expect(made.ignored).toEqual(['skipped.log']);
    expect(await run.gitClient.push(site(), plan)).toEqual({ kind: 'pushed' });

    expect(await run.server.git('ada/site', ['rev-parse', `${plan.commit}^{tree}`])).toBe(`${made.tree}\n`);
    expect(await run.server.read('ada/site', plan.branch, 'docs/crlf.txt')).toBe('one\r\n2\r\nthree\r\n');
    const checkout = await runGit(run.server.root, [
      '--git-dir',
      run.server.pathOf('ada/site'),
      'ls-tree',
      '-r',
      plan.branch,
    ]);
    expect(checkout).toContain('100644 blob');
    expect(checkout).toMatch(/100644 .*\trun\.sh/);
    const files = await run.server.files('ada/site', plan.branch);
    expect(files).not.toContain('skipped.log');
    expect(files).not.toContain('docs/long.md');
  });

  test('a file that was only touched is no change', async () => {
    const { files } = await change(async (root) => {
      const text = await readFile(join(root, 'docs/crlf.txt'));
      await rm(join(root, 'docs/crlf.txt'));
      await writeFile(join(root, 'docs/crlf.txt'), text);
    });
    expect(files).toEqual([]);
  });

  test('too many files end the turn with the number that is allowed', async () => {
    const edit = async (root: string) => {
      for (let index = 0; index <= limits.maxFiles; index++) await writeFile(join(root, `new-${index}`), 'x');
    };
    await expect(change(edit)).rejects.toMatchObject({
      code: 'too_large',
      passing: false,
      message: `The turn changed ${limits.maxFiles + 1} files; it may change at most ${limits.maxFiles}.`,
    });
  });

  test('a patch that is too large ends the turn with the size that is allowed', async () => {
    const edit = (root: string) => writeFile(join(root, 'big.md'), 'word '.repeat(limits.maxBytes / 4));
    await expect(change(edit)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining(`${limits.maxBytes} bytes`),
    });
  });

  test('a changed file whose name is not UTF-8 is not lost in silence', async () => {
    const name = Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9]), Buffer.from('.md')]);
    await expect(
      change((root) => writeFile(Buffer.concat([Buffer.from(`${root}/`), name]), 'x\n')),
    ).rejects.toMatchObject({ code: 'forbidden_change', message: expect.stringContaining('UTF-8') });
  });

  test('goes no further than the content and what the project names, whoever made it', async () => {
    const url = await run.server.createRepository('ada/content', {
      'a.md': 'a\n'.repeat(50),
      'package.json': '{}\n',
      'mkdocs.yml': 'nav:\n  - a.md\nhooks:\n  - h.py\n',
      'page.mdx': 'Text.\n',
      'big.png': 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n',
      'data/site.yml': 'a: 1\n',
    });
    const head = await headOf('ada/content');
    const edits: Record<string, (root: string) => Promise<unknown>> = {
      'package.json': (root) => writeFile(join(root, 'package.json'), '{"scripts":{}}\n'),
      'b/next.config.js': async (root) => {
        await mkdir(join(root, 'b'));
        await rename(join(root, 'a.md'), join(root, 'b/next.config.js'));
      },
      'a.md': (root) => chmod(join(root, 'a.md'), 0o755),
      'mkdocs.yml': (root) => writeFile(join(root, 'mkdocs.yml'), 'nav:\n  - a.md\nhooks:\n  - x.py\n'),
      'page.mdx': (root) => writeFile(join(root, 'page.mdx'), 'Text {evil()}.\n'),
      'big.png': async (root) => {
        const text = await readFile(join(root, 'big.png'), 'utf8');
        await writeFile(join(root, 'big.png'), text.replace('4d7a', 'beef'));
      },
    };
    const content = { ...limits, paths: ['data/**'] };
    for (const [path, edit] of Object.entries(edits)) {
      const workspace = await run.gitClient.openWorkspace(accessTo(url), head);
      await edit(workspace.root);
      await expect(collectChange(workspace, content), path).rejects.toMatchObject({
        code: 'forbidden_change',
        message: expect.stringContaining(JSON.stringify(path)),
      });
      await workspace.close();
    }
    const workspace = await run.gitClient.openWorkspace(accessTo(url), head);
    await writeFile(join(workspace.root, 'data/site.yml'), 'a: 2\n');
    await writeFile(join(workspace.root, 'mkdocs.yml'), 'nav:\n  - a.md\n  - b.md\nhooks:\n  - h.py\n');
    await rename(join(workspace.root, 'big.png'), join(workspace.root, 'large.png'));
    const { files } = await collectChange(workspace, content);
    expect(files.map(({ path }) => path)).toEqual(['data/site.yml', 'large.png', 'mkdocs.yml']);
    await workspace.close();
  });
});
