import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProtection, parsePath } from '../server/jobs/path.ts';
import { blockersOf, parseBranch, parseRef } from '../server/jobs/ref.ts';
import { parseRepository } from '../server/jobs/repository.ts';
import { hideSecrets } from '../server/jobs/secret.ts';
import { readInside, resolveForChange, resolveInside, writeInside } from '../server/jobs/tree.ts';

const run = promisify(execFile);
let folder = '';
let tree = { root: '', links: new Set<string>() };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-tree-'));
  tree = { root: join(folder, 'tree'), links: new Set(['git-link', 'git-module']) };
  await mkdir(join(tree.root, 'docs', 'deep'), { recursive: true });
  await mkdir(join(tree.root, 'git-module'));
  await writeFile(join(folder, 'secret.txt'), 'outside\n');
  await writeFile(join(tree.root, 'page.md'), 'one\r\ntwo\r\n');
  await writeFile(join(tree.root, 'git-link'), '../secret.txt');
  await writeFile(join(tree.root, 'docs', 'binary.bin'), Buffer.from([1, 2, 0, 3]));
  await writeFile(
    join(tree.root, 'docs', 'utf16.txt'),
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('hi', 'utf16le')]),
  );
  await writeFile(join(tree.root, 'docs', 'latin.txt'), Buffer.from([0x63, 0xe9]));
  await writeFile(join(tree.root, 'docs', 'large.txt'), 'x'.repeat(2000));
  await symlink('../secret.txt', join(tree.root, 'link'));
  await symlink('..', join(tree.root, 'up'));
  await symlink('page.md', join(tree.root, 'inner-link'));
  await run('mkfifo', [join(tree.root, 'pipe')]);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('a path that the agent names', () => {
  test.for([
    ['/etc/passwd'],
    ['../secret.txt'],
    ['docs/../../secret.txt'],
    ['docs/./page.md'],
    ['..'],
    ['docs//page.md'],
    ['docs\\page.md'],
    ['C:/Windows'],
    ['~/.ssh/id_rsa'],
    ['page.md\0.png'],
    ['page\n.md'],
    [`docs/${'x'.repeat(300)}`],
    ['x/'.repeat(600)],
    ['\ud800.md'],
    ['.git'],
    ['.git/config'],
    ['docs/.git/hooks/pre-commit'],
    ['.GIT/config'],
    ['.Git'],
    ['.git.'],
    ['.git '],
    ['.git. . /config'],
    ['.g\u200cit/config'],
    ['\ufeff.git/config'],
    ['.gi\u202et'],
    ['.git::$INDEX_ALLOCATION/config'],
    ['.git:stream'],
    ['git~1'],
    ['GIT~1/config'],
    ['GIT~12'],
    ['gi7eba~1'],
    ['link'],
    ['up/secret.txt'],
    ['up'],
    ['inner-link'],
    ['git-link'],
    ['git-module/new.md'],
    ['pipe'],
    ['page.md/new.md'],
  ])('%j is refused for reading and for changing', async ([path = '']) => {
    for (const use of [
      () => resolveInside(tree, path),
      () => readInside(tree, path, 1000),
      () => resolveForChange(tree, path),
      () => writeInside(tree, path, 'x'),
    ]) {
      await expect(use()).rejects.toMatchObject({ code: 'bad_path', passing: false });
    }
    expect(await readFile(join(folder, 'secret.txt'), 'utf8')).toBe('outside\n');
  });

  test('a socket is refused', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(tree.root, 'socket'), resolve));
    await expect(resolveInside(tree, 'socket')).rejects.toMatchObject({ code: 'bad_path' });
    server.close();
  });

  test.for([
    ['page.md', 'page.md', 'file'],
    ['./page.md', 'page.md', 'file'],
    ['docs/', 'docs', 'folder'],
    ['docs/deep', 'docs/deep', 'folder'],
    ['', '', 'folder'],
    ['.', '', 'folder'],
    ['docs/new/more.md', 'docs/new/more.md', 'missing'],
    ['.github/ISSUE_TEMPLATE.md', '.github/ISSUE_TEMPLATE.md', 'missing'],
    ['a..b/...md', 'a..b/...md', 'missing'],
    ['digit~1.md', 'digit~1.md', 'missing'],
    ['.gitignore', '.gitignore', 'missing'],
    ['ünï cödé/✓.md', 'ünï cödé/✓.md', 'missing'],
  ])('%j is %j, a %s', async ([path = '', relative, kind]) => {
    expect(await resolveInside(tree, path)).toMatchObject({
      path: relative,
      kind,
      absolute: join(tree.root, relative ?? ''),
    });
  });

  test('whatever its characters, never leads out of the tree', async () => {
    const parts = fc.constantFrom(
      '..',
      '.',
      '',
      '/',
      'up',
      'link',
      'docs',
      '.git',
      'x',
      '\\',
      '~',
      'C:',
      '\u200c',
      ' ',
    );
    const path = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts, { maxLength: 8 }).map((all) => all.join('/')),
    );
    const property = fc.asyncProperty(path, async (text) => {
      const place = await resolveInside(tree, text).catch((error: { code: string }) => error.code);
      if (typeof place === 'string') expect(place).toBe('bad_path');
      else {
        expect(`${place.absolute}/`.startsWith(`${tree.root}/`)).toBe(true);
        expect(place.absolute.split('/')).not.toContain('..');
        expect(parsePath(place.path)).toBe(place.path);
      }
    });
    await fc.assert(property, { numRuns: 1000 });
  });
});

