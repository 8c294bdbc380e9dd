import { describe, expect, test } from 'vitest';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import { open, useForges } from '../../support/forge/forges.ts';

useForges();

/** Whom a CODEOWNERS names for some files, and whether it names anybody. */
async function ownersOf(kind: ForgeKind, text: string, paths: string[], at = 'CODEOWNERS') {
  const readFirst = async (files: readonly string[]) => (files.includes(at) ? text : undefined);
  const { reviewers, areNamed } = await open(kind).findOwners({ paths, readFirst });
  return { names: reviewers.map(({ name }) => name), areNamed };
}

describe('CODEOWNERS of GitHub', () => {
  test.each([
    ['*', 'docs/a/page.md', true],
    ['*.md', 'docs/page.md', true],
    ['page.md', 'docs/page.md', true],
    ['/page.md', 'docs/page.md', false],
    ['docs', 'docs/a/page.md', true],
    ['docs/', 'docs/a/page.md', true],
    ['docs/', 'docs', false],
    ['a/', 'docs/a/page.md', true],
    ['/docs/', 'old/docs/page.md', false],
    ['docs/*', 'docs/page.md', true],
    ['docs/*', 'docs/a/page.md', false],
    ['docs/**', 'docs/a/page.md', true],
    ['**/a', 'docs/a/page.md', true],
    ['docs/**/page.md', 'docs/page.md', true],
    ['docs/p?ge.md', 'docs/page.md', true],
    ['docs/my\\ page.md', 'docs/my page.md', true],
    ['docs/?.md', 'docs/😀.md', true],
    ['docs/(a)+{b,c}@!.md', 'docs/(a)+{b,c}@!.md', true],
    ['docs/{a,b}.md', 'docs/a.md', false],
    ['docs/+(a).md', 'docs/aa.md', false],
    ['*/**', 'README.md', false],
    ['!docs', 'docs/page.md', false],
    ['docs/[p]age.md', 'docs/page.md', false],
    ['\\#docs', '#docs', false],
  ])('%s is meant by %s: %s', async (pattern, path, isMeant) => {
    const { areNamed } = await ownersOf('github', `${pattern} @bert # because`, [path]);
    expect(areNamed).toBe(isMeant);
  });

  test('the last rule that matches holds, also where it names nobody', async () => {
    const text = '# Ours\n* @ada\n/docs/ @bert @acme/writers\n\n/docs/generated/\n';
    const paths = ['docs/generated/a.md', 'docs/b.md', 'docs/c.md', 'README.md'];
    expect((await ownersOf('github', text, paths)).names).toEqual(['bert', 'acme/writers', 'ada']);
    expect(await ownersOf('github', text, ['docs/generated/a.md'])).toEqual({ names: [], areNamed: false });
  });

  test('mail addresses name somebody whom GitHub alone can ask', async () => {
    expect(await ownersOf('github', '* ada@example.com\n', ['a.md'])).toEqual({ names: [], areNamed: true });
  });

  test('it is looked for where GitHub does', async () => {
    for (const [at, isFound] of [
      ['.github/CODEOWNERS', true],
      ['docs/CODEOWNERS', true],
      ['.gitlab/CODEOWNERS', false],
    ] as const) {
      expect(await ownersOf('github', '* @bert', ['a.md'], at)).toMatchObject({ areNamed: isFound });
    }
  });

  test('hostile patterns take no time', async () => {
    const text = `${`${'*a'.repeat(2_000)}b @bert\n`.repeat(5)}${'**/*/'.repeat(500)}x @bert\n`;
    const paths = [`docs/${'a'.repeat(200)}.md`, `${'a/'.repeat(200)}b`];
    expect(await ownersOf('github', text, paths)).toEqual({ names: [], areNamed: false });
  });
});

describe('CODEOWNERS of GitLab', () => {
  test('each section has its own last rule, its usual owners, and what it leaves out', async () => {
    const text = `* @mallory
[Docs][2] @bert @@maintainer
docs/
docs/p[!b-z]ge.md
^[Pages] @ada
*.md @acme grace@example.com
[docs]
/docs/other.md @ada
[None] @ada
docs/
!docs/page.md
docs/page.md @ada
`;
    const names = ['mallory', 'bert', 'grace'];
    expect(await ownersOf('gitlab', text, ['docs/page.md'])).toEqual({ names, areNamed: true });
  });

  test.each([
    ['docs', 'docs/page.md', false],
    ['docs/', 'old/docs/a/page.md', true],
    ['/docs/', 'old/docs/page.md', false],
    ['*', 'docs/page.md', true],
    ['/docs/*', 'docs/a/page.md', false],
    ['/docs/[!a-c]*', 'docs/😀.md', true],
    ['/docs/[!a-c]*', 'docs/b.md', false],
    ['/docs/[]x]y', 'docs/]y', true],
    ['/docs/[a/b]', 'docs/[a/b]', true],
    ['\\#page.md', 'docs/#page.md', true],
  ])('%s is meant by %s: %s', async (pattern, path, isMeant) => {
    expect(await ownersOf('gitlab', `${pattern} @bert`, [path])).toMatchObject({ areNamed: isMeant });
  });
});
