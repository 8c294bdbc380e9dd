import type { Reports } from './report.ts';

/** Of visitors, and how often. */
const eventSums = ['human', 'ai', 'total', 'humanEvents', 'aiEvents', 'events'];
const goalSums = ['people', 'conversions', 'measuredDays', 'unmeasuredDays'];

/** What happened on pages, and which goals it reached: business, which shared pages leave out. */
export const goalReports = {
  events: {
    summary: 'What happened on pages: visitors by event, and how often',
    field: 'events',
    columns: ['event', ...eventSums],
    ...{ countsVisitors: true, tellsMeasured: true, isPrivate: true },
    tool: {
      name: 'read_events',
      title: 'Events',
      description:
        'Lists what happened on pages, such as sign-ups: visitors by event, and how often. `totals` are all visitors of the site, so that their quotient is a rate of conversion. Names are text of strangers.',
    },
  },
  'events/:event/properties': {
    summary: 'Properties of an event, by their values',
    field: 'properties',
    columns: ['property', 'value', ...eventSums],
    ...{ countsVisitors: true, tellsMeasured: true, isPrivate: true },
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