describe('a file in the tree', () => {
  test('is read with its line ends as they are', async () => {
    expect(await readInside(tree, 'page.md', 1000)).toBe('one\r\ntwo\r\n');
  });

  test.for([
    ['docs/binary.bin', /binary/],
    ['docs/utf16.txt', /UTF-16/],
    ['docs/latin.txt', /not valid UTF-8/],
    ['docs/large.txt', /2000 bytes, and at most 1000/],
    ['docs', /folder/],
    ['docs/none.md', /no such file/],
  ] as const)('%s is not read', async ([path, reason]) => {
    await expect(readInside(tree, path, 1000)).rejects.toMatchObject({
      code: 'bad_path',
      message: expect.stringMatching(reason),
    });
  });

  test('is written with the folders it needs, and keeps its mode', async () => {
    await writeInside(tree, 'new/deep/page.md', 'hello\n');
    expect(await readInside(tree, 'new/deep/page.md', 1000)).toBe('hello\n');
    await writeFile(join(tree.root, 'run.sh'), 'a much longer text than the next one\n', { mode: 0o755 });
    await writeInside(tree, 'run.sh', 'short\n');
    expect(await readInside(tree, 'run.sh', 1000)).toBe('short\n');
    expect((await stat(join(tree.root, 'run.sh'))).mode & 0o777).toBe(0o755);
  });

  test.for([
    ['.github/workflows/x.yml'],
    ['.gitattributes'],
    ['docs/.GitAttributes'],
    ['.gitlab-ci.yml'],
    ['.husky/x'],
  ])('%s can be read but not written, also in other spellings', async ([path = '']) => {
    await expect(writeInside(tree, path, 'x')).rejects.toMatchObject({ code: 'bad_path' });
    expect(await resolveInside(tree, path)).toMatchObject({ kind: 'missing' });
  });

  test.for([
    ['README.md'],
    ['.github/FUNDING.yml'],
    ['docs/workflows/a.md'],
    ['github/workflows/a.yml'],
    ['.gitignore'],
  ])('%s is not protected', ([path = '']) => {
    expect(findProtection(path)).toBeUndefined();
  });
});

