import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longest } from './support/machine/longest-first.ts';

const home = join(import.meta.dirname, '..');

/** `{a,b}.test.ts` means two files, and both have to be there. */
function eachOf(pattern: string): string[] {
  const [, before, names, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split(',').flatMap((name) => eachOf(before + name + after));
}

const missing = (patterns: string[]) =>
  patterns.flatMap(eachOf).filter((pattern) => globSync(pattern, { cwd: home }).length === 0);

test.each(globSync('vitest*.config.ts', { cwd: home }))('%s names files that are there', (file) => {
  const text = readFileSync(join(home, file), 'utf8');
  const named = Array.from(text.matchAll(/'(test\/[^']+\.ts)'/g), ([, pattern]) => pattern as string);
  expect(named.length).toBeGreaterThan(0);
  expect(missing(named)).toEqual([]);
});

test('the longest tests are there', () => {
  expect(missing(longest.map((name) => `test/${name}.test.ts`))).toEqual([]);
});
