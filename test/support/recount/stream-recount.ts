import type { Count, DroppedReply } from '../../../shared/reports/analytics.ts';
import type { Dimension } from '../../../shared/reports/dimensions.ts';
import { dayMs } from '../clock.ts';
import type { ProjectClient } from '../headcount.ts';
import type { Happening, Landing, Sent } from './hit-stream.ts';
import { operator } from './signed-hits.ts';
import { addUpSums } from './sum-rows.ts';

/** What is reported of a view besides its page and source. */
export interface Traits {
  names: Partial<Record<Dimension, string | null>>;
  client: { name: string; proof: string } | null;
}

export interface WrittenDown extends Traits {
  day: string;
  hour: number;
  /** Milliseconds since 1970. */
  at: number;
  who: string;
  path: string;
  source: string | null;
  kind: 'human' | 'ai';
  /** That the link was to, where that is reported. */
  passage?: string | undefined;
}

/** Visitors are recognised within a day. */
export function countVisitors(views: readonly WrittenDown[]): Count {
  const count = (of: readonly WrittenDown[]) => new Set(of.map(({ day, who }) => day + who)).size;
  return {
    human: count(views.filter(({ kind }) => kind === 'human')),
    ai: count(views.filter(({ kind }) => kind === 'ai')),
    total: count(views),
  };
}

/** The count as a person would do it: write every view down, then count. */
export function recount(views: WrittenDown[]) {
  const visitors = countVisitors;
  const viewsOf = (of: typeof views): Count => {
    const human = of.filter(({ kind }) => kind === 'human').length;
    return { human, ai: of.length - human, total: of.length };
  };
  const by = (name: 'path' | 'source', measure: (of: typeof views) => Count, of = views) =>
    Object.fromEntries(
      [...new Set(of.map((view) => view[name]).filter((text) => text !== null))].map((text) => [
        text,
        measure(of.filter((view) => view[name] === text)),
      ]),
    );
  return {
    totals: visitors(views),
    visitors: by('path', visitors),
    views: by('path', viewsOf),
    sources: by('source', visitors),
    quoted: quotedIn(views),
    visits: {
      'entry-pages': pagesOfVisits(views, (visit) => visit[0] as WrittenDown, visitors),
      'exit-pages': pagesOfVisits(views, (visit) => visit.at(-1) as WrittenDown, visitors),
    },
    pagesOf: (source: string) =>
      by(
        'path',
        visitors,
        views.filter((view) => view.source === source),
      ),
    sourcesOf: (path: string) =>
      by(
        'source',
        visitors,
        views.filter((view) => view.path === path),
      ),
    /** Visitors in the hour in which they came first. */
    hour: (day: string, hour: number) => {
      const isArrival = (view: WrittenDown) =>
        view === views.find(({ day, who }) => day === view.day && who === view.who);
      const those = views.filter((view) => view.day === day && view.hour === hour);
      return { visitors: visitors(those.filter(isArrival)), views: viewsOf(those) };
    },
  };
}

/** Visits by the path of one of their views: how many, and how many of them were of one path alone. */
function pagesOfVisits(
  views: readonly WrittenDown[],
  pick: (visit: readonly WrittenDown[]) => WrittenDown,
  count: (of: WrittenDown[]) => Count,
): Record<string, Count[]> {
  const inOrder = views.toSorted((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1));
  const visits = [...Map.groupBy(inOrder, ({ day, who, kind }) => `${day} ${who} ${kind}`).values()];
  const paths = new Set(visits.map((visit) => pick(visit).path));
  return Object.fromEntries(
    [...paths].map((path) => {
      const those = visits.filter((visit) => pick(visit).path === path);
      const single = those.filter((visit) => visit.every((view) => view.path === path));
      return [path, [those, single].map((list) => count(list.map(pick)))];
    }),
  );
}

/** Passages by path: visitors of days on which three of them shared one. */
function quotedIn(views: readonly WrittenDown[]): Record<string, number> {
  const sharers = new Map<string, Set<string>>();
  for (const { day, path, passage, who } of views) {
    if (passage === undefined) continue;
    const key = `${day} ${passage} ${path}`;
    sharers.set(key, (sharers.get(key) ?? new Set()).add(who));
  }
  const quoted: Record<string, number> = {};
  for (const [key, { size }] of sharers) {
    const name = key.slice(key.indexOf(' ') + 1);
    if (size >= 3) quoted[name] = (quoted[name] ?? 0) + size;
  }
  return quoted;
}

/** Further reports as sums by row: how often, and bytes where they are reported. */
export type Sums = Record<SumReport, Record<string, number[]>>;

export const sumReports = [
  ...(['data-sources', 'ai-failures', 'ai-formats', 'ai-bytes', 'ai-files'] as const),
  ...(['ai-disallowed', 'ai-cut-off', 'signatures', 'ai-networks'] as const),
];
type SumReport = (typeof sumReports)[number];

/** A hit, and when its node says that it was. */
export type Dated = Sent & { at: number };

