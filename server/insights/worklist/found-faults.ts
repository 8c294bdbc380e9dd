import type { FaultKind } from '../../../shared/reports/faults.ts';
import type { Day } from '../../counting/calendar.ts';
import { otherName } from '../../counting/names/name-cap.ts';
import { countedForm } from '../../counting/page/path-pattern.ts';
import { splitProperty } from '../../counting/what.ts';
import type { SitePage } from '../../sitefiles/sitemap/site-pages.ts';
import type { AnalyticsStore } from '../../store/counts/analytics.ts';
import { type BoundedRange, dateOf } from '../days.ts';
import {
  askToMend,
  type Failures,
  isFailure,
  listed,
  maxOfKind,
  promptOf,
  readFailures,
  readGaps,
  write,
} from '../gaps.ts';

/** Days that faults are found in, today among them. */
export const foundDays = 28;
/** A page that no AI client reads for so long is unread. */
const unreadDays = 60;
/** So long AI clients may take to read a page that was changed. */
const patienceDays = 7;
const minCutOff = 5;
const minMissed = 5;
const maxRows = 5000;

export interface FoundFault {
  kind: FaultKind;
  path: string;
  readers: number;
  detail: string;
  evidence: string;
  title: string;
  prompt: string;
}

export interface Looking {
  store: AnalyticsStore;
  projectId: string;
  /** Of the site's sitemaps. */
  pages: readonly SitePage[];
  today: Day;
}

/** What titles of jobs begin with. */
export const titles: Readonly<Record<FaultKind, string>> = {
  not_found: 'Fix ',
  refused: 'Fix ',
  ignored: 'Let AI read',
  unread: 'Lead AI to',
  outdated: 'Show AI the change of',
  cut_off: 'Shorten for AI',
  ai_heavy: 'Improve for AI',
};

export const isMissing = (status: string) => status === '404' || status === '410';
export const isRefusal = (status: string) => isFailure(status) && !isMissing(status);

/** All that is found now: a page has one fault of each kind at most. */
export async function findFaults(looking: Looking): Promise<FoundFault[]> {
  const { store, projectId, today } = looking;
  const range = { projectId, from: today + 1 - foundDays, to: today + 1 };
  const gaps = (await readGaps(store, range)).flatMap(({ kind, ...gap }): FoundFault[] => {
    if (kind === 'failing') return [];
    const readers = kind === 'ignored' ? gap.people : gap.ai;
    return [{ ...gap, kind, readers, detail: '', title: gap.prompt.split('\n', 1).join('') }];
  });
  return [
    ...(await findFailing(looking, 'not_found', isMissing)),
    ...(await findFailing(looking, 'refused', isRefusal)),
    ...gaps,
    ...(await findUnread(looking, new Set(gaps.map(({ path }) => path)))),
    ...(await findCutOff(looking)),
  ];
}

function faultOf(
  { kind, path, readers, detail = '' }: Pick<FoundFault, 'kind' | 'path' | 'readers'> & { detail?: string },
  { evidence, ask, title = titles[kind] }: { evidence: string; ask: string; title?: string },
): FoundFault {
  const prompt = promptOf(path, { title, evidence, ask });
  return { kind, path, readers, detail, evidence, title: prompt.split('\n', 1).join(''), prompt };
}

/** Pages that were asked for and not there, or that AI clients were refused. */
async function findFailing(
  { store, projectId, today }: Looking,
  kind: 'not_found' | 'refused',
  isMeant: (status: string) => boolean,
): Promise<FoundFault[]> {
  const range = { projectId, from: today + 1 - foundDays, to: today + 1 };
  const failures = await readFailures(store, range, isMeant);
  const missed = kind === 'not_found' ? await readMissed(store, range) : new Map<string, number>();
  const known = new Set(failures.map(({ path }) => path));
  const ofPeople = Array.from(missed, ([path, times]): Failures[] =>
    times < minMissed || known.has(path)
      ? []
      : [{ path, hits: 0, statuses: new Set(['404']), clients: new Set() }],
  ).flat();
  return [...failures, ...ofPeople].map(({ path, hits, statuses, clients }) => {
    const people = missed.get(path) ?? 0;
    const ofAi = `${write(hits)} requests of AI clients were answered ${listed(statuses)} (${listed(clients)}).`;
    const evidence = [
      ...(hits > 0 ? [ofAi] : []),
      ...(people > 0 ? [`People met a 404 there ${write(people)} times.`] : []),
    ].join(' ');
    const detail = clients.size > 0 ? `${listed(statuses)} · ${listed(clients)}` : listed(statuses);
    const title = `Fix ${listed(statuses)}`;
    return faultOf({ kind, path, readers: hits + people, detail }, { evidence, ask: askToMend, title });
  });
}

