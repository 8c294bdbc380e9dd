import { sayLacking } from '../../analytics/filters.ts';
import { measuredBy } from '../../analytics/measured.ts';
import type { Day } from '../../counting/calendar.ts';
import { otherName } from '../../counting/names/name-cap.ts';
import { countedForm } from '../../counting/page/path-pattern.ts';
import { factsOf } from '../../identity/client-facts.ts';
import { type Purpose, purposes } from '../../identity/identity.ts';
import type { Annotation } from '../../store/annotations.ts';
import type { AnalyticsStore } from '../../store/counts/analytics.ts';
import { type BoundedRange, dateOf } from '../days.ts';
import { namesOfClients } from '../operators.ts';
import { estimateEffect } from './estimate.ts';
import type { PageViews } from './pages.ts';

/** Of each side: whole weeks, so that each has as many of every weekday. */
const mostWeeks = 4;
/** How often a change without any effect may be reported to have one, over all of them together. */
const leftOutOfAll = 0.04;
/** A measure that holds fewer views of affected pages takes part in nothing. */
const minAffectedViews = 20;
const mostShown = 100;

type EffectVerdict = 'more' | 'less' | 'none' | 'moved_before' | 'too_little' | 'not_measured';

export interface EffectMeasure {
  of: ReaderGroup;
  verdict: EffectVerdict;
  /** 0.3: by 30 % more. */
  change: number | null;
  low: number | null;
  high: number | null;
  affectedBefore: number;
  affectedAfter: number;
  otherBefore: number;
  otherAfter: number;
}

export interface Effect {
  date: string;
  text: string;
  days: number;
  before: { from: string; to: string } | null;
  after: { from: string; to: string } | null;
  affected: string[];
  affectedPages: number;
  otherPages: number;
  measures: EffectMeasure[];
  lacksDetails?: string;
}

/** The same length before the change, after it, and before that: the day of the change is in none. */
interface Windows {
  earlier: BoundedRange;
  before: BoundedRange;
  after: BoundedRange;
}

type Sums = ReadonlyMap<ReaderGroup, ViewsOfPages>;

/** @param today is not over, and left out */
export async function readEffect(store: AnalyticsStore, annotation: Annotation, today: Day): Promise<Effect> {
  const weeks = Math.min(mostWeeks, Math.floor((today - annotation.day - 1) / 7));
  const head = { date: dateOf(annotation.day), text: annotation.text };
  const nothing = { affected: [], affectedPages: 0, otherPages: 0, measures: [] };
  if (weeks < 1) return { ...head, ...nothing, days: 0, before: null, after: null };
  const windows = windowsOf(annotation.day, weeks * 7);
  const { projectId } = annotation;
  const dates = { days: weeks * 7, before: datesOf(windows.before), after: datesOf(windows.after) };
  const lacking = await sayLacking(store, { projectId, from: windows.before.from, to: windows.after.to });
  if (lacking.lacksDetails !== undefined) return { ...head, ...nothing, ...dates, ...lacking };
  const before = await readViews(store, { projectId, ...windows.before });
  const after = await readViews(store, { projectId, ...windows.after });
  const earlier = await readViews(store, { projectId, ...windows.earlier });
  const counted = [
    await readCounted(store, { projectId, ...windows.before }),
    await readCounted(store, { projectId, ...windows.after }),
  ];
  const isCounted = (of: ReaderGroup) => counted.every((side) => side[of === 'people' ? of : 'ai']);
  // A page that is new has no baseline.
  const paths = pathsOf(before);
  const affected = new Set(affectedOf(annotation, paths));
  return {
    ...head,
    ...dates,
    affected: [...affected].slice(0, mostShown),
    affectedPages: affected.size,
    otherPages: paths.length - affected.size,
    measures: measure({ earlier, before, after, isCounted }, paths, affected, seedOf(annotation.id)),
  };
}

function windowsOf(day: Day, length: number): Windows {
  return {
    earlier: { from: day - 2 * length, to: day - length },
    before: { from: day - length, to: day },
    after: { from: day + 1, to: day + 1 + length },
  };
}

function datesOf({ from, to }: BoundedRange): { from: string; to: string } {
  return { from: dateOf(from), to: dateOf(to) };
}

function pathsOf(sums: Sums): string[] {
  return [...(sums.get('people')?.keys() ?? [])];
}