const clients = {
  PerplexityBot: 'PerplexityBot',
  'claude-code': 'Claude Code',
  ExaSearchBot: 'ExaSearchBot',
};
const statuses: Record<number, string> = { 301: '3xx', 404: '404', 503: '5xx' };
/** What the site asks clients not to read, and how much of a text one of them takes. */
export const robotsText = 'User-agent: *\nDisallow: /a\nDisallow: /b/';
const disallowedPaths = ['/a', '/b/'];
/** Networks where anybody rents machines, and of another operator than those of the streams. */
export const asNetworks = { '192.0.2.1/32': { asn: 'AS14618' }, '192.0.2.2/32': { asn: 'AS3320' } };
const hintOf: Readonly<Record<string, string>> = { '192.0.2.1': 'rented', '192.0.2.2': 'other' };
const takenBytes: Readonly<Record<string, number>> = { 'Claude Code': 100_000 };

/** Further sums of hits, and of landings by way. @param robotsAt when the site's robots.txt came to be known */
export function recountSums(hits: readonly Dated[], ways: readonly Landing['way'][], robotsAt: number): Sums {
  const additions: [SumReport, string, number?][] = [];
  const add = (...addition: (typeof additions)[number]) => additions.push(addition);
  for (const way of ways) add('data-sources', `${way} people`);
  for (const hit of hits) {
    const { kind, bytes, path, signing } = hit;
    const isCounted = isView(hit);
    if (isCounted) add('data-sources', `report ${kind === 'ai' ? 'ai' : 'people'}`);
    else add('data-sources', 'report dropped');
    if (hit.ageMs > dayMs) continue;
    if (signing !== undefined) add('signatures', `${operator} ${signing}`);
    if (kind !== 'ai' || signing === 'expired') continue;
    const client = clientOf(hit);
    if (bytes !== undefined) add('ai-bytes', client, bytes);
    if (path.endsWith('.txt')) add('ai-files', `${client} ${statusOf(hit)} ${path}`);
    else if (statusOf(hit) !== '2xx') add('ai-failures', `${client} ${statusOf(hit)} ${askedPath(hit)}`);
    if (!isCounted) continue;
    add('ai-formats', `${client} ${formOf(hit)}`);
    // What runs on somebody's machine comes from any network.
    if (client !== 'Claude Code' && signing !== 'valid')
      add('ai-networks', `${client} ${hintOf[hit.ip] ?? 'unknown'}`);
    if (hit.at >= robotsAt && disallowedPaths.includes(path))
      add('ai-disallowed', `${client} ${askedPath(hit)}`);
    if (bytes !== undefined && formOf(hit) !== 'html' && bytes > (takenBytes[client] ?? bytes))
      add('ai-cut-off', `${client} ${askedPath(hit)}`, bytes);
  }
  return addUpSums(sumReports, additions);
}

/** Why it is not counted: what is signed badly is somebody else, and who answers with robots.txt says that it is no page. */
function dropOf({ kind, ageMs, status, path, signing }: Sent): string | undefined {
  if (ageMs > dayMs) return 'too_old null';
  if (signing === 'expired') return 'spoofed ExaSearchBot';
  if (kind === 'bot') return ofBot;
  const isPage = status === undefined || (status === 200 && path !== '/robots.txt');
  return isPage ? undefined : 'no_page null';
}

const ofBot = 'bot search engine';

export function isView(hit: Sent): boolean {
  return dropOf(hit) === undefined;
}

/** How many of views and events are not counted, by reason and family. */
export function recountDrops(
  hits: readonly Sent[],
  happenings: readonly Happening[],
): Record<string, number> {
  const drops = [
    ...hits.map(dropOf),
    ...happenings.map(({ kind }) => (kind === 'bot' ? ofBot : undefined)),
  ].filter((drop) => drop !== undefined);
  return Object.fromEntries(
    Map.groupBy(drops, (drop) => drop)
      .entries()
      .map(([drop, { length }]) => [drop, length]),
  );
}

/** The same by the report. */
export async function readDrops({ projectId, get }: ProjectClient): Promise<Record<string, number>> {
  const { dropped } = await get<DroppedReply>(`/v1/analytics/${projectId}/dropped`);
  return Object.fromEntries(dropped.map(({ reason, family, hits }) => [`${reason} ${family}`, hits]));
}

export function clientOf({ userAgent }: Pick<Sent, 'userAgent'>): string {
  return Object.entries(clients).find(([token]) => userAgent.includes(token))?.[1] ?? '';
}

const statusOf = ({ status = 200 }: Sent): string => statuses[status] ?? '2xx';

function formOf({ path, type }: Sent): string {
  if (path === '/llms.txt') return 'llms.txt';
  return type === undefined ? 'html' : 'markdown';
}

/** In its one spelling. */
function askedPath({ path }: Sent): string {
  return path === '/b/' || path === '/%62' ? '/b' : path;
}

/** Its page, or the page that it is a version of. */
export function pageOf(hit: Sent): string {
  return hit.path === '/llms.txt' ? '/' : askedPath(hit);
}

export function sourceOf({ query, referrer }: Sent): string | null {
  const tagged = new URLSearchParams(query).get('utm_source');
  if (tagged !== null) return tagged;
  if (referrer === undefined) return '(direct)';
  const { host } = new URL(referrer);
  if (host === 'example.com') return null;
  return host === 'chatgpt.com' ? 'ChatGPT' : host;
}
