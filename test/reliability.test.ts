import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked, type Tokens } from 'marked';
import { expect, test } from 'vitest';
import { testTitles } from './support/test-titles.ts';

const root = join(import.meta.dirname, '..');

/** The cells of all tables that begin with a promise: what is promised, and what holds it. */
function promisesOf(page: string): string[][] {
  const tables = marked.lexer(page).filter((token): token is Tokens.Table => token.type === 'table');
  return tables
    .filter(({ header }) => header[0]?.text === 'promise')
    .flatMap(({ rows }) => rows.map((cells) => cells.map(({ text }) => text)));
}

const titlesOf = (file: string) =>
  file.startsWith('test/') && existsSync(join(root, file)) ? testTitles(join(root, file)) : [];

/** `` `test/file.test.ts` › group › title``, where the groups may be left out, or the title for all of the group. */
function isHeld(reference: string): boolean {
  const [file = '', ...title] = reference.split(' › ').map((part) => part.trim());
  const path = /^`(.+)`$/.exec(file)?.[1] ?? '';
  if (title.length === 0) return false;
  return titlesOf(path).some((whole) => ` › ${whole.join(' › ')} › `.includes(` › ${title.join(' › ')} › `));
}

/** What a row says of tests that are not there; a row without a test gives the reason. */
function faultsOf([promise = '', heldBy = '']: string[]): string[] {
  if (/^No test: .{10}/.test(heldBy)) return [];
  const references = heldBy.split('<br>').map((reference) => reference.trim());
  return references
    .filter((reference) => !isHeld(reference))
    .map((reference) => `${promise}: ${reference || 'names no test'}`);
}

test('every promise names tests that are there, or says why there is none', () => {
  const rows = promisesOf(readFileSync(join(root, 'docs/reliability.md'), 'utf8'));
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.flatMap(faultsOf)).toEqual([]);
});

test('no promise stands twice', () => {
  const promises = promisesOf(readFileSync(join(root, 'docs/reliability.md'), 'utf8')).map(
    ([first]) => first,
  );
  expect(promises.filter((promise, index) => promises.indexOf(promise) !== index)).toEqual([]);
});

test.each([
  ['a test of another name', '`test/reliability.test.ts` › no promise stands thrice'],
  ['a file that is not there', '`test/reliable.test.ts` › no promise stands twice'],
  ['a part of a name', '`test/reliability.test.ts` › no promise stands'],
  ['a file alone', '`test/reliability.test.ts`'],
  ['nothing', ''],
  ['no reason', 'No test:'],
  [
    'one of two that is not there',
    '`test/reliability.test.ts` › no promise stands twice<br>`test/reliability.test.ts` › none',
  ],
])('%s holds no promise', (_what, heldBy) => {
  expect(faultsOf(['a promise', heldBy])).toHaveLength(1);
});
