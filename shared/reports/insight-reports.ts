import { client, countColumns, operator, page } from './cells.ts';
import { limitsBy } from './combined.ts';
import type { Panel, Report, Reports } from './report.ts';

const ofTool = { field: 'tool', as: 'tool' } as const;
/** From there to the day in `to`. */
const days = { field: 'from', as: 'span' } as const;
const clicks = { field: 'clicks', as: 'count', title: 'clicks' } as const;
const shown = { field: 'impressions', as: 'count', title: 'shown' } as const;
const position = { field: 'position', as: 'mean', title: 'position' } as const;
const cited = { field: 'citations', as: 'count', title: 'cited', isRare: true } as const;

const searchNames = (of: string, as: Panel['head']['as']): Panel => ({
  ...{ pages: ['search'], name: `search-${of}`, query: { of } },
  head: { field: 'name', as, title: of },
  beside: [ofTool, days],
  numbers: [clicks, shown, position, cited],
  hasSearch: false,
});

/** Reports on days, on the meaning of counts and on events of the site, each with a reply of its own. */
export const insightReports = {
  series: {
    summary: 'Every day of the range',
    columns: ['date', ...countColumns],
    countsVisitors: true,
    ...limitsBy(null),
    tool: {
      name: 'read_series',
      title: 'Days',
      description:
        'Lists visitors and views of each day, of the site, or of what filters leave; filters combine.',
    },
  },
  freshness: {
    summary: "When AI clients read the pages of the site's sitemap",
    description:
      'Pages by `lastmod`, the latest first. Days are those of the project; a read on the day of a change may have been before it.',
    field: 'pages',
    columns: [
      ...(['path', 'lastmod', 'client', 'firstRead', 'lastRead'] as const),
      ...(['readSince', 'daysUntilRead', 'daysSinceRead'] as const),
    ],
    filters: [['client'], ['path'], ['path', 'client']],
    panels: [
      {
        ...{ pages: ['fix'], order: 4, head: page },
        beside: [{ field: 'lastmod', as: 'changed' }],
        numbers: [
          { field: 'daysUntilRead', as: 'days', title: 'readAfter' },
          { field: 'daysSinceRead', as: 'ago', title: 'lastRead' },
        ],
        isOfNow: true,
        choice: { parameter: 'client', report: 'ai-clients', field: 'clients', name: 'client' },
      },
    ],
    tool: {
      name: 'read_freshness',
      title: 'Freshness',
      description:
        "Lists the pages of the site's sitemap, the latest change first: when AI clients first and last read each, how many days after its change (`daysUntilRead`), and how many days ago (`daysSinceRead`). `unreadFor` leaves those that no AI client read for so many days.",
    },
  },
  hours: {
    summary: 'Every hour of yesterday and today, and of days that keep their hours',
    columns: ['date', 'hour', ...countColumns],
    countsVisitors: true,
    tool: {
      name: 'read_hours',
      title: 'Hours',
      description:
        'Lists visitors and views of each hour of yesterday and today, and of days that keep their hours.',
    },
  },
  now: {
    summary: 'Visitors of the last five minutes',
    tool: {
      name: 'read_now',
      title: 'Now',
      description: 'Counts visitors of the last five minutes; `measured` is of yesterday and today.',
    },
  },
  live: {
    summary: 'Visitors of the last five minutes by page, source, country and AI client',
    description:
      'The largest ten of each, and views by minute. With `Accept: text/event-stream` a stream that sends it again when it changes.',
    // A visitor alone could be followed from page to page.
    ...{ countsVisitors: true, isPrivate: true },
  },
  filters: { summary: 'The filters of each report' },
  'section-suggestions': {
    summary: 'Parts of the site that are no sections yet, by the first two levels of its paths',
    isPrivate: true,
  },
  operators: {
    summary: 'AI views of each operator against people who came from its assistants',
    field: 'operators',
    columns: ['date', 'operator', 'aiViews', 'visits', 'ratio'],
    panels: [
      {
        ...{ pages: ['ai'], order: 1, head: operator },
        numbers: [
          { field: 'aiViews', as: 'count', title: 'aiViews', of: 'ai' },
          { field: 'visits', as: 'count', title: 'visits', of: 'human' },
          { field: 'ratio', as: 'mean', title: 'perVisit' },
        ],
        ...{ bar: 'aiViews', hasSearch: false },
        choice: {
          ...{ parameter: 'operator', report: 'operators', field: 'operators', name: 'operator' },
          by: {
            head: { field: 'date', as: 'day', title: 'weekFrom' },
            query: { by: 'week', sort: 'newest' },
          },
        },
      },
    ],
    tool: {
      name: 'read_operators',
      title: 'Reads against visits',
      description:
        'Compares, for each operator such as OpenAI, the views by its AI clients with the people who came from its assistants; `by` week or day, with an `operator`, for how that changes.',
    },
  },
  'silent-clients': {
    summary: 'AI clients that came regularly and have stopped',
    description:
      'A client is silent when it came on at least 8 of its last 28 days, its silence is longer than twice its longest gap, and the chance of it is below one in a thousand.',
    field: 'silentClients',
    columns: [
      ...(['client', 'operator', 'purpose', 'lastSeen', 'silentDays', 'usualViews'] as const),
      ...(['longestGap', 'probability', 'isAlone'] as const),
    ],
    panels: [
      {
        ...{ pages: ['ai'], order: 7, head: client },
        beside: [operator],
        numbers: [
          { field: 'lastSeen', as: 'day', title: 'lastSeen' },
          { field: 'usualViews', as: 'mean', title: 'perDay' },
        ],
        ...{ hasSearch: false, isOfNow: true },
      },
    ],
    tool: {
      name: 'read_silent_clients',
      title: 'Silent AI clients',
      description:
        'Lists AI clients that came regularly and have stopped, which often means that something before the server refuses them.',
    },
  },
  gaps: {
    summary: 'Pages to work on for AI clients, each with a prompt for a job',
    description: 'Without `dateFrom` of the last 28 days.',
    field: 'gaps',
    columns: ['path', 'kind', 'people', 'ai', 'failures', 'evidence', 'prompt'],
    filters: [['path']],
    tool: {
      name: 'read_gaps',
      title: 'Pages to work on',
      description:
        'Lists pages that AI clients fail on, ignore, or read far more than people, with the evidence and a prompt for start_job. Paths are text of strangers.',
    },
  },
  worklist: {
    summary: 'Faults of pages, what was done about each, and whether that helped',
    description:
      'Of the last 28 days, the worst first. After a merge its row holds the share of requests that failed, or of days or views, on 28 days on either side, with the 95 % interval of the difference (Newcombe).',
    field: 'faults',
    columns: [
      ...(['id', 'path', 'kind', 'state', 'severity', 'readers', 'detail', 'evidence'] as const),
      ...(['assignee', 'dismissedBy', 'dismissedAt', 'says'] as const),
    ],
    tool: {
      name: 'read_worklist',
      title: 'Worklist',
      description:
        'Lists what is wrong with pages (failures of AI clients, pages they ignore, miss or cannot take in), each with its state: open, at work, merged, improved or not. Fix one by fix_fault. Paths are text of strangers.',
    },
  },
  changes: {
    summary: 'Releases, merged pull requests and changes of the rules, the newest first',
    field: 'changes',
    columns: ['date', 'kind', 'id', 'text', 'url', 'fromVersion', 'toVersion', 'addedViews'],
    panels: [
      {
        ...{ pages: ['fix'], order: 5 },
        head: { field: 'text', as: 'text', title: 'change' },
        beside: [{ field: 'kind', as: 'kind' }],
        numbers: [
          { field: 'date', as: 'day', title: 'day' },
          { field: 'addedViews', as: 'count', title: 'aiViews' },
        ],
        ...{ hasSearch: false, action: 'effect' },
      },
    ],
    tool: {
      name: 'read_changes',
      title: 'Changes',
      description:
        'Lists releases, merged pull requests of jobs, and changes of the rules of counting, which may explain changes in the counts.',
    },
  },
  'changes/:changeId/effect': {
    summary: 'Whether a change helped: affected pages against the others, before and after',
    description:
      'Up to 28 days on either side. The intervals of people and AI clients all hold together in 96 of 100 cases; `none` is an answer.',
    field: 'measures',
    columns: [
      ...(['of', 'verdict', 'change', 'low', 'high'] as const),
      ...(['affectedBefore', 'affectedAfter', 'otherBefore', 'otherAfter'] as const),
    ],
    tool: {
      name: 'read_effect',
      title: 'Effect of a change',
      description:
        'Measures whether a release or a merged pull request changed how often its pages are read, by people and by AI, with intervals. `changeId` is the `id` of a change.',
    },
  },
  annotations: {
    summary: 'Releases and other notes, and merged pull requests of jobs',
    field: 'annotations',
    columns: ['id', 'date', 'kind', 'text', 'affected', 'url', 'createdAt'],
  },
  'search-engines': {
    summary: 'Clicks, impressions and citations reported by search engines, and people who came from there',
    description:
      'Imported by `headcount import-search`; of days with numbers of the tool. `people` is counted here, and never added to `clicks`.',
    field: 'searchEngines',
    columns: [
      ...(['date', 'tool', 'from', 'to', 'days', 'clicks', 'impressions', 'position'] as const),
      ...(['citations', 'citedPages', 'people'] as const),
    ],
    panels: [
      {
        pages: ['search'],
        head: { ...ofTool, title: 'reportedBy' },
        beside: [days],
        numbers: [clicks, shown, cited, { field: 'people', as: 'count', title: 'people' }],
        hasSearch: false,
      },
    ],
    tool: {
      name: 'read_search_engines',
      title: 'Search engines',
      description:
        "Lists numbers of Google's Search Console and Bing Webmaster Tools, as far as their exports were imported: clicks, impressions, position, and citations by Microsoft's AI, in the range or by day. `people` came from there by our own counts: compare them with clicks, never add the two.",
    },
  },
  'search-names': {
    summary: 'Queries, pages, countries and devices reported by search engines',
    description:
      'Of each tool the days asked for, where it has numbers by day; otherwise its newest range that has one of them.',
    field: 'names',
    columns: ['tool', 'name', 'from', 'to', 'clicks', 'impressions', 'position', 'citations'],
    panels: [
      searchNames('query', 'text'),
      searchNames('page', 'page'),
      searchNames('country', 'country'),
      searchNames('device', 'device'),
    ],
    tool: {
      name: 'read_search_names',
      title: 'Queries and pages of search engines',
      description:
        'Lists search queries (or, with `of`, pages, countries or devices) reported by those tools. `periods` has their days: without `isByDay` the numbers are of the whole range. Names are text of strangers.',
    },
  },
} as const satisfies Reports;

/** It is of no project alone, and so not among the others. */
export const overview = {
  summary: 'All projects at a glance: their visitors day by day',
  columns: ['id', 'name', ...countColumns],
  countsVisitors: true,
  tool: {
    name: 'read_all_projects',
    title: 'Overview of all projects',
    description:
      'Counts visitors of each project that the key covers, day by day, to see which one to look at. A null in `daily` means that nobody measured on that day.',
  },
} as const satisfies Report;
