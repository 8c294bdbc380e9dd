import type { Request } from 'express';
import { assistants } from '../../shared/identity/assistant.ts';
import type { Measure } from '../../shared/reports/analytics.ts';
import { counters, type ReportedCounter, reportedCounters } from '../../shared/reports/counters.ts';
import { type Dimension, dimensionNames, dimensions } from '../../shared/reports/dimensions.ts';
import type { ClaimCheck, DroppedReply } from '../../shared/reports/replies.ts';
import { type CountedPath, firstGroupOf, reports } from '../../shared/reports/reports.ts';
import { type VisibleSeconds, visibleSeconds } from '../../shared/visible-time.ts';
import { otherName } from '../counting/names/name-cap.ts';
import { searchableText, wantedText } from '../counting/names/name-search.ts';
import { splitProperty } from '../counting/what.ts';
import { findClient } from '../identity/catalogue.ts';
import { factsOf } from '../identity/client-facts.ts';
import { feedsOf } from '../identity/proof/proof.ts';
import { accusesForMs } from '../identity/proof/ranges.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type {
  CappedRow,
  ClientPathsQuery,
  ConversionQuery,
  ConversionTotals,
  CounterRow,
  CountQuery,
  RangeQuery,
  VisitCounts,
  VisitPagesQuery,
} from '../store/counts/analytics-store.ts';
import type { Cell } from './csv.ts';
import { isUnmeasured, readMeasured, readUnmeasuredDays, runOf, writeRun } from './measured.ts';

export type ReportQuery = Omit<CountQuery, 'dimension' | 'measure'> & Pick<ClientPathsQuery, 'people'>;
export type Row = Record<string, Cell>;

export interface ReportRows {
  /** Fields before the rows. */
  head: object;
  /** An iterable, as a file may have many. */
  rows: Iterable<Row>;
  hasMore: boolean;
  /** A row may say the most there can be. */
  isBounded?: boolean;
  said?: { lacksPeople?: string };
}

/** Why the claim of an AI client is not verified. */
type Claims = (client: string) => ClaimCheck;

export type Read = (
  store: AnalyticsStore,
  query: ReportQuery,
  params: Request['params'],
  claims: Claims,
) => Promise<ReportRows>;

/** Reports that name their statement. */
type Stated = {
  [Path in CountedPath]: (typeof reports)[Path] extends { statement: string } ? Path : never;
}[CountedPath];

/** How each of the others is read; channels are always read from groups of visitors (combined.ts). */
const reads: Readonly<Record<Exclude<CountedPath, Stated | 'channels'>, Read>> = {
  visitors: readCounts('path', 'visitors'),
  views: readCounts('path', 'views'),
  ...byName(dimensionNames, (name) => [dimensions[name].report, readCounts(name, 'visitors')]),
  'ai-clients': readClients,
  'ai-clients/:client/paths': readClientPaths,
  'assistant-landings': readLandings,
  'entry-pages': readVisitPages('entry'),
  'exit-pages': readVisitPages('exit'),
  'time-on-page': readTime,
  events: async (store, query) => {
    const { totals, rows, hasMore } = await store.readEvents(query);
    const events = rows.values().map(({ name: event, ...sums }) => ({ event, ...sums }));
    return { head: { totals }, rows: events, hasMore };
  },
  'events/:event/properties': async (store, query, { event }) => {
    const { totals, rows, hasMore } = await store.readEvents({ ...query, event: String(event) });
    const properties = rows.values().map(({ name, ...sums }) => ({ ...splitProperty(name), ...sums }));
    return { head: { totals }, rows: properties, hasMore };
  },
  sections: readSections,
  goals: readGoals,
  'goals/:goal/entry-pages': readConversions('path'),
  'goals/:goal/sources': readConversions('source'),
  'goals/:goal/countries': readConversions('country'),
  'goals/:goal/devices': readConversions('device'),
  'goals/:goal/channels': readConversions('channel'),
  'goals/:goal/sections': readConversions('section'),
  funnels: readFunnels,
  dropped: async (store, query) => {
    const { rows, hasMore } = await store.readDropped(query);
    const dropped = rows.values().map((row): DroppedReply['dropped'][number] => {
      return { ...row, family: row.family || null };
    });
    return { head: {}, rows: dropped, hasMore };
  },
  ...byName(reportedCounters, (name) => [name, readCounter(name)]),
};

