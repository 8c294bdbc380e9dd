import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testTitles } from './support/test-titles.ts';

const root = join(import.meta.dirname, '..');

/** By subject: what is promised, and the tests that hold it or the reason why there is none. */
const promises: Record<string, Record<string, string[] | string>> = JSON.parse(
  readFileSync(join(root, 'test/promises.json'), 'utf8'),
);

const titlesOf = (file: string) =>
  file.startsWith('test/') && existsSync(join(root, file)) ? testTitles(join(root, file)) : [];

/** `test/file.test.ts › group › title`, where the groups may be left out, or the title for all of the group. */
function isHeld(reference: string): boolean {
  const [file = '', ...title] = reference.split(' › ').map((part) => part.trim());
  if (title.length === 0) return false;
  return titlesOf(file).some((whole) => ` › ${whole.join(' › ')} › `.includes(` › ${title.join(' › ')} › `));
}

/** The tests that a promise names and that are not there; a promise without a test gives the reason. */
function faultsOf([promise, heldBy]: [string, string[] | string]): string[] {
  if (typeof heldBy === 'string') return /^No test: .{10}/.test(heldBy) ? [] : [`${promise}: no reason`];
  if (heldBy.length === 0) return [`${promise}: names no test`];
  return heldBy.filter((reference) => !isHeld(reference)).map((reference) => `${promise}: ${reference}`);
}

test('every promise names tests that are there, or says why there is none', () => {
  const rows = Object.values(promises).flatMap(Object.entries);
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.flatMap(faultsOf)).toEqual([]);
});

test('no promise stands twice', () => {
  const written: string[] =
    readFileSync(join(root, 'test/promises.json'), 'utf8').match(/^ {4}".*(?=": )/gm) ?? [];
  expect(written.length).toBeGreaterThan(50);
  expect(written.filter((promise, index) => written.indexOf(promise) !== index)).toEqual([]);
});

test.each([
  ['a test of another name', ['test/reliability.test.ts › no promise stands thrice']],
  ['a file that is not there', ['test/reliable.test.ts › no promise stands twice']],
  ['a part of a name', ['test/reliability.test.ts › no promise stands']],
  ['a file alone', ['test/reliability.test.ts']],
  ['nothing', []],
  ['no reason', 'No test:'],
  [
    'one of two that is not there',
    ['test/reliability.test.ts › no promise stands twice', 'test/reliability.test.ts › none'],
  ],
])('%s holds no promise', (_what, heldBy) => {
  expect(faultsOf(['a promise', heldBy])).toHaveLength(1);
});
