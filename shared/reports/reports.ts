import { visibleSeconds } from '../visible-time.ts';
import { page, views, visitors } from './cells.ts';
import { type Dimension, type DimensionRule, dimensionNames, dimensions, fieldOf } from './dimensions.ts';
import { goalReports } from './goal-reports.ts';
import { insightReports } from './insight-reports.ts';
import { type FilterName, filterNames, filtersOf } from './pairs.ts';
import type { Report, Reports } from './report.ts';
import { type ReportedTally, reportedTallies, tallies, tellsCost, tellsMeasured } from './tallies.ts';

const counts = ['human', 'ai', 'total'];
const singlePages = ['singlePageHuman', 'singlePageAi', 'singlePageTotal'];
const countedVisitors = { countsVisitors: true, tellsMeasured: true } as const;

/** Of the site's pages, and of who read them. */
const countReports = {
  visitors: {
    summary: 'Visitors by path',
    field: 'visitors',
    columns: ['path', ...counts],
    filters: filtersOf('path'),
    // What `visitors` and `views` answer is settled: it does not say what was measured.
    countsVisitors: true,
    tool: {
      name: 'read_visitors',
      title: 'Visitors and pages',
      description:
        'Counts visitors of the site (`totals`) and of each page, people and AI clients apart; `measured` of read_series says whether zeros were measured. For the pages that AI clients read most sort by `ai`; for those that AI reads most against people sort by `aiShare`.',
    },
  },
  views: {
    summary: 'Page views by path',
    field: 'views',
    columns: ['path', ...counts],
    filters: filtersOf('path'),
    tool: {
      name: 'read_views',
      title: 'Page views',
      description: 'As read_visitors, with page views in place of visitors.',
    },
  },
  ...(Object.fromEntries(dimensionNames.map((name) => [dimensions[name].report, dimensionReport(name)])) as {
    [Name in Dimension as (typeof dimensions)[Name]['report']]: Report;
  }),
  'ai-clients': {
    summary: 'AI clients, and how much each of them read',
    field: 'clients',
    columns: ['client', 'operator', 'purpose', 'proof', 'visitors', 'views', 'check'],
    filters: filtersOf('client'),
    ...countedVisitors,
    tool: {
      name: 'read_ai_clients',
      title: 'AI clients',
      description:
        'Lists the AI clients that read the site: operator, purpose (training, search, a user who asked), how sure it is, visitors and views.',
    },
  },
  'ai-clients/:client/paths': {
    summary: 'What one AI client read',
    field: 'paths',
    columns: ['path', 'visitors', 'views'],
    filters: [['path']],
    ...countedVisitors,
    tool: {
      name: 'read_ai_client_pages',
      title: 'Pages of an AI client',
      description: 'Lists the pages that one AI client read, those with the most views first.',
    },
  },
  'assistant-landings': {
    summary: 'Pages to which AI assistants sent people',
    field: 'landings',
    columns: ['assistant', 'path', 'visitors', 'views'],
    filters: [['path'], ['source'], ['path', 'source']],
    ...countedVisitors,
    panels: [
      {
        ...{ group: 'landings', head: page },
        beside: [{ field: 'assistant', as: 'source' }],
        ...{ numbers: [visitors, views], bar: 'visitors', barOf: 'human' },
      },
    ],
    tool: {
      name: 'read_assistant_landings',
      title: 'Pages that AI assistants sent people to',
      description:
        'Counts people who came from the site of an AI assistant, by assistant and page: the nearest that can be seen to being cited.',
    },
  },
  'entry-pages': {
    summary: 'Pages on which visits began',
    field: 'pages',
    columns: ['path', ...counts, ...singlePages],
    filters: [['path']],
    ...countedVisitors,
    tool: {
      name: 'read_entry_pages',
      title: 'Entry pages',
      description:
        'Counts visits by the page on which they began, and the visits in which only this page was seen; a visit is what a visitor does on a day. `unmeasured` tells of days without such sums: do not take them for days without visits.',
    },
  },
  'exit-pages': {
    summary: 'Pages on which visits ended',
    field: 'pages',
    columns: ['path', ...counts, ...singlePages],
    filters: [['path']],
    ...countedVisitors,
    tool: {
      name: 'read_exit_pages',
      title: 'Exit pages',
      description: 'As read_entry_pages, by the page on which visits ended.',
    },
  },
  'time-on-page': {
    summary: 'How long people see pages: views that were seen for 10, 30, 60, 180 and 600 seconds at least',
    field: 'pages',
    columns: ['path', ...visibleSeconds.map((seconds) => `seen${seconds}`)],
    filters: [['path']],
    tool: {
      name: 'read_time_on_page',
      title: 'Time on page',
      description:
        'Lists how many views by people were seen for at least 10, 30, 60, 180 and 600 seconds, by page. Where nothing is listed, the script was not asked to tell, or nobody stayed that long.',
    },
  },
  ...goalReports,
  dropped: {
    summary: 'Views that were not counted, and why',
    field: 'dropped',
    columns: ['reason', 'family', 'hits'],
    ...{ takesSearch: false, isPrivate: true },
    tool: {
      name: 'read_dropped',
      title: 'Not counted',
      description: 'Counts hits that were left out, by reason, such as bots by their family.',
    },
  },
  'name-caps': {
    summary: "Views that count as `(other)`, and whose part of the day's new names was used up",
    field: 'nameCaps',
    columns: ['names', 'cap', 'kind', 'client', 'views'],
    statement: 'readCapped',
    ...{ takesSearch: false, isPrivate: true },
    panels: [
      {
        ...{ group: 'ways', order: 2 },
        head: { field: 'names', as: 'names', title: 'namesOf' },
        beside: [
          { field: 'cap', as: 'cap' },
          { field: 'kind', as: 'kind' },
          { field: 'client', as: 'client' },
        ],
        ...{ numbers: [views], hasSearch: false },
      },
    ],
    tool: {
      name: 'read_name_caps',
      title: 'Names that were too many',
      description:
        'Counts views that stand under `(other)`, as the day had more new paths or names than are kept, and whose part of them was used up.',
    },
  },
  ...(Object.fromEntries(reportedTallies.map((name) => [name, tallyReport(name)])) as {
    [Name in ReportedTally]: Report;
  }),
} as const satisfies Reports;

