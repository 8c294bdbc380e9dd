import type { Count } from '../../shared/analytics.ts';
import { dayMs } from '../support/clock.ts';
import type { Sent } from './hit-stream.ts';

export interface WrittenDown {
  day: string;
  hour: number;
  /** Milliseconds since 1970. */
  at: number;
  who: string;
  path: string;
  source: string | null;
  kind: 'human' | 'ai';
  /** That the link was to. */
  passage?: string;
}

/** The count as a person would do it: write every view down, then count. */
export function recount(views: WrittenDown[]) {
  const count = (keys: Set<string>) => keys.size;
  const visitors = (of: typeof views): Count => ({
    human: count(new Set(of.filter(({ kind }) => kind === 'human').map(({ day, who }) => day + who))),
    ai: count(new Set(of.filter(({ kind }) => kind === 'ai').map(({ day, who }) => day + who))),
    total: count(new Set(of.map(({ day, who }) => day + who))),
  });
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

/** What is told besides, as sums by what stands in a row. */
export type Told = Record<'ways-in' | 'ai-failures' | 'ai-forms' | 'ai-bytes', Record<string, number>>;

const client = 'PerplexityBot';
const statuses: Record<number, string> = { 301: '3xx', 404: '404', 503: '5xx' };

/** The same for what is told besides. */
export function retell(hits: readonly Sent[], landings: number): Told {
  const told: Told = { 'ways-in': {}, 'ai-failures': {}, 'ai-forms': {}, 'ai-bytes': {} };
  if (landings > 0) told['ways-in']['script people'] = landings;
  const add = (report: keyof Told, row: string, much = 1) => {
    told[report][row] = (told[report][row] ?? 0) + much;
  };
  for (const hit of hits) {
    const { kind, status, bytes, ageMs } = hit;
    const isLeftOut = kind === 'bot' || ageMs > dayMs;
    const isRead = status === undefined || status === 200;
    if (isLeftOut || !isRead) add('ways-in', 'report dropped');
    else add('ways-in', `report ${kind === 'ai' ? 'ai' : 'people'}`);
    if (isLeftOut || kind !== 'ai') continue;
    if (isRead) add('ai-forms', `${client} html`);
    else add('ai-failures', `${client} ${statuses[status]} ${normalPath(hit)}`);
    if (bytes !== undefined) add('ai-bytes', client, bytes);
  }
  return told;
}

export function normalPath({ path }: Sent): string {
  return path === '/b/' || path === '/%62' ? '/b' : path;
}

export function sourceOf(referrer: string | undefined): string | null {
  if (referrer === undefined) return '(direct)';
  const { host } = new URL(referrer);
  if (host === 'example.com') return null;
  return host === 'chatgpt.com' ? 'ChatGPT' : host;
}
