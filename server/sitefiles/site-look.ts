import type { HttpsGetBytes } from '../net/https-get.ts';
import type { RobotsVersion, SiteFetch, SiteStore } from '../store/sites.ts';
import type { RobotsBook } from './robots/robots-book.ts';
import { maxRobotsBytes, parseRobots, passedOver } from './robots/robots-file.ts';
import { packPages } from './sitemap/sitemap-copy.ts';
import { type ListedPage, readSitemapFile } from './sitemap/sitemap-file.ts';

const hourMs = 3_600_000;

/** Of a project. */
export type SiteOfProject = Pick<SiteFetch, 'projectId' | 'host'>;

export interface LookParts {
  store: SiteStore;
  book: RobotsBook;
  get: HttpsGetBytes;
  now: () => number;
  /** What a site may take in all. */
  timeoutMs: number;
}

/** Much longer than a look may take; where the node is gone, another one looks then. */
const leaseMs = hourMs;

/**
 * Looks at a site if it is time to: its robots.txt, and the pages of its sitemaps. What cannot be read leaves what is known.
 *
 * @param spread about 1, so that not all sites are looked at together
 * @returns when it is due again, in milliseconds since 1970; null: another node looks, or has looked
 */
export async function lookAtSite(
  site: SiteOfProject,
  parts: LookParts,
  signal: AbortSignal,
  spread: number,
): Promise<number | null> {
  const { store, now } = parts;
  const claim = { ...site, now: now(), dueAt: now() + leaseMs };
  if (!(await store.claimSite(claim))) return null;
  const tooLong = AbortSignal.timeout(parts.timeoutMs);
  const { troubles } = await look(site, parts, AbortSignal.any([signal, tooLong]));
  const isWhole = !signal.aborted;
  if (tooLong.aborted) troubles.unshift(`It took more than ${parts.timeoutMs / 1_000} seconds in all.`);
  // After one that was broken off, the next one has not to wait for the lease.
  const waitMs = isWhole ? Math.round((troubles.length > 0 ? 6 : 24) * hourMs * spread) : 0;
  const settled = { ...claim, now: now(), dueAt: now() + waitMs };
  await store.settleSite({ ...settled, trouble: troubles.join(' ').replaceAll('\0', '').slice(0, 2000) });
  return settled.dueAt;
}

async function look(
  site: SiteOfProject,
  parts: LookParts,
  signal: AbortSignal,
): Promise<{ troubles: string[] }> {
  const robots = await lookAtRobots(site, parts, signal);
  const { pages, troubles } = await fetchSitemaps(robots.sitemaps, {
    host: site.host,
    get: parts.get,
    signal,
  });
  if (pages && !signal.aborted) {
    const fetchedAt = parts.now();
    await parts.store.keepSitemap({ ...site, fetchedAt, pages: await packPages(pages, site.host) });
  }
  return { troubles: [...robots.troubles, ...troubles] };
}

async function lookAtRobots(
  { projectId, host }: SiteOfProject,
  { store, book, get, now }: LookParts,
  signal: AbortSignal,
): Promise<{ sitemaps: readonly string[]; troubles: string[] }> {
  const known = book.newest(projectId, host);
  const missed = (why: string) => ({
    sitemaps: parseRobots(known?.text ?? '').sitemaps,
    troubles: [`Its robots.txt could not be read: ${why}`],
  });
  try {
    const { isCut, ...fetched } = await fetchRobots(host, get, signal);
    // While a site fails, clients may go on with the copy that they have (RFC 9309, section 2.4), and so it is judged.
    const isKnown = fetched.status === 'unreachable' ? known !== undefined : isSame(fetched, known);
    if (!isKnown) {
      const version: RobotsVersion = { projectId, host, knownAt: now(), ...fetched };
      await store.keepRobots(version);
      book.put(version);
    }
    if (fetched.status === 'unreachable') return missed('the site failed.');
    const { sitemaps, leftOut } = parseRobots(fetched.text);
    const troubles = [isCut ? passedOver(`${maxRobotsBytes} bytes`) : undefined, leftOut];
    return { sitemaps, troubles: troubles.filter((trouble) => trouble !== undefined) };
  } catch (error) {
    return missed(error instanceof Error ? error.message : String(error));
  }
}

function isSame(fetched: FetchedRobots, known: RobotsVersion | undefined): boolean {
  return known?.status === fetched.status && known.text === fetched.text;
}

/** RFC 9309 asks for at least five redirects (section 2.3.1.2). */
const limits = { timeoutMs: 30_000, maxRedirects: 5, maxBytes: maxRobotsBytes, isCut: true };

type FetchedRobots = Pick<RobotsVersion, 'status' | 'text'>;

/** Whether there was more of it than may be read. */
interface MaybeCut {
  isCut: boolean;
}

/**
 * Asks for a site's robots.txt. By RFC 9309, section 2.3.1: what is refused (4xx) or leads nowhere is `missing`, and the
 * site's own failure (5xx) is `unreachable`.
 *
 * @throws Error where no answer came, where it is not known whose fault that is
 */
async function fetchRobots(
  host: string,
  get: HttpsGetBytes,
  signal: AbortSignal,
): Promise<FetchedRobots & MaybeCut> {
  const { status, bytes } = await get(`https://${host}/robots.txt`, { ...limits, signal });
  // No text in a database holds a NUL, and no rule does.
  if (status >= 200 && status < 300) {
    const text = bytes.toString('utf8').replaceAll('\0', '');
    return { status: 'found', text, isCut: bytes.length >= maxRobotsBytes };
  }
  return { status: status >= 500 ? 'unreachable' : 'missing', text: '', isCut: false };
}

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