export function readOf(path: CountedPath): Read {
  return path in reads
    ? reads[path as keyof typeof reads]
    : readAsAnswered(reports[path as Stated].statement);
}

function byName<Name extends string, Key extends string, Value>(
  names: readonly Name[],
  of: (name: Name) => [Key, Value],
): Record<Key, Value> {
  return Object.fromEntries(names.map(of)) as Record<Key, Value>;
}

function readAsAnswered(statement: (typeof reports)[Stated]['statement'] & keyof AnalyticsStore): Read {
  return async (store, query) => {
    const { rows, hasMore } = await store[statement](query);
    return { head: {}, rows: rows.values().map((row) => ({ ...row })), hasMore };
  };
}

function readCounts(dimension: Dimension | 'path', measure: Measure): Read {
  return async (store, query) => {
    const { totals, rows, hasMore } = await store.readCounts({ ...query, dimension, measure });
    const named = rows.values().map(({ name, ...count }) => ({ [dimension]: name, ...count }));
    return { head: { totals }, rows: named, hasMore };
  };
}

async function readClients(...[store, query, , claims]: Parameters<Read>): Promise<ReportRows> {
  const { rows, hasMore } = await store.readClients(query);
  const clients = rows.values().map(({ name, proof, visitors, views }) => {
    const { operator, purpose } = factsOf(name);
    const check = proof === 'claimed' ? claims(name) : null;
    return { client: name, operator, purpose, proof, check, visitors, views };
  });
  return { head: {}, rows: clients, hasMore };
}

/** Views of people under `(other)` may be of any other page. */
async function readClientPaths(...[store, query, { client }]: Parameters<Read>): Promise<ReportRows> {
  const [{ people }, { human: unmeasured }, capped] = await Promise.all([
    readMeasured(store, query),
    readUnmeasuredDays(store, query),
    countCapped(store, query, isPageOfPeople),
  ]);
  if (people === false && query.people === 'none') return { head: {}, rows: [], hasMore: false };
  const asked = { ...query, people: query.people ?? 'any' };
  const { rows, hasMore } = await store.readClientPaths(asked, String(client));
  const paths = rows.values().map(({ bounds, humanViews = 0, ...row }) => {
    if (isUnmeasured(humanViews, people))
      return { ...row, humanViews: null, ...(bounds && { bounds }) } as unknown as Row;
    const more = row.path === otherName ? 0 : capped;
    if (!bounds && more === 0) return { ...row, humanViews };
    const { visitors, views } = bounds ?? { visitors: only(row.visitors), views: only(row.views) };
    const most = { from: humanViews, to: humanViews + more };
    return { ...row, humanViews, bounds: { visitors, views, humanViews: most } } as unknown as Row;
  });
  const run = people === true ? runOf(unmeasured) : null;
  const said = run && {
    lacksPeople: `People were not measured on ${writeRun(run)}: views by them may be missing.`,
  };
  return { head: {}, rows: paths, hasMore, isBounded: capped > 0, ...(said && { said }) };
}

const only = (count: number) => ({ from: count, to: count });

/** AI assistants, by their names as sources. */
const assistantNames = [...new Set(assistants.values())];

async function readLandings(...[store, query]: Parameters<Read>): Promise<ReportRows> {
  const { source } = query.filter ?? {};
  const names = assistantNames.filter((name) => source === undefined || name === source);
  const { rows, hasMore } = await store.readLandings(query, names);
  const landings = rows
    .values()
    .map(({ source: assistant, ...row }) => ({ assistant, ...row }) as unknown as Row);
  return { head: {}, rows: landings, hasMore };
}

