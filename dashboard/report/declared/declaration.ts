import { type Filter, filterNames } from '../../../shared/reports/pairs.ts';
import type { ReportRule } from './report-rule.ts';

const page = { field: 'path', as: 'page', title: 'page' } as const;
const client = { field: 'client', as: 'client' } as const;
const ofClient = { ...client, title: 'client' } as const;
const status = { field: 'status', as: 'status' } as const;
const requests = { field: 'requests', as: 'count', title: 'requests' } as const;
const views = { field: 'views', as: 'count', title: 'views' } as const;
const cost = { field: 'cost', as: 'price', title: 'cost' } as const;
const bytes = { field: 'bytes', as: 'bytes', title: 'sent' } as const;

const byClientAndPage = ['client', 'path'] as const;
const bySourceAndPage = ['source', 'path'] as const;

/** What an AI client reads, in which form, and what it costs. */
const reading: readonly ReportRule[] = [
  {
    report: 'operators',
    field: 'operators',
    head: { field: 'operator', as: 'operator', title: 'operator' },
    beside: [],
    numbers: [
      { field: 'aiViews', as: 'count', title: 'aiViews', of: 'ai' },
      { field: 'visits', as: 'count', title: 'visits', of: 'human' },
      { field: 'ratio', as: 'mean', title: 'perVisit' },
    ],
    bar: 'aiViews',
    hasSearch: false,
    choice: {
      ...{ parameter: 'operator' },
      ...{ report: 'operators', field: 'operators', name: 'operator' },
      by: {
        head: { field: 'date', as: 'day', title: 'weekFrom' },
        query: { by: 'week', sort: 'newest' },
      },
    },
  },
  {
    report: 'ai-forms',
    field: 'forms',
    takes: ['client'],
    head: { field: 'form', as: 'form', title: 'form' },
    beside: [client],
    numbers: [views],
    bar: 'views',
  },
  {
    report: 'ai-surfaces',
    field: 'surfaces',
    takes: byClientAndPage,
    // No link: such a file is no page, or counts as the page that it stands for.
    head: { field: 'path', as: 'path', title: 'file' },
    beside: [client, status],
    numbers: [requests],
    bar: 'requests',
  },
  {
    report: 'ai-bytes',
    field: 'clients',
    takes: ['client'],
    head: ofClient,
    beside: [],
    numbers: [requests, bytes, cost],
    bar: 'bytes',
  },
  {
    report: 'silent-clients',
    field: 'silentClients',
    head: ofClient,
    beside: [{ field: 'operator', as: 'operator' }],
    numbers: [
      { field: 'lastSeen', as: 'day', title: 'lastSeen' },
      { field: 'usualViews', as: 'mean', title: 'perDay' },
    ],
    hasSearch: false,
    isOfNow: true,
  },
];

/** Where answers and links of others lead people. */
const landings: readonly ReportRule[] = [
  {
    report: 'assistant-landings',
    field: 'landings',
    takes: bySourceAndPage,
    head: page,
    beside: [{ field: 'assistant', as: 'source' }],
    numbers: [{ field: 'visitors', as: 'count', title: 'visitors' }, views],
    bar: 'visitors',
    barOf: 'human',
  },
  {
    report: 'quoted',
    field: 'passages',
    takes: bySourceAndPage,
    head: { field: 'passage', as: 'text', title: 'passage' },
    beside: [
      { field: 'path', as: 'page' },
      { field: 'source', as: 'source' },
    ],
    numbers: [{ field: 'visitors', as: 'count', title: 'visitors' }],
    bar: 'visitors',
    barOf: 'human',
  },
];

/** What stands between AI clients and the site. */
const trouble: readonly ReportRule[] = [
  {
    report: 'ai-failures',
    field: 'failures',
    takes: byClientAndPage,
    head: page,
    beside: [client, status],
    numbers: [requests],
    bar: 'requests',
  },
  {
    report: 'ai-disallowed',
    field: 'disallowed',
    takes: byClientAndPage,
    head: page,
    beside: [client],
    numbers: [views],
    bar: 'views',
  },
  {
    report: 'ai-cut-off',
    field: 'pages',
    takes: byClientAndPage,
    head: page,
    beside: [client],
    numbers: [views, bytes],
    bar: 'views',
  },
  {
    report: 'signatures',
    field: 'signatures',
    head: { field: 'operator', as: 'operator', title: 'operator' },
    beside: [{ field: 'result', as: 'text' }],
    numbers: [requests],
    bar: 'requests',
  },
  {
    report: 'ai-networks',
    field: 'networks',
    takes: ['client'],
    head: ofClient,
    beside: [{ field: 'network', as: 'network' }],
    numbers: [views],
    bar: 'views',
  },
];

