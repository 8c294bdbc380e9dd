import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { ListedPage } from './sitemap-file.ts';

const packed = z.array(z.tuple([z.string(), z.string().nullable()]));

/** Hits are answered between two lines. */
const pagesPerLine = 500;

/** Pages of the site itself stand there without its address. */
export async function packPages(pages: readonly ListedPage[], host: string): Promise<string> {
  const origin = `https://${host}/`;
  const short = (url: string) => (url.startsWith(origin) ? url.slice(origin.length - 1) : url);
  const lines: string[] = [];
  for (let at = 0; at < pages.length; at += pagesPerLine) {
    const some = pages.slice(at, at + pagesPerLine);
    lines.push(JSON.stringify(some.map(({ url, lastmod }) => [short(url), lastmod])));
    await nextTurn();
  }
  return lines.join('\n');
}

/** Copies of older versions have one line. */
export async function* unpackPages(text: string, host: string): AsyncGenerator<ListedPage> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? undefined : end);
    at = end < 0 ? text.length : end + 1;
    await nextTurn();
    for (const [url, lastmod] of packed.parse(JSON.parse(line))) {
      yield { url: url.startsWith('/') ? `https://${host}${url}` : url, lastmod };
    }
  }
}