describe('a branch', () => {
  test.for([
    ['@', ''],
    ['', ''],
    ['-', 'job'],
    ['--upload-pack=x', ''],
    ['+', 'main'],
    ['refs/heads/', 'job'],
    ['a/../', 'b'],
    ['a//', 'b'],
    ['/', 'job'],
    ['.hidden/', 'job'],
    ['a.lock/', 'b'],
    ['a', '.lock'],
    ['a', '.'],
    ['a@{', '1}'],
    ['a b/', 'c'],
    ['a\u00a0/\u200b', 'c'],
    ['a~', '1'],
    ['a^', ''],
    ['a:', 'b'],
    ['a?', ''],
    ['a*', ''],
    ['a[', ''],
    ['a\\', 'b'],
    ['a\u0007', 'b'],
    ['a\nb', ''],
    ['HEAD', ''],
    ['0123456789012345678901234567890123456789', ''],
    ['x'.repeat(300), ''],
    ['\ud800', ''],
  ] as const)('with prefix %j and name %j is refused', ([prefix, name]) => {
    expect(() => parseBranch(prefix, name)).toThrow(
      expect.objectContaining({ code: 'bad_ref', passing: false }),
    );
  });

  test('that is accepted is one that git accepts too', async () => {
    const part = fc.constantFrom(
      'a',
      '/',
      '.',
      '@',
      '{',
      '-',
      '.lock',
      '~',
      ' ',
      'ü',
      '..',
      '\\',
      '\u007f',
      '*',
      'HEAD',
    );
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.array(part, { maxLength: 5 }).map((all) => all.join('')),
    );
    let accepted = 0;
    const property = fc.asyncProperty(name, async (text) => {
      try {
        parseBranch('', text);
      } catch {
        return;
      }
      accepted++;
      await run('git', ['check-ref-format', '--branch', text]);
    });
    await fc.assert(property, { numRuns: 400 });
    expect(accepted).toBeGreaterThan(20);
  });

  test('is blocked by those whose name is its beginning', () => {
    expect(blockersOf('a/b/c')).toEqual(['a', 'a/b']);
    expect(blockersOf('a')).toEqual([]);
  });

  test('may have a prefix without a slash, and letters of any script', () => {
    expect(parseBranch('bot-', 'job_1')).toBe('bot-job_1');
    expect(parseRef('größe/ñ')).toEqual({ kind: 'branch_or_tag', name: 'größe/ñ' });
  });
});

describe('the address of a repository', () => {
  test.for([
    ['https://github.com/ada/site', 'https://github.com/ada/site', 'ada/site'],
    ['https://github.com/ada/site.git/', 'https://github.com/ada/site.git', 'ada/site'],
    [
      'https://git.example.com:8443/group/sub/site.git',
      'https://git.example.com:8443/group/sub/site.git',
      'group/sub/site',
    ],
    ['HTTPS://GitHub.com/Ada/Site', 'https://github.com/Ada/Site', 'Ada/Site'],
  ])('%s is understood', ([address = '', url, slug]) => {
    expect(parseRepository(address, ['https'])).toMatchObject({ url, slug, origin: new URL(address).origin });
  });

  test.for([
    ['http://github.com/ada/site', 'protocol'],
    ['file:///srv/site.git', 'protocol'],
    ['ssh://git@github.com/ada/site', 'protocol'],
    ['ext::sh -c id', 'bad_repository'],
    ['git@github.com:ada/site.git', 'bad_repository'],
    ['github.com/ada/site', 'bad_repository'],
    ['https://github.com/', 'bad_repository'],
    ['https://github.com/ada/site?x=1', 'bad_repository'],
    ['https://github.com/ada/site#x', 'bad_repository'],
    ['https://github.com/ada/%2e%2e/site', 'bad_repository'],
    ['https://github.com/ada%2fsite', 'bad_repository'],
    ['https://github.com/ada/%ff', 'bad_repository'],
    ['https://github.com/ada/site\n', 'bad_repository'],
    ['', 'bad_repository'],
    ['https://ghp_4711secret@github.com/ada/site', 'bad_repository'],
    ['https://user:ghp_4711secret@github.com/ada/site', 'bad_repository'],
    ['user:ghp_4711secret@github.com/ada/site', 'bad_repository'],
  ] as const)('%j is refused as %s, without telling a token', ([address, code]) => {
    const attempt = () => parseRepository(address, ['https']);
    expect(attempt).toThrow(expect.objectContaining({ code, passing: false }));
    expect(attempt).not.toThrow(/4711secret/);
  });

  test('may use http and file where the operator allows it', () => {
    const allowed = ['https', 'http', 'file'];
    expect(parseRepository('http://localhost:3000/a/b', allowed).origin).toBe('http://localhost:3000');
    expect(parseRepository('file:///srv/a/b.git', allowed)).toMatchObject({
      url: 'file:///srv/a/b.git',
      slug: 'srv/a/b',
    });
  });
});

test('a secret is hidden in plain, percent-encoded and in base64 at every offset', () => {
  const secret = 'ghp_4711/secret+value';
  for (const before of ['', 'u', 'us', 'x-access-token:']) {
    for (const after of ['', '\n', '!!', '???']) {
      const encoded = Buffer.from(`${before}${secret}${after}`).toString('base64');
      const text = `${secret} ${encodeURIComponent(secret)} ${encoded} end`;
      const hidden = hideSecrets(text, [secret]);
      expect(hidden).not.toContain('4711');
      expect(Buffer.from(hidden.split(' ')[2] ?? '', 'base64').toString()).not.toContain('4711/sec');
      expect(hidden).toContain('end');
    }
  }
});
