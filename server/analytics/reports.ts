import { assistants } from '../../shared/identity/assistant.ts';
import type { DroppedReply, Measure } from '../../shared/reports/analytics.ts';
import { type Dimension, dimensionNames, dimensions, fieldOf } from '../../shared/reports/dimensions.ts';
import { type FilterName, filterNames, filtersOf } from '../../shared/reports/pairs.ts';
import {
  type ReportedTally,
  reportedTallies,
  tallies,
  tellsCost,
  tellsMeasured,
} from '../../shared/reports/tallies.ts';
import { type Day, fromDay } from '../counting/calendar.ts';
import { factsOf } from '../identity/client-facts.ts';
import type { TallyRow, VisitCounts, VisitPagesQuery } from '../store/counts/analytics-store.ts';
import { eventReport, propertyReport } from './event-reports.ts';
import { conversionReports, funnelReport, goalReport } from './goal-reports.ts';
import { type Report, type Row, replies } from './report.ts';
import { timeReport } from './time-report.ts';

export const reports: readonly Report[] = [
  countReport('visitors', 'path', 'visitors'),
  countReport('views', 'path', 'views'),
  ...dimensionNames.map((name) => countReport(fieldOf(name), name, 'visitors', dimensions[name].report)),
  clientReport(),
  clientPathReport(),
  landingReport(),
  visitPageReport('entry'),
  visitPageReport('exit'),
  timeReport(),
  eventReport(),
  propertyReport(),
  goalReport(),
  ...conversionReports,
  funnelReport(),
  droppedReport(),
  nameCapReport(),
  ...reportedTallies.map(tallyReport),
];

function countReport(
  field: string,
  dimension: Dimension | 'path',
  measure: Measure,
  path: string = field,
): Report {
  return {
    path,
    summary: `${measure === 'views' ? 'Page views' : 'Visitors'} by ${dimension}`,
    reply: async () => (await replies()).countsReply(field, dimension),
    field,
    columns: [dimension, 'human', 'ai', 'total'],
    limits: filtersOf(dimension),
    countsVisitors: measure === 'visitors',
    // What `visitors` and `views` answer is settled.
    ...(dimension !== 'path' && { tellsMeasured: true }),
    read: async (store, query) => {
      const { totals, rows, hasMore } = await store.readCounts({ ...query, dimension, measure });
      const named = rows.values().map(({ name, ...count }) => ({ [dimension]: name, ...count }));
      return { head: { totals }, rows: named, hasMore };
    },
  };
}

function clientReport(): Report {
  return {
    path: 'ai-clients',
    summary: 'AI clients, and how much each of them read',
    reply: async () => (await replies()).clientsReply,
    field: 'clients',
    columns: ['client', 'operator', 'purpose', 'proof', 'visitors', 'views', 'check'],
    limits: filtersOf('client'),
    countsVisitors: true,
    tellsMeasured: true,
    read: async (store, query, _params, claims) => {
      const { rows, hasMore } = await store.readClients(query);
      const clients = rows.values().map(({ name, proof, visitors, views }) => {
        const { operator, purpose } = factsOf(name);
        const check = proof === 'claimed' ? claims(name) : null;
        return { client: name, operator, purpose, proof, check, visitors, views };
      });
      return { head: {}, rows: clients, hasMore };
    },
  };
}

function clientPathReport(): Report {
  return {
    path: 'ai-clients/:client/paths',
    summary: 'What one AI client read',
    reply: async () => (await replies()).clientPathsReply,
    field: 'paths',
    columns: ['path', 'visitors', 'views'],
    limits: [['path']],
    countsVisitors: true,
    tellsMeasured: true,
    read: async (store, query, { client }) => {
      const { rows, hasMore } = await store.readClientPaths(query, String(client));
      return { head: {}, rows: rows.values().map((row) => ({ ...row })), hasMore };
    },
  };
}

/** As sources they are called by their names. */
const assistantNames = [...new Set(assistants.values())];

function landingReport(): Report {
  return {
    path: 'assistant-landings',
    summary: 'Pages to which AI assistants sent people',
    reply: async () => (await replies()).landingsReply,
    field: 'landings',
    columns: ['assistant', 'path', 'visitors', 'views'],
    limits: [['path'], ['source'], ['path', 'source']],
    countsVisitors: true,
    tellsMeasured: true,
    read: async (store, query) => {
      const { source } = query.filter ?? {};
      const names = assistantNames.filter((name) => source === undefined || name === source);
      const { rows, hasMore } = await store.readLandings(query, names);
      const landings = rows.values().map(({ source: assistant, ...row }) => ({ assistant, ...row }));
      return { head: {}, rows: landings, hasMore };
    },
  };
}

