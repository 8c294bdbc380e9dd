import type { HttpsGetBytes } from '../../net/https-get.ts';
import { type ListedPage, readSitemapFile } from './sitemap-file.ts';

/** Of all sitemaps of a site together. */
export const sitemapLimits = { bytes: 50 * 1024 * 1024, pages: 50_000, files: 200 };

const requestLimits = { timeoutMs: 60_000, maxRedirects: 5, mayBePacked: true };

export interface Sitemaps {
  /** Null: no sitemap could be read. */
  pages: ListedPage[] | null;
  /** Sentences about what could not. */
  troubles: string[];
}

interface FetchParts {
  host: string;
  get: HttpsGetBytes;
  signal: AbortSignal;
}

/**
 * The pages of a site by its sitemaps, those of indexes included.
 *
 * @param named in the robots.txt; where none is, it is looked for at `/sitemap.xml`
 */
export async function fetchSitemaps(named: readonly string[], parts: FetchParts): Promise<Sitemaps> {
  const usual = `https://${parts.host}/sitemap.xml`;
  const addresses = new Set((named.length > 0 ? named : [usual]).map((address) => secure(address, usual)));
  const room = { ...sitemapLimits };
  const troubles: string[] = [];
  let pages: ListedPage[] | null = null;
  // What is added on the way is visited too.
  for (const address of addresses) {
    if (room.files-- === 0 || room.pages === 0 || parts.signal.aborted) break;
    try {
      const found = await readOne(address, room, parts);
      room.bytes -= found.size;
      room.pages -= found.pages.length;
      pages = [...(pages ?? []), ...found.pages];
      for (const further of found.sitemaps) addresses.add(secure(further, usual));
    } catch (error) {
      troubles.push(`${address}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (room.pages === 0)
    troubles.push(`It lists more than ${sitemapLimits.pages} pages: the others are left out.`);
  return { pages, troubles };
}

async function readOne(address: string, room: typeof sitemapLimits, { get, signal }: FetchParts) {
  const { status, bytes } = await get(address, {
    ...requestLimits,
    maxBytes: Math.max(1, room.bytes),
    signal,
  });
  if (status !== 200) throw new Error(`The site answered with status ${status}.`);
  return readSitemapFile(bytes, room);
}

/** As nothing is fetched without encryption; some name theirs without a host. */
function secure(address: string, base: string): string {
  return (URL.parse(address, base)?.href ?? address).replace(/^http:/i, 'https:');
}
