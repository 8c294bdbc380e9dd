import { setImmediate as nextTurn } from 'node:timers/promises';
import { Calendar, type Day } from '../../counting/calendar.ts';
import { parsePage, untwinned } from '../../counting/page/page.ts';
import { viewedPath } from '../../counting/page/renamed.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { SitemapCopy } from '../../store/sites.ts';
import { unpackPages } from './sitemap-copy.ts';
import type { ListedPage } from './sitemap-file.ts';

/** A page of the sitemaps, as views of it are counted. */
export interface SitePage {
  path: string;
  /** In the project's time zone; null: the sitemap does not say. */
  lastmod: Day | null;
}

/** Hits are answered between so many pages. */
const pagesPerTurn = 2_000;

/**
 * In the order in which they were changed, the latest first, then by path. Pages whose views are not counted are left out;
 * of several that are counted together the latest change holds.
 */
export async function sitePages({ pages, host }: SitemapCopy, project: LiveProject): Promise<SitePage[]> {
  const changed = new Map<string, Day | null>();
  const calendar = new Calendar(project.settings.timeZone);
  for await (const page of unpackPages(pages, host)) {
    const path = pathOf(page, host, project);
    if (path === undefined) continue;
    const day = lastmodDay(page.lastmod, calendar);
    const known = changed.get(path) ?? null;
    changed.set(path, known !== null && (day === null || known > day) ? known : day);
  }
  const found = Array.from(changed, ([path, lastmod]) => ({ path, lastmod }));
  return await sortInTurns(
    found,
    (a, b) => (b.lastmod ?? -1e9) - (a.lastmod ?? -1e9) || (a.path < b.path ? -1 : 1),
  );
}

/** Sorts runs, and merges two of them at a time. */
async function sortInTurns<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += pagesPerTurn) {
    runs.push(items.slice(at, at + pagesPerTurn).sort(compare));
    await nextTurn();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergeInTurns(runs[at] as T[], runs[at + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeInTurns<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number) {
  const merged: T[] = [];
  let [at, other] = [0, 0];
  while (at < left.length && other < right.length) {
    const isLeft = compare(left[at] as T, right[other] as T) <= 0;
    merged.push((isLeft ? left[at++] : right[other++]) as T);
    if (merged.length % pagesPerTurn === 0) await nextTurn();
  }
  return [...merged, ...left.slice(at), ...right.slice(other)];
}

/** Undefined: no view of it is counted. */
function pathOf({ url }: ListedPage, siteHost: string, project: LiveProject): string | undefined {
  const { keptParameters, hosts } = project.settings;
  const page = parsePage(url, keptParameters, false);
  if (!page || (hosts.length === 0 ? page.host !== siteHost : !project.acceptsHost(page.host)))
    return undefined;
  const path = untwinned(page.path, project.settings);
  return project.excludesPath(path) ? undefined : viewedPath(path, project.settings);
}

/** https://www.w3.org/TR/NOTE-datetime; a month or year stands for its first day. */
const lastmodForm = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(T.+(?:Z|[+-]\d\d:?\d\d))?)?)?/i;

/** Null: there is none, or in another form. */
function lastmodDay(text: string | null, calendar: Calendar): Day | null {
  const [, year, month = '01', day = '01', time] = lastmodForm.exec(text ?? '') ?? [];
  if (year === undefined) return null;
  const at = Date.parse(time === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day}${time}`);
  if (Number.isNaN(at)) return null;
  return time === undefined ? Math.floor(at / 86_400_000) : calendar.dayOf(at);
}