function visitPageReport(of: VisitPagesQuery['of']): Report {
  return {
    path: `${of}-pages`,
    summary: `Pages on which visits ${of === 'entry' ? 'began' : 'ended'}`,
    reply: async () => (await replies()).visitPagesReply,
    field: 'pages',
    columns: ['path', 'human', 'ai', 'total', 'singlePageHuman', 'singlePageAi', 'singlePageTotal'],
    limits: [['path']],
    countsVisitors: true,
    tellsMeasured: true,
    read: async (store, query) => {
      const { totals, rows, hasMore, unmeasured } = await store.readVisitPages({ ...query, of });
      const pages = rows.values().map(({ path, ...counts }) => ({ path, ...fieldsOfVisits(counts) }));
      const head = { totals: fieldsOfVisits(totals), unmeasured: runOf(unmeasured) };
      return { head, rows: pages, hasMore };
    },
  };
}

function fieldsOfVisits({ singlePage, ...counts }: VisitCounts) {
  const { human, ai, total } = singlePage;
  return { ...counts, singlePageHuman: human, singlePageAi: ai, singlePageTotal: total };
}

function runOf(days: readonly Day[]): { days: number; first: string; last: string } | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { days: days.length, first: String(fromDay(first)), last: String(fromDay(last)) };
}

function droppedReport(): Report {
  return {
    path: 'dropped',
    summary: 'Views that were not counted, and why',
    reply: async () => (await replies()).droppedReply,
    field: 'dropped',
    columns: ['reason', 'family', 'hits'],
    limits: [],
    countsVisitors: false,
    takesSearch: false,
    read: async (store, query) => {
      const { rows, hasMore } = await store.readDropped(query);
      const dropped = rows.values().map((row): DroppedReply['dropped'][number] => {
        return { ...row, family: row.family || null };
      });
      return { head: {}, rows: dropped, hasMore };
    },
  };
}

function tallyReport(tally: ReportedTally): Report {
  const { report, field, summary } = tallies[tally];
  return {
    path: report,
    summary,
    reply: async () => (await replies()).tallyReply(tally),
    field,
    columns: tallyColumns(tally),
    limits: tallyLimits(tally),
    countsVisitors: false,
    ...(tellsMeasured(tally) && { tellsMeasured: true }),
    ...(tellsCost(tally) && { tellsCost: true }),
    read: async (store, query) => {
      const { [firstOf(tally)]: group, path } = query.filter ?? {};
      const names = path === undefined ? undefined : [path];
      const { rows, hasMore } = await store.readTally({ ...query, tally, group, names });
      return { head: {}, rows: rows.values().map((row) => fieldsOf(tally, row)), hasMore };
    },
  };
}

/** The field of a row that its group begins with, by which sums are found: a filter, where there is one of this name. */
function firstOf(tally: ReportedTally): FilterName {
  return tallies[tally].groups[0] as FilterName;
}

/** One client or source, one page, or both. */
function tallyLimits(tally: ReportedTally): FilterName[][] {
  const { name } = tallies[tally];
  const own = filterNames.filter((filter) => filter === name || filter === firstOf(tally));
  const alone = own.map((filter) => [filter]);
  return own.length > 1 ? [...alone, own] : alone;
}

function tallyColumns(tally: ReportedTally): string[] {
  const { groups, name, hits, amount } = tallies[tally];
  const named = name === null ? groups : [...groups, name];
  return [...named, hits, ...(amount === null ? [] : [amount]), ...(tellsCost(tally) ? ['cost'] : [])];
}

const bytesPerGb = 1e9;

/** Rows of bytes, each with what these cost; null: the project names no price. */
export function withCost(rows: Iterable<Row>, price: number | null): IteratorObject<Row> {
  return Iterator.from(rows).map((row) => ({
    ...row,
    cost: price === null ? null : Math.round((Number(row.bytes) / bytesPerGb) * price * 1e6) / 1e6,
  }));
}

function fieldsOf(tally: ReportedTally, row: TallyRow): Row {
  const { groups, name, hits, amount } = tallies[tally];
  const values = row.group.split('\t');
  return {
    ...Object.fromEntries(groups.map((group, i) => [group, values[i] ?? ''])),
    ...(name !== null && { [name]: row.name }),
    [hits]: row.hits,
    ...(amount !== null && { [amount]: row.amount }),
  };
}

function nameCapReport(): Report {
  return {
    path: 'name-caps',
    summary: "Views that count as `(other)`, and whose part of the day's new names was used up",
    reply: async () => (await replies()).nameCapsReply,
    field: 'nameCaps',
    columns: ['names', 'cap', 'kind', 'client', 'views'],
    limits: [],
    countsVisitors: false,
    takesSearch: false,
    read: async (store, query) => {
      const { rows, hasMore } = await store.readCapped(query);
      return { head: {}, rows: rows.values().map((row) => ({ ...row })), hasMore };
    },
  };
}