/** Many tests are more often wrong by chance, so that each needs a higher confidence. */
function measure(
  sums: { earlier: Sums; before: Sums; after: Sums; isCounted(of: ReaderGroup): boolean },
  paths: readonly string[],
  affected: ReadonlySet<string>,
  seed: number,
): EffectMeasure[] {
  const sidesOf = (group: ReaderGroup, first: Sums, second: Sums) =>
    split(paths, affected, first.get(group), second.get(group));
  const asked = readerGroups.map((of) => ({ of, ...sidesOf(of, sums.before, sums.after) }));
  const known = asked.filter(({ of }) => sums.before.has(of) || sums.after.has(of));
  const isLarge = ({ of, changed }: (typeof asked)[number]) =>
    sums.isCounted(of) && viewsOf(changed) >= minAffectedViews;
  const leftOut = leftOutOfAll / Math.max(1, known.filter(isLarge).length);
  return known.map((one) => {
    const { of, changed, others } = one;
    const totals = totalsOf(changed, others);
    const estimate = isLarge(one) ? estimateEffect(changed, others, leftOut, seed) : null;
    if (estimate === null) {
      const verdict = sums.isCounted(of) ? 'too_little' : 'not_measured';
      return { of, verdict, change: null, low: null, high: null, ...totals };
    }
    const earlier = sidesOf(of, sums.earlier, sums.before);
    const trend = estimateEffect(earlier.changed, earlier.others, leftOut, seed);
    const verdict = verdictOf(estimate);
    const wasMoving = trend !== null && isMeasured(trend);
    return {
      of,
      verdict: wasMoving && verdict !== 'none' ? 'moved_before' : verdict,
      change: toChange(estimate.middle),
      low: toChange(estimate.low),
      high: toChange(estimate.high),
      ...totals,
    };
  });
}

type Bounds = { low: number | null; high: number | null };

function isMeasured({ low, high }: Bounds): boolean {
  return (low !== null && low > 0) || (high !== null && high < 0);
}

function verdictOf(bounds: Bounds): EffectVerdict {
  if (!isMeasured(bounds)) return bounds.low === null ? 'too_little' : 'none';
  return (bounds.low ?? 0) > 0 ? 'more' : 'less';
}

/** Of a logarithm: 0.3 is 30 % more. */
function toChange(log: number | null): number | null {
  return log === null ? log : Math.round((Math.exp(log) - 1) * 1000) / 1000;
}

function split(
  paths: readonly string[],
  affected: ReadonlySet<string>,
  first: ViewsOfPages | undefined,
  second: ViewsOfPages | undefined,
): { changed: PageViews[]; others: PageViews[] } {
  const changed: PageViews[] = [];
  const others: PageViews[] = [];
  for (const path of paths) {
    const views = { before: first?.get(path) ?? 0, after: second?.get(path) ?? 0 };
    (affected.has(path) ? changed : others).push(views);
  }
  return { changed, others };
}

function viewsOf(pages: readonly PageViews[]): number {
  return pages.reduce((sum, { before, after }) => sum + before + after, 0);
}

function totalsOf(changed: readonly PageViews[], others: readonly PageViews[]) {
  const sum = (pages: readonly PageViews[], side: keyof PageViews) =>
    pages.reduce((total, page) => total + page[side], 0);
  return {
    affectedBefore: sum(changed, 'before'),
    affectedAfter: sum(changed, 'after'),
    otherBefore: sum(others, 'before'),
    otherAfter: sum(others, 'after'),
  };
}

/** A seed, so that the result is the same each time. */
function seedOf(id: string): number {
  let seed = 0;
  for (const char of id) seed = (Math.imul(seed, 31) + char.charCodeAt(0)) | 0;
  return seed;
}

/** The views that are counted: of people, of all AI, or of AI clients of a purpose. */
export type ReaderGroup = 'people' | 'ai' | Purpose;

export type ViewsOfPages = Map<string, number>;

/** Pages that are looked at, those with the most views first. */
const maxPages = 5000;

