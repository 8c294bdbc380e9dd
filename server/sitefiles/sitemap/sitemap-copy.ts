import { z } from 'zod';
import type { ListedPage } from './sitemap-file.ts';

const packed = z.array(z.tuple([z.string(), z.string().nullable()]));

/** Pages of the site itself stand there without its address. */
export function packPages(pages: readonly ListedPage[], host: string): string {
  const origin = `https://${host}/`;
  const short = (url: string) => (url.startsWith(origin) ? url.slice(origin.length - 1) : url);
  return JSON.stringify(pages.map(({ url, lastmod }) => [short(url), lastmod]));
}

export function unpackPages(text: string, host: string): ListedPage[] {
  return packed
    .parse(JSON.parse(text))
    .map(([url, lastmod]) => ({ url: url.startsWith('/') ? `https://${host}${url}` : url, lastmod }));
}
