import type {
  SearchEnginesQuery,
  SearchEnginesReply,
  SearchNamesQuery,
  SearchNamesReply,
  SearchTool,
} from '../../shared/reports/search-engines.ts';
import type { Day } from '../counting/calendar.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type {
  ChosenPeriod,
  SearchDay,
  SearchDaysQuery,
  SearchNameRow,
  SearchPeriod,
  SearchStore,
} from '../store/searches.ts';
import { dateOf } from './days.ts';

/** As visitors' sources are counted, and whether a tool counts clicks or citations. */
const tools: Readonly<Record<SearchTool, { source: string; isOfAi: boolean }>> = {
  'search-console': { source: 'google.com', isOfAi: false },
  bing: { source: 'bing.com', isOfAi: false },
  'bing-ai': { source: 'Microsoft Copilot', isOfAi: true },
};

interface Parts {
  store: Pick<AnalyticsStore, 'readNamedDays'> & { readonly searches: SearchStore };
  projectId: string;
}

export type SearchEngineRow = SearchEnginesReply['searchEngines'][number];

/** Numbers of the site by tool, in the whole range or day by day, and next to them the visitors from there by our own counts. */
export async function readSearchEngines(
  { store, projectId }: Parts,
  range: Pick<SearchDaysQuery, 'from' | 'to'>,
  { by, tool }: Pick<SearchEnginesQuery, 'by' | 'tool'>,
): Promise<SearchEngineRow[]> {
  const days = (await store.searches.listDays({ projectId, ...range })).filter(
    (day) => tool === undefined || day.tool === tool,
  );
  const people = await readPeople({ store, projectId }, days);
  const groups = Object.values(
    Object.groupBy(days, (day) => (by === 'day' ? `${day.day} ${day.tool}` : day.tool)),
  );
  return groups.map((group = []) => toRow(group, people, by)).sort(inOrder);
}

type PeopleOf = (day: SearchDay) => number;

async function readPeople({ store, projectId }: Parts, days: readonly SearchDay[]): Promise<PeopleOf> {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return () => 0;
  const names = [...new Set(days.map(({ tool }) => tools[tool].source))];
  const rows = await store.readNamedDays({
    projectId,
    from: first.day,
    to: last.day + 1,
    of: 'source',
    names,
  });
  const counts = new Map(rows.map(({ day, name, visitors }) => [`${day} ${name}`, visitors.human]));
  return ({ day, tool }) => counts.get(`${day} ${tools[tool].source}`) ?? 0;
}

function toRow(
  group: readonly SearchDay[],
  peopleOf: PeopleOf,
  by: SearchEnginesQuery['by'],
): SearchEngineRow {
  const [first, last] = [group[0], group.at(-1)] as [SearchDay, SearchDay];
  const sum = (numberOf: (day: SearchDay) => number) => group.reduce((all, day) => all + numberOf(day), 0);
  const placed = group.filter(({ positions }) => positions !== null);
  return {
    date: by === 'day' ? dateOf(first.day) : null,
    tool: first.tool,
    from: dateOf(first.day),
    to: dateOf(last.day),
    days: group.length,
    ...toNumbers({
      tool: first.tool,
      clicks: sum(({ clicks }) => clicks),
      impressions: sum(({ impressions }) => impressions),
      placed: placed.reduce((all, { impressions }) => all + impressions, 0),
      positions: placed.length === 0 ? null : sum(({ positions }) => positions ?? 0),
      citations: sum(({ citations }) => citations),
    }),
    citedPages: by === 'day' ? first.pages : null,
    people: sum(peopleOf),
  };
}

type Sums = Pick<SearchNameRow, 'tool' | 'clicks' | 'impressions' | 'placed' | 'positions' | 'citations'>;

/** What the tool reports of them. */
function toNumbers({ tool, clicks, impressions, placed, positions, citations }: Sums) {
  const { isOfAi } = tools[tool];
  return {
    clicks: isOfAi ? null : clicks,
    impressions: isOfAi ? null : impressions,
    position: positions === null || placed === 0 ? null : Math.round(positions / placed) / 100,
    citations: isOfAi ? citations : null,
  };
}

const toolOrder = Object.keys(tools);

/** The newest day first, as it is what people look for. */
function inOrder(a: SearchEngineRow, b: SearchEngineRow): number {
  if (a.date !== b.date) return (a.date ?? '') < (b.date ?? '') ? 1 : -1;
  return toolOrder.indexOf(a.tool) - toolOrder.indexOf(b.tool);
}

export type SearchNamesRow = SearchNamesReply['names'][number];

/** The periods of the rows: of each tool its days, where it has any in the range, or else the newest range in it. */
export async function choosePeriods(
  { store, projectId }: Parts,
  { from, to }: Pick<SearchDaysQuery, 'from' | 'to'>,
  { of, tool }: Pick<SearchNamesQuery, 'of' | 'tool'>,
): Promise<ChosenPeriod[]> {
  const periods = (await store.searches.listPeriods({ projectId, from, to })).filter(
    (period) => period.kind === of && (tool === undefined || period.tool === tool),
  );
  const byTool = Object.groupBy(periods, (period) => period.tool);
  return Object.values(byTool)
    .map((ofTool = []) => choose(ofTool))
    .sort((a, b) => toolOrder.indexOf(a.tool) - toolOrder.indexOf(b.tool));
}

/** @param periods of one tool, in the order of their last days */
function choose(periods: readonly SearchPeriod[]): ChosenPeriod {
  const days = periods.filter(({ from, to }) => from === to);
  const [first, last] = [days[0], days.at(-1)];
  if (first && last) return { tool: first.tool, from: first.from, to: last.to, isByDay: true };
  const { tool, from, to } = periods.at(-1) as SearchPeriod;
  return { tool, from, to, isByDay: false };
}

export function toNameRow(row: SearchNameRow): SearchNamesRow {
  const { tool, name, from, to } = row;
  return { tool, name, from: dateOf(from), to: dateOf(to), ...toNumbers(row) };
}

export function toPeriodReply({
  tool,
  from,
  to,
  isByDay,
}: ChosenPeriod): SearchNamesReply['periods'][number] {
  return { tool, from: dateOf(from as Day), to: dateOf(to as Day), isByDay };
}