/** Views of each page in the days, by group. */
export async function readViews(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
): Promise<Map<ReaderGroup, ViewsOfPages>> {
  const page = { limit: maxPages, offset: 0 };
  const { rows } = await store.readCounts({ ...range, ...page, dimension: 'path', measure: 'views' });
  const pages = rows.filter(({ name }) => name !== otherName);
  const views = new Map<ReaderGroup, ViewsOfPages>([
    ['people', new Map(pages.map(({ name, human }) => [name, human]))],
    ['ai', new Map(pages.map(({ name, ai }) => [name, ai]))],
  ]);
  for (const client of await namesOfClients(store, range)) {
    const { purpose } = factsOf(client);
    if (purpose === null) continue;
    const sums = views.get(purpose) ?? new Map<string, number>();
    views.set(purpose, sums);
    const read = await store.readClientPaths({ ...range, ...page }, client);
    for (const { path, views: count } of read.rows) {
      if (path !== otherName) sums.set(path, (sums.get(path) ?? 0) + count);
    }
  }
  return views;
}

export const readerGroups: readonly ReaderGroup[] = ['people', 'ai', ...purposes];

/**
 * Who was counted in the days: people where any source that sees them sent something, as a report may have none on a day; AI
 * where that was so on at least half of the days on which something came in. Where nothing came in, nothing was missed.
 */
export async function readCounted(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
): Promise<Record<'people' | 'ai', boolean>> {
  const rows = await store.readCounterDays({ ...range, counter: 'data-sources' });
  const days = [...Map.groupBy(rows, ({ day }) => day).values()].map(measuredBy);
  return {
    people: days.length === 0 || days.some(({ people }) => people),
    ai: 2 * days.filter(({ ai }) => ai).length >= days.length,
  };
}

/** Files of these endings become pages. */
const pageEndings =
  /\.(?:mdx?|markdown|html?|astro|vue|svelte|tsx?|jsx?|rst|adoc|ipynb|php|erb|njk|liquid)$/i;
/** Index files of folders. */
const folderFiles = /^(?:_?index|readme|page|\+page)$/i;
/** Folders that are in no address. */
const groupFolder = /^(?:\(.*\)|@.*)$/;

/** Which of the site's paths a change affected, as far as that is known. */
export function affectedOf(
  { kind, affected }: Pick<Annotation, 'kind' | 'affected'>,
  paths: readonly string[],
): string[] {
  return kind === 'release' ? affectedPaths(affected, paths) : pathsOfFiles(affected, paths);
}

/** `/docs/*` is everything below `/docs/`. */
function affectedPaths(patterns: readonly string[], paths: readonly string[]): string[] {
  const named = new Set(patterns.map(countedForm));
  // Of a start the slash at its end stays.
  const below = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => countedForm(`${pattern.slice(0, -1)}-`).slice(0, -1));
  return paths.filter((path) => named.has(path) || below.some((start) => path.startsWith(start)));
}

/**
 * A file's page is the path that the end of the file's own path says: `content/docs/install.md` is `/docs/install`, and where
 * there is no such page, `/install`. The longest is meant.
 */
function pathsOfFiles(files: readonly string[], paths: readonly string[]): string[] {
  const bySegments = new Map(paths.map((path) => [keyOf(segmentsOf(path)), path]));
  const found = new Set<string>();
  for (const file of files) {
    const path = pathOfFile(file, bySegments);
    if (path !== undefined) found.add(path);
  }
  return [...found];
}

function pathOfFile(file: string, bySegments: ReadonlyMap<string, string>): string | undefined {
  if (!pageEndings.test(file)) return undefined;
  const parts = file.replace(pageEndings, '').split('/');
  const isFolder = folderFiles.test(parts.at(-1) ?? '');
  if (isFolder) parts.pop();
  const segments = parts.filter((part) => !groupFolder.test(part)).map(plain);
  for (let start = 0; start < segments.length; start++) {
    const path = bySegments.get(keyOf(segments.slice(start)));
    if (path !== undefined) return path;
  }
  // The start page of the site is an index file near the top.
  return isFolder && segments.length <= 2 ? bySegments.get('') : undefined;
}

function segmentsOf(path: string): string[] {
  const [address = ''] = path.split('?');
  return address
    .replace(/\.(?:html?|php|md)$/i, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => plain(decode(segment)));
}

/** Sites drop numbers for the order, as in `01-install.md`, and the case. */
function plain(segment: string): string {
  return segment.toLowerCase().replace(/^\d{1,3}[-_.]\s*(?=\p{L})/u, '');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function keyOf(segments: readonly string[]): string {
  return segments.join('/');
}
