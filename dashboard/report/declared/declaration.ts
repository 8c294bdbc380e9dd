import type { ReportRule } from './report-rule.ts';

const page = { field: 'path', as: 'page', title: 'Page' } as const;
const client = { field: 'client', as: 'client' } as const;
const ofClient = { ...client, title: 'Client' } as const;
const status = { field: 'status', as: 'status' } as const;
const requests = { field: 'requests', as: 'count', title: 'Requests' } as const;
const views = { field: 'views', as: 'count', title: 'Views' } as const;
const cost = { field: 'cost', as: 'price', title: 'Cost' } as const;
const bytes = { field: 'bytes', as: 'bytes', title: 'Sent' } as const;

/** What an AI client reads, in which form, and what it costs. */
const reading: readonly ReportRule[] = [
  {
    report: 'operators',
    field: 'operators',
    title: 'Reads per visit',
    head: { field: 'operator', as: 'operator', title: 'Operator' },
    beside: [],
    numbers: [
      { field: 'aiViews', as: 'count', title: 'AI views' },
      { field: 'visits', as: 'count', title: 'Visits' },
      { field: 'ratio', as: 'mean', title: 'Per visit' },
    ],
    bar: 'aiViews',
    hasSearch: false,
    choice: {
      ...{ parameter: 'operator', title: 'Operator', all: 'All operators' },
      ...{ report: 'operators', field: 'operators', name: 'operator' },
      by: {
        head: { field: 'date', as: 'day', title: 'Week from' },
        query: { by: 'week', sort: 'newest' },
      },
    },
    empty: 'No AI views, and no people from assistants, in this period.',
    note: 'How often the AI clients of an operator read a page, for each person who came from its assistant. Choose an operator to see it week by week; a week at either end may lack days.',
  },
  {
    report: 'ai-forms',
    field: 'forms',
    title: 'Forms',
    head: { field: 'form', as: 'form', title: 'Form' },
    beside: [client],
    numbers: [views],
    bar: 'views',
    empty: 'No AI views of a known form in this period.',
    note: 'Whether AI clients read HTML or the texts that you write for them. Your server or log tells it.',
  },
  {
    report: 'ai-surfaces',
    field: 'surfaces',
    title: 'Files for machines',
    head: { field: 'path', as: 'path', title: 'File' },
    beside: [client, status],
    numbers: [requests],
    bar: 'requests',
    empty: 'No AI client asked for robots.txt, llms.txt or their like in this period.',
  },
  {
    report: 'ai-bytes',
    field: 'clients',
    title: 'Cost',
    head: ofClient,
    beside: [],
    numbers: [requests, bytes, cost],
    bar: 'bytes',
    empty: 'No lengths of answers are known in this period.',
    note: 'What your server sent to AI clients, where its reports or logs tell the length.',
  },
  {
    report: 'silent-clients',
    field: 'silentClients',
    title: 'Gone silent',
    head: ofClient,
    beside: [{ field: 'operator', as: 'operator' }],
    numbers: [
      { field: 'lastSeen', as: 'day', title: 'Last seen' },
      { field: 'usualViews', as: 'mean', title: 'Per day' },
    ],
    hasSearch: false,
    isOfNow: true,
    empty: 'No AI client that came regularly has stopped.',
    note: 'Clients that came regularly in the 28 days before they fell silent. Something before your server may block them.',
  },
];

/** Where answers and links of others lead people. */
const landings: readonly ReportRule[] = [
  {
    report: 'assistant-landings',
    field: 'landings',
    title: 'From assistants',
    head: page,
    beside: [{ field: 'assistant', as: 'text' }],
    numbers: [{ field: 'visitors', as: 'count', title: 'Visitors' }, views],
    bar: 'visitors',
    barOf: 'human',
    empty: 'Nobody came from an AI assistant in this period.',
    note: 'The nearest that can be seen to being cited: people who came from an assistant, by page.',
  },
  {
    report: 'quoted',
    field: 'passages',
    title: 'Quoted passages',
    head: { field: 'passage', as: 'text', title: 'Passage' },
    beside: [
      { field: 'path', as: 'path' },
      { field: 'source', as: 'text' },
    ],
    numbers: [{ field: 'visitors', as: 'count', title: 'Visitors' }],
    bar: 'visitors',
    barOf: 'human',
    empty: 'No passage that links led three visitors of a day to in this period.',
    note: 'Passages that links were to. Chromium alone tells them, and only those that three visitors of a day share are kept.',
  },
];