/** How often people met a 404, by path: the script reports it as the event `404`, if its line says so. */
export async function readMissed(
  store: AnalyticsStore,
  range: BoundedRange & { projectId: string },
): Promise<Map<string, number>> {
  const { rows } = await store.readEvents({ ...range, event: '404', limit: maxRows, offset: 0 });
  const missed = new Map<string, number>();
  for (const { name, humanEvents } of rows) {
    const { property, value } = splitProperty(name);
    if (property !== 'path' || !value.startsWith('/')) continue;
    const path = countedForm(value);
    missed.set(path, (missed.get(path) ?? 0) + humanEvents);
  }
  return missed;
}

/** Pages of the sitemaps that AI clients have not read for long, or not since their last change. */
async function findUnread(
  { store, projectId, pages, today }: Looking,
  known: ReadonlySet<string>,
): Promise<FoundFault[]> {
  const from = today + 1 - unreadDays;
  const firstDay = pages.length === 0 ? null : await store.firstDay(projectId);
  if (firstDay === null) return [];
  const read = new Set(await store.listReadPaths({ projectId, client: null, from }));
  // Where none was read, AI clients are rather not seen here than not there.
  if (!pages.some(({ path }) => read.has(path))) return [];
  const others = pages.filter(({ path }) => !known.has(path));
  const unread =
    firstDay > from ? [] : others.filter(({ path, lastmod }) => !read.has(path) && (lastmod ?? 0) < from);
  const changed = others
    .filter(({ path, lastmod }) => read.has(path) && lastmod !== null && lastmod >= from)
    .filter(({ lastmod }) => Number(lastmod) <= today - patienceDays)
    .slice(0, maxRows);
  const reads = await store.findReads({
    ...{ projectId, client: null },
    pages: changed.map(({ path, lastmod }) => ({ path, since: lastmod })),
  });
  const outdated = changed.filter((_, place) => reads[place]?.since === null);
  const names = [...unread, ...outdated].map(({ path }) => path).slice(0, maxRows);
  const people = await readPeople({ store, projectId, today }, names);
  const readersOf = ({ path }: SitePage) => people.get(path) ?? 0;
  const worst = (found: readonly SitePage[]) =>
    found.toSorted((a, b) => readersOf(b) - readersOf(a)).slice(0, maxOfKind);
  return [
    ...worst(unread).map((page) => {
      const evidence = `In the sitemap, and no AI client has read it for ${unreadDays} days, while others were read; ${write(readersOf(page))} views by people in the last ${foundDays}.`;
      const ask =
        'Find out why: whether it is linked from other pages and from llms.txt, whether robots.txt or a meta tag keeps AI clients out, and whether its text is there without scripts. Mend what you find in this repository.';
      return faultOf({ kind: 'unread', path: page.path, readers: readersOf(page) }, { evidence, ask });
    }),
    ...worst(outdated).map((page) => {
      const detail = dateOf(page.lastmod as Day);
      const evidence = `Changed on ${detail}, and no AI client has read it since: they know an older version.`;
      const ask =
        'See that AI clients learn of the change: its date in the sitemap, a link from the changelog, from llms.txt and from pages that are read often, and whatever keeps an old copy, such as a Markdown version that is not built anew. Mend what you find in this repository.';
      return faultOf(
        { kind: 'outdated', path: page.path, readers: readersOf(page), detail },
        { evidence, ask },
      );
    }),
  ];
}

/** Views by people. */
async function readPeople(
  { store, projectId, today }: Omit<Looking, 'pages'>,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const range = { projectId, from: today + 1 - foundDays, to: today + 1 };
  const page = { limit: names.length, offset: 0 };
  const { rows } = await store.readCounts({ ...range, dimension: 'path', measure: 'views', names, ...page });
  return new Map(rows.map(({ name, human }) => [name, human]));
}

/** Texts that are longer than those who read them take. */
async function findCutOff({ store, projectId, today }: Looking): Promise<FoundFault[]> {
  const range = { projectId, from: today + 1 - foundDays, to: today + 1 };
  const { rows } = await store.readCounter({ ...range, counter: 'ai-cut-off', limit: maxRows, offset: 0 });
  const found = Map.groupBy(
    rows.filter(({ name }) => name !== otherName),
    ({ name }) => name,
  );
  return Array.from(found, ([path, cut]) => {
    const readers = cut.reduce((sum, { hits }) => sum + hits, 0);
    const detail = listed(new Set(cut.map(({ group }) => group)));
    const evidence = `${write(readers)} times an AI client was sent more text than it takes (${detail}).`;
    const ask =
      'Split the page where its subject changes, or put what readers ask for first, and move long tables and logs to pages of their own. Lose no fact, and lead from one part to the next.';
    return faultOf({ kind: 'cut_off', path, readers, detail }, { evidence, ask });
  })
    .filter(({ readers }) => readers >= minCutOff)
    .sort((a, b) => b.readers - a.readers)
    .slice(0, maxOfKind);
}
