import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockersOf, parseBranch, parseRef } from '../../../server/jobs/git/git-client.ts';
import { parseRepository } from '../../../server/jobs/git/repository.ts';
import { redactTokens } from '../../../server/jobs/text/redaction.ts';
import { anyCharacter } from '../../support/any-character.ts';

const run = promisify(execFile);

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
      fc.string({ unit: anyCharacter, maxLength: 8 }),
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
      const hidden = redactTokens(text, [secret]);
      expect(hidden).not.toContain('4711');
      expect(Buffer.from(hidden.split(' ')[2] ?? '', 'base64').toString()).not.toContain('4711/sec');
      expect(hidden).toContain('end');
    }
  }
});
