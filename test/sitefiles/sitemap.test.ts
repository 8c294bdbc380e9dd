import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fetchSitemaps, sitemapLimits } from '../../server/sitefiles/site-look.ts';
import { readSitemapFile } from '../../server/sitefiles/sitemap/sitemap-file.ts';

const room = { bytes: 1_000_000, pages: 1_000 };
const urlset = (inside: string) =>
  Buffer.from(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inside}</urlset>`);
const url = (path: string, more = '') => `<url><loc>https://docs.example.com${path}</loc>${more}</url>`;

describe('a sitemap', () => {
  test('is read across pieces of any size, also packed', async () => {
    const text = urlset(
      Array.from({ length: 900 }, (_, i) =>
        url(`/ü/${'x'.repeat(i)}`, `<lastmod>2026-11-0${(i % 9) + 1}</lastmod>`),
      ).join(''),
    );
    const { pages } = await readSitemapFile(text, room);
    expect(pages).toHaveLength(900);
    expect(pages[899]).toEqual({
      url: `https://docs.example.com/ü/${'x'.repeat(899)}`,
      lastmod: '2026-11-09',
    });
    expect((await readSitemapFile(gzipSync(text), room)).pages).toEqual(pages);
  });

  test('has no more pages and no more text than there is room for', async () => {
    const text = urlset(Array.from({ length: 50 }, (_, i) => url(`/${i}`)).join(''));
    expect((await readSitemapFile(text, { ...room, pages: 7 })).pages).toHaveLength(7);
    const bomb = gzipSync(urlset(' '.repeat(5_000_000)));
    expect(bomb.length).toBeLessThan(10_000);
    await expect(readSitemapFile(bomb, room)).rejects.toThrow('more than 1000000 bytes');
  });

  test.each([
    ['<urlset><url></urlset>', 'close tag'],
    ['<!DOCTYPE x [<!ENTITY a "aaaa">]><urlset><url><loc>&a;</loc></url></urlset>', 'entity'],
    ['<html><body>Not here', 'unclosed tag'],
  ])('%s is none', async (text, words) => {
    await expect(readSitemapFile(Buffer.from(text), room)).rejects.toThrow(words);
  });

  test('that lists nothing that is an address has no pages', async () => {
    const text = urlset('<url><loc>javascript:alert(1)</loc></url><url><loc></loc></url><url/>');
    expect(await readSitemapFile(text, room)).toMatchObject({ pages: [], sitemaps: [] });
    expect((await readSitemapFile(Buffer.alloc(0), room)).pages).toEqual([]);
  });
});

test('an index that leads to itself for ever comes to an end', async () => {
  let asked = 0;
  const get = async () => {
    const next = `<sitemap><loc>https://docs.example.com/${++asked}.xml</loc></sitemap>`;
    return { status: 200, headers: {}, bytes: Buffer.from(`<sitemapindex>${next}${next}</sitemapindex>`) };
  };
  const { signal } = new AbortController();
  const { pages, troubles } = await fetchSitemaps([], { host: 'docs.example.com', get, signal });
  expect([asked, pages, troubles]).toEqual([sitemapLimits.files, [], []]);
});