/** What stands between AI clients and the site. */
const trouble: readonly ReportRule[] = [
  {
    report: 'ai-failures',
    field: 'failures',
    title: 'Could not be read',
    head: page,
    beside: [client, status],
    numbers: [requests],
    bar: 'requests',
    empty: 'AI clients could read all that they asked for in this period.',
    note: 'Errors, refusals and redirects that your server answered AI clients with.',
  },
  {
    report: 'ai-disallowed',
    field: 'disallowed',
    title: 'Against robots.txt',
    head: page,
    beside: [client],
    numbers: [views],
    bar: 'views',
    empty: 'No AI client read what robots.txt asks it not to read in this period.',
  },
  {
    report: 'ai-cut-off',
    field: 'pages',
    title: 'Cut off',
    head: page,
    beside: [client],
    numbers: [views, bytes],
    bar: 'views',
    empty: 'No AI client read a page that is longer than it takes in this period.',
  },
  {
    report: 'signatures',
    field: 'signatures',
    title: 'Signatures',
    head: { field: 'operator', as: 'operator', title: 'Operator' },
    beside: [{ field: 'result', as: 'text' }],
    numbers: [requests],
    bar: 'requests',
    empty: 'No AI client signed its requests in this period.',
    note: 'Where all signatures of an operator fail, a proxy of yours may change what they sign.',
  },
];

/** What to do about it, and whether it helped. */
const work: readonly ReportRule[] = [
  {
    report: 'gaps',
    field: 'gaps',
    title: 'Gaps',
    head: page,
    beside: [{ field: 'evidence', as: 'text' }],
    numbers: [
      { field: 'people', as: 'count', title: 'People' },
      { field: 'ai', as: 'count', title: 'AI' },
    ],
    hasSearch: false,
    action: 'job',
    empty: 'No page that AI fails on, ignores, or reads far more than people in this period.',
  },
  {
    report: 'freshness',
    field: 'pages',
    title: 'Freshness',
    head: page,
    beside: [{ field: 'lastmod', as: 'day' }],
    numbers: [
      { field: 'daysUntilRead', as: 'days', title: 'Read after' },
      { field: 'daysSinceRead', as: 'ago', title: 'Last read' },
    ],
    isOfNow: true,
    choice: {
      ...{ parameter: 'client', title: 'AI client', all: 'Any AI client' },
      ...{ report: 'ai-clients', field: 'clients', name: 'client' },
    },
    empty:
      'No page of a sitemap is known. Name the host of the site in the settings to have its sitemap read daily.',
    note: 'How soon AI clients, or the one that you choose, read a page after it was changed, as your sitemap says.',
  },
  {
    report: 'changes',
    field: 'changes',
    title: 'Changes',
    head: { field: 'text', as: 'text', title: 'Change' },
    beside: [{ field: 'kind', as: 'kind' }],
    numbers: [
      { field: 'date', as: 'day', title: 'Day' },
      { field: 'addedViews', as: 'count', title: 'AI views' },
    ],
    hasSearch: false,
    action: 'effect',
    empty: 'No merged pull requests, releases, notes or new rules in this period.',
    note: 'New rules tell how many views since then are by AI clients that they added.',
  },
];

const measuring: readonly ReportRule[] = [
  {
    report: 'ways-in',
    field: 'ways',
    title: 'Ways in',
    head: { field: 'way', as: 'way', title: 'Way' },
    beside: [{ field: 'kind', as: 'kind' }],
    numbers: [{ field: 'hits', as: 'count', title: 'Hits' }],
    bar: 'hits',
    barOf: 'kind',
    hasSearch: false,
    empty: 'No hits in this period.',
  },
  {
    report: 'name-caps',
    field: 'nameCaps',
    title: 'New names',
    head: { field: 'names', as: 'names', title: 'Names of' },
    beside: [{ field: 'cap', as: 'cap' }, { field: 'kind', as: 'kind' }, client],
    numbers: [views],
    hasSearch: false,
    empty: 'Every view of this period was counted by its own names.',
    note: 'A day takes in 10,000 new names of each kind, and a fifth of them from one visitor or network. Views of others are counted together, as “All others”.',
  },
];

/** Reports that share a panel, one of them at a time. */
export interface ReportGroup {
  title: string;
  /** They tell nothing where neither a server nor a log told of requests. */
  isOfAi?: boolean;
  reports: readonly ReportRule[];
}

/** By the key that stands in the address. */
export const groups = {
  ai: { title: 'What AI reads', isOfAi: true, reports: reading },
  landings: { title: 'Where links lead', reports: landings },
  trouble: { title: 'What AI met', isOfAi: true, reports: trouble },
  work: { title: 'What to do', isOfAi: true, reports: work },
  ways: { title: 'How it was measured', reports: measuring },
} as const satisfies Record<string, ReportGroup>;
