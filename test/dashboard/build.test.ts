import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', '..', 'dist', 'dashboard');

async function readAll(): Promise<Map<string, string>> {
  const assets = await readdir(join(folder, 'assets'));
  const names = ['index.html', ...assets.map((name) => `assets/${name}`)];
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

const namedIn = (page: string) =>
  Array.from(page.matchAll(/(?:src|href)="%base%\/([^"]+)"/g), ([, name]) => name ?? '');

test('all that the dashboard loads at first has at most 60 KB, packed with Brotli', async () => {
  const files = await readAll();
  const first = ['index.html', ...namedIn(files.get('index.html') ?? '')];
  const sizes = first.map((name) => brotliCompressSync(files.get(name) ?? '').length);
  expect(sizes.length).toBe(3);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60 * 1024);
});

test('its script needs no other before it runs', async () => {
  const scripts = [...(await readAll())].filter(([name]) => /dashboard-[^/]*\.js$/.test(name));
  expect(scripts.map(([, text]) => /(?:^|[;}])import\s*[{"'\w*]/.test(text))).toEqual([false]);
});

test('the page has no script and no style of its own, and names only files that are there', async () => {
  const files = await readAll();
  const page = files.get('index.html') ?? '';
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\bstyle=|\bon\w+=/);
  expect(namedIn(page).filter((name) => !files.has(name))).toEqual([]);
});

test('nothing in it is fetched from elsewhere', async () => {
  const addresses = Array.from(
    await readAll(),
    ([, text]) => text.match(/https?:\/\/[^\s"'`)]+/g) ?? [],
  ).flat();
  // Names of XML's vocabularies, and examples that people read.
  const known = /^https?:\/\/(www\.w3\.org|github\.com\/owner|git\.example\.com|www\.example\.com|\\S)/;
  expect(addresses.filter((address) => !known.test(address))).toEqual([]);
});
