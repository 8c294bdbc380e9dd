import { describe, expect, test } from 'vitest';
import { type ChangeFacts, cutUntrue, findUntrue } from '../../../server/jobs/text/claims.ts';

const facts: ChangeFacts = {
  changes: [
    { path: 'docs/a.md', change: 'edited' },
    { path: 'docs/new.md', change: 'added' },
    { path: 'docs/old.md', change: 'deleted' },
    { path: 'docs/to.md', from: 'docs/from.md', change: 'moved' },
    { path: 'mkdocs.yml', change: 'edited' },
  ],
  paths: ['docs/a.md', 'docs/b.md', 'docs/c.md', 'docs/old.md', 'docs/from.md', 'mkdocs.yml', 'README.md'],
  changesLinks: false,
  breaksLinks: false,
  canRun: false,
};
const judge = (sentence: string, more: Partial<ChangeFacts> = {}) =>
  findUntrue(`A title\n\n${sentence}`, { ...facts, ...more }).map(({ why }) => why);

describe('what a summary claims and the change lacks is found', () => {
  test.each([
    ['Updates docs/a.md and docs/b.md.', 'docs/b.md is not changed.'],
    ['Updated `a.md`, `b.md` and `c.md`.', 'b.md is not changed.'],
    ['Added the limits to docs/b.md.', 'docs/b.md is not changed.'],
    ['The limits in docs/b.md were corrected.', 'docs/b.md is not changed.'],
    ['docs/b.md now names the limits.', 'docs/b.md is not changed.'],
    ['- `docs/b.md`: names the limits', 'docs/b.md is not changed.'],
    ['Creates docs/guide.md.', 'docs/guide.md is not changed.'],
    ['Corrects the spelling in README.md', 'README.md is not changed.'],
    ['Deletes docs/a.md.', 'docs/a.md is not deleted.'],
    ['docs/a.md was removed.', 'docs/a.md is not deleted.'],
    ['Adds the page docs/a.md.', 'docs/a.md is not new.'],
    ['Renames docs/a.md to docs/keys.md.', 'docs/a.md is not moved or renamed.'],
    ['Adds three new pages.', 'The number of files that are added is 1, not 3.'],
    ['Deleted 2 pages.', 'The number of files that are deleted is 1, not 2.'],
    ['Updates 12 pages.', 'The number of files that are changed is 5, not 12.'],
    ['Fixes typos in 12 files.', 'The number of files that are changed is 5, not 12.'],
    ['7 files were changed.', 'The number of files that are changed is 5, not 7.'],
    ['Moved the page, and corrected the link in docs/b.md, too.', 'docs/b.md is not changed.'],
    ['Fixed all broken links.', 'No line with a link is changed.'],
    ['All links were updated.', 'No line with a link is changed.'],
    ['All tests pass.', expect.stringContaining('Nothing can be run')],
    ['I ran the test suite.', expect.stringContaining('Nothing can be run')],
    ['Verified in a browser.', expect.stringContaining('Nothing can be run')],
    ['I checked the page in Chrome and it looks fine.', expect.stringContaining('Nothing can be run')],
    ['The site builds without errors.', expect.stringContaining('Nothing can be run')],
    ['Tested the snippets.', expect.stringContaining('Nothing can be run')],
    ['- [x] I ran npm test', expect.stringContaining('Nothing can be run')],
    ['Updates docs/a.md and\ndocs/b.md.', 'docs/b.md is not changed.'],
  ])('%s', (sentence, why) => expect(judge(sentence)).toEqual([why]));

  test('a page that is said to be added, deleted or renamed where none is', () => {
    const more = { changes: [{ path: 'docs/a.md', change: 'edited' as const }] };
    expect(judge('Write the page.', more)).toEqual([]);
    expect(judge('Adds a page about keys.', more)).toEqual(['No file is added.']);
    expect(judge('Removes the page on keys.', more)).toEqual(['No file is deleted.']);
    expect(judge('Renames the page.', more)).toEqual(['No file is moved or renamed.']);
  });

  test('links that are said to work, while the checks find broken ones', () => {
    expect(judge('All links work.', { breaksLinks: true })).toEqual([
      'The checks still find links that lead nowhere.',
    ]);
  });
});

describe('what is so, or claims nothing, stays', () => {
  test.each([
    'Updates docs/a.md, adds docs/new.md and deletes docs/old.md.',
    'Moves docs/from.md to docs/to.md, and adds it to mkdocs.yml.',
    'Updates docs/a.md, as docs/b.md says that the limit is 100.',
    'The limit is 100 (docs/b.md:12, README.md line 4).',
    'Adds a link to docs/b.md in docs/a.md.',
    'Adds docs/new.md to the navigation.',
    'Removes docs/b.md from the navigation in mkdocs.yml.',
    'docs/b.md is left as it was.',
    'docs/b.md still needs to be updated.',
    'I did not change docs/b.md, docs/c.md or README.md.',
    'Leaves docs/b.md unchanged.',
    'Changes the wording to match docs/b.md.',
    'Adds a page about keys, and removes the old one.',
    'Changes 5 files.',
    'Fixes typos in 2 pages.',
    'AI clients read 12 pages, of which 3 pages link here.',
    'I looked at 40 pages.',
    'Explains what to do when tests pass.',
    'The page says that all tests pass.',
    'I could not run the tests.',
    'Not verified in a browser.',
    'Please check it in a browser.',
    '- [ ] I ran the site',
    'Explain how to run the tests',
    'I searched the code for examples.',
    '```sh\nRan the tests: all tests pass. Updates docs/b.md.\n```',
    '> Updates docs/b.md.',
    'All links of the page are listed.',
    'Adds a page title.',
    'See https://example.com/docs/b.md for the rest.',
  ])('%s', (sentence) => expect(judge(sentence)).toEqual([]));

  test('an agent that has a shell may have run the tests', () => {
    expect(judge('All tests pass.', { canRun: true })).toEqual([]);
  });
});

test('only the sentence is cut, and a title as a whole', () => {
  const text =
    'Update docs/b.md\n\nUpdates docs/a.md. Updates docs/b.md too. It says why.\n\n- docs/a.md: limits\n- docs/c.md: limits\n';
  expect(cutUntrue(text, facts).text).toBe('\n\nUpdates docs/a.md. It says why.\n\n- docs/a.md: limits');
});

test('a long text is judged in time that grows with its length', async () => {
  const words = [
    'Updates',
    'docs/b.md,',
    'all',
    'links',
    'in',
    '3',
    'pages',
    'a.b.c/',
    'tests',
    '``',
    '((',
    '.',
  ];
  const make = (size: number) =>
    Array.from({ length: size }, (_, i) => words[(i * 7) % words.length]).join(' ');
  const took = (size: number) => {
    const text = make(size);
    const start = performance.now();
    for (let times = 0; times < 20; times += 1) findUntrue(text, facts);
    return performance.now() - start;
  };
  // Forty times as long; the square of that would be 1,600.
  await expect.poll(() => took(20_000) / took(500)).toBeLessThan(300);
});
