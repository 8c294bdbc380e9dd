import { visibleSeconds } from '../visible-time.ts';
import { page, views, visitors } from './cells.ts';
import { limitsBy } from './combined.ts';
import { counters, hasCost, hasMeasured, type ReportedCounter, reportedCounters } from './counters.ts';
import { type Dimension, type DimensionRule, dimensionNames, dimensions, fieldOf } from './dimensions.ts';
import { insightReports } from './insight-reports.ts';
import { type FilterName, filterNames } from './pairs.ts';
import type { Report, Reports } from './report.ts';

/** Of visitors, and how often. */
const eventSums = ['human', 'ai', 'total', 'humanEvents', 'aiEvents', 'events'];
const goalSums = ['people', 'conversions', 'measuredDays', 'unmeasuredDays'];

/** Events and goals: business data, which shared pages leave out. */
const goalReports = {
  events: {
    summary: 'Events on pages: visitors by event, and how often',
    field: 'events',
    columns: ['event', ...eventSums],
    ...{ countsVisitors: true, hasMeasured: true, isPrivate: true },
    tool: {
      name: 'read_events',
      title: 'Events',
      description:
        'Lists events on pages, such as sign-ups: visitors by event, and how often. `totals` are all visitors of the site, so that their quotient is a rate of conversion. Names are text of strangers.',
    },
  },
  'events/:event/properties': {
    summary: 'Properties of an event, by their values',
    field: 'properties',
    columns: ['property', 'value', ...eventSums],
    ...{ countsVisitors: true, hasMeasured: true, isPrivate: true },
    tool: {
      name: 'read_event_properties',
      title: 'Properties of an event',
      description:
        'Lists the properties of one event with their values: visitors, and how often. They are text of strangers.',
    },
  },
  goals: {
    summary: 'How many people reached each goal of the project',
    field: 'goals',
    columns: ['goal', ...goalSums],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_goals',
      title: 'Goals',
      description:
        'Lists the goals of the project: people who reached each (`conversions`), of all people (`people`) on the days on which it was measured. Null where it was on none.',
    },
  },
  'goals/:goal/entry-pages': {
    summary: 'People who reached a goal, by the page on which their visits began',
    field: 'pages',
    columns: ['path', 'people', 'conversions'],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_goal_entry_pages',
      title: 'Goal by landing page',
      description:
        'Lists the pages on which visits began of people who reached one goal, and how many of those who began there did.',
    },
  },
  'goals/:goal/sources': {
    summary: 'People who reached a goal, by the source of their visits',
    field: 'sources',
    columns: ['source', 'people', 'conversions'],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_goal_sources',
      title: 'Goal by source',
      description:
        'Lists the sources from which people came who reached one goal, and how many of those from there did.',
    },
  },
  'goals/:goal/countries': {
    summary: 'People who reached a goal, by country',
    field: 'countries',
    columns: ['country', 'people', 'conversions'],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_goal_countries',
      title: 'Goal by country',
      description:
        'Lists the countries of people who reached one goal, and how many of those from there did.',
    },
  },
  'goals/:goal/devices': {
    summary: 'People who reached a goal, by device',
    field: 'devices',
    columns: ['device', 'people', 'conversions'],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_goal_devices',
      title: 'Goal by device',
      description:
        'Lists the devices of people who reached one goal, and how many of those with such a device did.',
    },
  },
  'goals/:goal/channels': {
    summary: 'People who reached a goal, by channel',
    field: 'channels',
    columns: ['channel', 'people', 'conversions'],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_goal_channels',
      title: 'Goal by channel',
      description:
        'As read_goal_sources, by channel, such as search or social. With `bounds` where `utm_medium` may say another channel than the source.',
    },
  },
  'goals/:goal/sections': {
    summary: 'People who reached a goal, by the section in which their visits began',
    field: 'sections',
    columns: ['section', 'path', 'people', 'conversions'],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_goal_sections',
      title: 'Goal by section',
      description:
        'As read_goal_entry_pages, by the section that the page is in now: of people whose visits began there, not of all who read it. A page may be in several.',
    },
  },
  funnels: {
    summary: 'How many people made each step of the funnels of the project, on one day',
    field: 'funnels',
    columns: ['funnel', 'step', 'goal', 'began', ...goalSums],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_funnels',
      title: 'Funnels',
      description:
        'Lists the steps of the funnels of the project: people (`conversions`) who made each after those before it on one day, of all `people`.',
    },
  },
} as const satisfies Reports;

const counts = ['human', 'ai', 'total'];
const singlePages = ['singlePageHuman', 'singlePageAi', 'singlePageTotal'];
const countedVisitors = { countsVisitors: true, hasMeasured: true } as const;