/** What to do about it, and whether it helped. */
const work: readonly ReportRule[] = [
  {
    report: 'gaps',
    field: 'gaps',
    head: page,
    beside: [{ field: 'evidence', as: 'text' }],
    numbers: [
      { field: 'people', as: 'count', title: 'people' },
      { field: 'ai', as: 'count', title: 'ai' },
    ],
    hasSearch: false,
    action: 'job',
  },
  {
    report: 'freshness',
    field: 'pages',
    takes: ['client'],
    head: page,
    beside: [{ field: 'lastmod', as: 'changed' }],
    numbers: [
      { field: 'daysUntilRead', as: 'days', title: 'readAfter' },
      { field: 'daysSinceRead', as: 'ago', title: 'lastRead' },
    ],
    isOfNow: true,
    choice: {
      ...{ parameter: 'client' },
      ...{ report: 'ai-clients', field: 'clients', name: 'client' },
    },
  },
  {
    report: 'changes',
    field: 'changes',
    head: { field: 'text', as: 'text', title: 'change' },
    beside: [{ field: 'kind', as: 'kind' }],
    numbers: [
      { field: 'date', as: 'day', title: 'day' },
      { field: 'addedViews', as: 'count', title: 'aiViews' },
    ],
    hasSearch: false,
    action: 'effect',
  },
];

const ofTool = { field: 'tool', as: 'tool' } as const;
/** From there to the day in `to`. */
const days = { field: 'from', as: 'span' } as const;
const clicks = { field: 'clicks', as: 'count', title: 'clicks' } as const;
const shown = { field: 'impressions', as: 'count', title: 'shown' } as const;
const position = { field: 'position', as: 'mean', title: 'position' } as const;
const cited = { field: 'citations', as: 'count', title: 'cited', isRare: true } as const;

const writtenAs = { query: 'text', page: 'page', country: 'country', device: 'device' } as const;

const searchNames = (of: keyof typeof writtenAs): ReportRule => ({
  ...{ report: `search-${of}`, route: 'search-names', query: { of }, field: 'names' },
  head: { field: 'name', as: writtenAs[of], title: of },
  beside: [ofTool, days],
  numbers: [clicks, shown, position, cited],
  hasSearch: false,
});

/** What search engines tell, beside what is counted here. */
const searches: readonly ReportRule[] = [
  {
    report: 'search-engines',
    field: 'searchEngines',
    head: { ...ofTool, title: 'toldBy' },
    beside: [days],
    numbers: [clicks, shown, cited, { field: 'people', as: 'count', title: 'people' }],
    hasSearch: false,
  },
  ...(['query', 'page', 'country', 'device'] as const).map(searchNames),
];

const measuring: readonly ReportRule[] = [
  {
    report: 'ways-in',
    field: 'ways',
    head: { field: 'way', as: 'way', title: 'way' },
    beside: [{ field: 'kind', as: 'kind' }],
    numbers: [{ field: 'hits', as: 'count', title: 'hits' }],
    bar: 'hits',
    barOf: 'kind',
    hasSearch: false,
  },
  {
    report: 'name-caps',
    field: 'nameCaps',
    head: { field: 'names', as: 'names', title: 'namesOf' },
    beside: [{ field: 'cap', as: 'cap' }, { field: 'kind', as: 'kind' }, client],
    numbers: [views],
    hasSearch: false,
  },
];

/** Reports that share a panel, one of them at a time. */
export interface ReportGroup {
  /** Of whom alone they are: they tell nothing where nobody measured these. */
  of?: 'human' | 'ai';
  reports: readonly ReportRule[];
}

/** By the key that stands in the address. */
export const groups = {
  ai: { of: 'ai', reports: reading },
  landings: { of: 'human', reports: landings },
  searches: { reports: searches },
  trouble: { of: 'ai', reports: trouble },
  work: { of: 'ai', reports: work },
  ways: { reports: measuring },
} as const satisfies Record<string, ReportGroup>;

/** Whether the API has sums of all that is filtered by. */
export function honours({ takes = [] }: ReportRule, filter: Filter): boolean {
  return filterNames.every((name) => filter[name] === undefined || takes.some((taken) => taken === name));
}