/** Every report, by its route below the project's, in the order of the description of the API. */
export const reports = { ...countReports, ...insightReports };

export type ReportPath = keyof typeof reports;

/** Those with rows of what was counted, which are asked for alike. */
export type CountedPath = keyof typeof countReports;
export const countedPaths = Object.keys(countReports) as CountedPath[];

function dimensionReport(dimension: Dimension): Report {
  const { tool }: DimensionRule = dimensions[dimension];
  return {
    summary: `Visitors by ${dimension}`,
    field: fieldOf(dimension),
    columns: [dimension, ...counts],
    filters: filtersOf(dimension),
    ...countedVisitors,
    ...(tool && { tool }),
  };
}

function tallyReport(tally: ReportedTally): Report {
  const { field, summary, tool, panel, groups, name, hits, amount } = tallies[tally];
  return {
    ...{ summary, field, tool, panels: [panel] },
    columns: [
      ...(name === null ? groups : [...groups, name]),
      ...(amount === null ? [hits] : [hits, amount]),
      ...(tellsCost(tally) ? ['cost'] : []),
    ],
    filters: tallyLimits(tally),
    ...{ tellsMeasured: tellsMeasured(tally), tellsCost: tellsCost(tally), isPrivate: true },
  };
}

/** The field of a row that its group begins with, by which sums are found: a filter, where there is one of this name. */
export function firstGroupOf(tally: ReportedTally): FilterName {
  return tallies[tally].groups[0] as FilterName;
}

/** One client or source, one page, or both. */
function tallyLimits(tally: ReportedTally): FilterName[][] {
  const { name } = tallies[tally];
  const own = filterNames.filter((filter) => filter === name || filter === firstGroupOf(tally));
  const alone = own.map((filter) => [filter]);
  return own.length > 1 ? [...alone, own] : alone;
}