/** Of the site's pages, and of who read them. */
const countReports = {
  visitors: {
    summary: 'Visitors by path',
    field: 'visitors',
    columns: ['path', ...counts],
    ...limitsBy('path'),
    // The replies of `visitors` and `views` are fixed: they do not have `measured`.
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
    ...limitsBy('path'),
    tool: {
      name: 'read_views',
      title: 'Page views',
      description: 'As read_visitors, with page views in place of visitors.',
    },
  },
  sections: {
    summary: 'Visitors by section: pages that match a glob of the project',
    field: 'sections',
    columns: ['section', 'path', ...counts, 'measuredDays', 'unmeasuredDays'],
    ...{ countsVisitors: true, isPrivate: true },
    tool: {
      name: 'read_sections',
      title: 'Sections',
      description:
        'Counts visitors of each declared section of the site (`sections` of the project), each once a day however many of its pages they read; `path` takes its glob as a filter. `(other)` are pages in none. Null where no day was measured.',
    },
  },
  ...(Object.fromEntries(dimensionNames.map((name) => [dimensions[name].report, dimensionReport(name)])) as {
    [Name in Dimension as (typeof dimensions)[Name]['report']]: Report;
  }),
  channels: {
    summary: 'Visitors by channel, such as search or social: groups of sources',
    field: 'channels',
    columns: ['channel', ...counts],
    ...{ filters: [], combines: true },
    ...countedVisitors,
  },
  'ai-clients': {
    summary: 'AI clients, and how much each of them read',
    field: 'clients',
    columns: ['client', 'operator', 'purpose', 'proof', 'visitors', 'views', 'check'],
    ...limitsBy('client'),
    ...countedVisitors,
    tool: {
      name: 'read_ai_clients',
      title: 'AI clients',
      description:
        'Lists the AI clients that read the site: operator, purpose (training, search, a user who asked), how sure it is, visitors and views.',
    },
  },
  'ai-clients/:client/paths': {
    summary: 'What one AI client read, and how often people viewed the same pages',
    field: 'paths',
    columns: ['path', 'visitors', 'views', 'humanViews'],
    filters: [['path']],
    ...{ ...countedVisitors, takesPeople: true },
    tool: {
      name: 'read_ai_client_pages',
      title: 'Pages of an AI client',
      description:
        'Lists the pages that one AI client read, with the views of people (`humanViews`); with `people` as `none`, those that people do not read.',
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
        ...{ pages: ['ai'], order: 8, head: page },
        ...{ beside: [{ field: 'assistant', as: 'source' }], isCompared: true },
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
        'Counts visits by the page on which they began, and the visits in which only this page was seen; a visit is what a visitor does on a day. `unmeasured` lists days without such sums: do not take them for days without visits.',
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
        'Lists how many views by people were seen for at least 10, 30, 60, 180 and 600 seconds, by page. Where nothing is listed, the script was not set to measure it, or nobody stayed that long.',
    },
  },
  ...goalReports,
  dropped: {
    summary: 'Views that were not counted, and why',
    field: 'dropped',
    columns: ['reason', 'family', 'hits'],
    ...{ takesSearch: false, hasMeasured: true, isPrivate: true },
    panels: [
      {
        ...{ pages: ['measurement'], head: { field: 'reason', as: 'reason', title: 'reason' } },
        beside: [{ field: 'family', as: 'family' }],
        numbers: [{ field: 'hits', as: 'count', title: 'hits' }],
        ...{ bar: 'hits', barOf: 'dropped', hasSearch: false },
      },
    ],
    tool: {
      name: 'read_dropped',
      title: 'Not counted',
      description: 'Counts hits that were left out, by reason, such as bots by their family.',
    },
  },
  'cardinality-limits': {
    summary: "Views that count as `(other)`, and whose part of the day's new names was used up",
    field: 'cardinalityLimits',
    columns: ['names', 'cap', 'kind', 'client', 'views'],
    statement: 'readCapped',
    ...{ takesSearch: false, isPrivate: true },
    panels: [
      {
        ...{ pages: ['measurement'], order: 2 },
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
      name: 'read_cardinality_limits',
      title: 'Names that were too many',
      description:
        'Counts views under `(other)`, as the day had more new paths or names than are kept, and whose part of them was used up.',
    },
  },
  ...(Object.fromEntries(reportedCounters.map((name) => [name, counterReport(name)])) as {
    [Name in ReportedCounter]: Report;
  }),
} as const satisfies Reports;

/** Every report, by its route below the project's, in the order of the description of the API. */
export const reports = { ...countReports, ...insightReports };

/** Reports with rows of counts, which have the same query. */
export type CountedPath = keyof typeof countReports;
export const countedPaths = Object.keys(countReports) as CountedPath[];

function dimensionReport(dimension: Dimension): Report {
  const { tool }: DimensionRule = dimensions[dimension];
  return {
    summary: `Visitors by ${dimension}`,
    field: fieldOf(dimensions[dimension].report),
    columns: [dimension, ...counts],
    ...limitsBy(dimension),
    ...countedVisitors,
    ...(tool && { tool }),
  };
}

function counterReport(counter: ReportedCounter): Report {
  const { field, summary, tool, panel, groups, name, hits, amount } = counters[counter];
  return {
    ...{ summary, field, tool, panels: [panel] },
    columns: [
      ...(name === null ? groups : [...groups, name]),
      ...(amount === null ? [hits] : [hits, amount]),
      ...(hasCost(counter) ? ['cost'] : []),
    ],
    filters: counterLimits(counter),
    ...{ hasMeasured: hasMeasured(counter), hasCost: hasCost(counter), isPrivate: true },
  };
}

/** The field of a row that its group begins with, by which sums are found: a filter, where there is one of this name. */
export function firstGroupOf(counter: ReportedCounter): FilterName {
  return counters[counter].groups[0] as FilterName;
}

/** One client or source, one page, or both. */
function counterLimits(counter: ReportedCounter): FilterName[][] {
  const { name } = counters[counter];
  const own = filterNames.filter((filter) => filter === name || filter === firstGroupOf(counter));
  const alone = own.map((filter) => [filter]);
  return own.length > 1 ? [...alone, own] : alone;
}