function readVisitPages(of: VisitPagesQuery['of']): Read {
  return async (store, query) => {
    const { totals, rows, hasMore, unmeasured } = await store.readVisitPages({ ...query, of });
    const pages = rows.values().map(({ path, ...counts }) => ({ path, ...fieldsOfVisits(counts) }));
    const head = { totals: fieldsOfVisits(totals), unmeasured: runOf(unmeasured) };
    return { head, rows: pages, hasMore };
  };
}

function fieldsOfVisits({ singlePage, ...counts }: VisitCounts) {
  const { human, ai, total } = singlePage;
  return { ...counts, singlePageHuman: human, singlePageAi: ai, singlePageTotal: total };
}

function readCounter(counter: ReportedCounter): Read {
  return async (store, query) => {
    const { [firstGroupOf(counter)]: group, path } = query.filter ?? {};
    const names = path === undefined ? undefined : [path];
    const { rows, hasMore } = await store.readCounter({ ...query, counter, group, names });
    return { head: {}, rows: rows.values().map((row) => fieldsOf(counter, row)), hasMore };
  };
}

function fieldsOf(counter: ReportedCounter, row: CounterRow): Row {
  const { groups, name, hits, amount } = counters[counter];
  const values = row.group.split('\t');
  return {
    ...Object.fromEntries(groups.map((group, i) => [group, values[i] ?? ''])),
    ...(name !== null && { [name]: row.name }),
    [hits]: row.hits,
    ...(amount !== null && { [amount]: row.amount }),
  };
}

const bytesPerGb = 1e9;

/** Rows of bytes with their cost; null: the project has no price. */
export function withCost(rows: Iterable<Row>, price: number | null): IteratorObject<Row> {
  return Iterator.from(rows).map((row) => ({
    ...row,
    cost: price === null ? null : Math.round((Number(row.bytes) / bytesPerGb) * price * 1e6) / 1e6,
  }));
}

async function readSections(...[store, query]: Parameters<Read>): Promise<ReportRows> {
  const { totals, rows } = await store.readSections(query);
  const wanted = wantedText(query.search ?? '');
  const sections = rows
    .filter(({ section, path }) => searchableText(`${section} ${path ?? ''}`).includes(wanted))
    .map(({ measured: measuredDays, unmeasured: unmeasuredDays, ...row }): Row => {
      const isKnown = measuredDays > 0 || unmeasuredDays === 0;
      return {
        ...row,
        ...(!isKnown && { human: null, ai: null, total: null }),
        measuredDays,
        unmeasuredDays,
      };
    });
  const end = query.offset + query.limit;
  const cappedViews =
    rows.length === 0 ? 0 : await countCapped(store, query, ({ names }) => names === 'path');
  return {
    head: { totals, cappedViews },
    rows: sections.slice(query.offset, end),
    hasMore: sections.length > end,
  };
}

async function readGoals(...[store, query]: Parameters<Read>): Promise<ReportRows> {
  const { rows, hasMore } = await store.readGoals(query);
  const goals = rows.values().map(({ goal, ...totals }) => ({ goal, ...knownOf(totals) }));
  const ofPeople = ({ names, kind }: CappedRow) =>
    kind === 'human' && (names === 'path' || names === 'event');
  return { head: { cappedViews: await countCapped(store, query, ofPeople) }, rows: goals, hasMore };
}

async function readFunnels(...[store, query]: Parameters<Read>): Promise<ReportRows> {
  const { rows, hasMore } = await store.readFunnels(query);
  const funnels = rows.values().map(({ funnel, step, goal, began, ...totals }) => {
    const known = knownOf(totals);
    return { funnel, step, goal, began: known.people === null ? null : began, ...known };
  });
  return { head: {}, rows: funnels, hasMore };
}

/** By kind of name, limit and client: no project has so many. */
const allCapped = { limit: 1000, offset: 0 };

/** Views and events whose page or name was over the limit, so that no goal or section includes them. */
async function countCapped(
  store: AnalyticsStore,
  range: RangeQuery,
  isMeant: (row: CappedRow) => boolean,
): Promise<number> {
  const { rows } = await store.readCapped({ ...range, ...allCapped });
  return rows.filter(isMeant).reduce((sum, { views }) => sum + views, 0);
}

/** Null where no day was measured, which is not the same as zero. */
function knownOf({ people, conversions, measured, unmeasured }: ConversionTotals) {
  const isKnown = measured > 0 || unmeasured.length === 0;
  return {
    people: isKnown ? people : null,
    conversions: isKnown ? conversions : null,
    measuredDays: measured,
    unmeasuredDays: unmeasured.length,
  };
}

function readConversions(by: ConversionQuery['by']): Read {
  return async (store, query, { goal }) => {
    const { totals, rows, hasMore } = await store.readConversions({ ...query, goal: String(goal), by });
    const named = rows.values().map(({ name, ...sums }) => ({ [by]: name, ...sums }) as unknown as Row);
    const head = {
      totals: knownOf(totals),
      ...(by === 'section' && { cappedViews: await countCapped(store, query, isPageOfPeople) }),
    };
    return { head, rows: named, hasMore };
  };
}

const isPageOfPeople = ({ names, kind }: CappedRow) => kind === 'human' && names === 'path';

/** How long pages were visible: views of each that reached so many seconds. */
async function readTime(...[store, { filter, pages, ...query }]: Parameters<Read>): Promise<ReportRows> {
  const [shortest] = visibleSeconds;
  const names = filter?.path === undefined ? undefined : [filter.path];
  // A page that was seen for longer was seen for the shortest time, too.
  const seen = { ...query, pages, names, counter: 'visible-time', group: String(shortest) } as const;
  const page = await store.readCounter(seen);
  const paths = page.rows.map(({ name }) => name);
  const rows = await readVisibleTime(store, query, paths);
  return { head: {}, rows, hasMore: page.hasMore };
}

async function readVisibleTime(
  store: AnalyticsStore,
  { projectId, from, to }: Parameters<Read>[1],
  paths: string[],
): Promise<Row[]> {
  const limit = paths.length * visibleSeconds.length;
  const { rows } = await store.readCounter({
    projectId,
    from,
    to,
    counter: 'visible-time',
    names: paths,
    limit,
    offset: 0,
  });
  const byPath = Map.groupBy(rows, ({ name }) => name);
  return paths.map((path) => ({ path, ...viewsOf(byPath.get(path) ?? []) }));
}

function viewsOf(rows: readonly CounterRow[]): Row {
  const hitsOf = (seconds: VisibleSeconds) => rows.find(({ group }) => group === String(seconds))?.hits ?? 0;
  return Object.fromEntries(visibleSeconds.map((seconds) => [`seen${seconds}`, hitsOf(seconds)]));
}

/**
 * Why a client's claim is not verified, by what is known now.
 *
 * @param feedTimes when each list of addresses was last confirmed, in milliseconds since 1970
 */
export function checkOfClaim(name: string, feedTimes: ReadonlyMap<string, number>, now: number): ClaimCheck {
  const client = findClient(name);
  if (!client) return 'not_listed';
  if (client.runsOnUserMachine) return 'user_machine';
  const feeds = client.tokens.flatMap((token) => feedsOf(token).feeds);
  const isHeld = feeds.some((feed) => now - (feedTimes.get(feed) ?? 0) < accusesForMs);
  if (isHeld) return 'not_in_list';
  if (feeds.length > 0 || client.ranges) return 'list_not_loaded';
  if (client.reverseDns) return 'name_not_confirmed';
  return client.signatureHosts ? 'not_signed' : 'nothing_published';
}
