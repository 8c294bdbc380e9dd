import { bytes, client, operator, page, requests, status, views, visitors } from './cells.ts';
import type { Panel, Report } from './report.ts';

interface CounterRule extends Pick<Report, 'summary' | 'tool'> {
  /** As stored: never change it. */
  number: number;
  /** The field of the reply of its report that has the rows. */
  field: string;
  /** Fields of a row that a sum's `group` holds, with tabs between them. */
  groups: readonly string[];
  /** The field that its `name` holds; null: it has none. */
  name: string | null;
  /** The field that says how often. */
  hits: string;
  /** The field of a second sum; null: none. */
  amount: string | null;
  /** Its names are paths of the site, which are moved and forgotten with those of pages. */
  namesPaths: boolean;
  /** Of its report, which is called as it is; none: it is not reported as it is. */
  panel?: Panel;
}

/** Plain sums by day that are no views: they know no visitors. Each is a group and a name, how often, and how much. */
export const counters = {
  'ai-failures': {
    ...{ number: 1, field: 'failures' },
    summary: 'What AI clients could not read: errors, refusals and redirects that they were answered',
    ...{ groups: ['client', 'status'], name: 'path', hits: 'requests', amount: null, namesPaths: true },
    panel: {
      ...{ pages: ['ai', 'fix'], order: 3, head: page },
      ...{ beside: [client, status], numbers: [requests], bar: 'requests', isGathered: true },
    },
    tool: {
      name: 'read_ai_failures',
      title: 'What AI could not read',
      description:
        'Lists errors, refusals and redirects that AI clients were answered in place of a page, by client, status and path, as far as the server or its log reports them. Paths are text of strangers.',
    },
  },
  'ai-formats': {
    ...{ number: 2, field: 'formats' },
    summary: 'In which form AI clients read: HTML, Markdown, `llms.txt` or `llms-full.txt`',
    ...{ groups: ['client'], name: 'form', hits: 'views', amount: null, namesPaths: false },
    panel: {
      ...{ pages: ['ai'], order: 2, head: client },
      ...{ across: { field: 'form', as: 'form' }, numbers: [views], bar: 'views' },
    },
    tool: {
      name: 'read_ai_formats',
      title: 'Formats',
      description: 'Counts in which form AI clients read: html, markdown, llms.txt or llms-full.txt.',
    },
  },
  'ai-bytes': {
    ...{ number: 3, field: 'clients' },
    summary: 'Bytes that AI clients were sent, where a report or a log knows the length',
    ...{ groups: ['client'], name: null, hits: 'requests', amount: 'bytes', namesPaths: false },
    panel: {
      ...{ pages: ['ai'], order: 9, head: client },
      numbers: [requests, bytes, { field: 'cost', as: 'price', title: 'cost' }],
      bar: 'bytes',
    },
    tool: {
      name: 'read_ai_bytes',
      title: 'What crawlers cost',
      description:
        'Adds up the bytes that AI clients were sent, and what these cost where the project names a price of a GB.',
    },
  },
  'ai-files': {
    ...{ number: 4, field: 'files' },
    summary: 'Files for machines that AI clients asked for, such as `/robots.txt` and `/llms.txt`',
    ...{ groups: ['client', 'status'], name: 'path', hits: 'requests', amount: null, namesPaths: false },
    panel: {
      ...{ pages: ['ai'], order: 4 },
      // No link: such a file is no page, or counts as the page that it is a version of.
      head: { field: 'path', as: 'path', title: 'file' },
      ...{ beside: [client, status], numbers: [requests], bar: 'requests', isGathered: true },
    },
    tool: {
      name: 'read_ai_files',
      title: 'Files for machines',
      description:
        'Counts requests of AI clients for well-known files such as /robots.txt and /llms.txt, by client and status.',
    },
  },
  'ai-disallowed': {
    ...{ number: 5, field: 'disallowed' },
    summary: "Pages that AI clients read although the site's robots.txt asks them not to",
    ...{ groups: ['client'], name: 'path', hits: 'views', amount: null, namesPaths: true },
    panel: {
      ...{ pages: ['ai'], order: 5, head: page },
      ...{ beside: [client], numbers: [views], bar: 'views', isGathered: true },
    },
    tool: {
      name: 'read_ai_disallowed',
      title: 'Read against robots.txt',
      description: "Lists pages that AI clients read although the site's robots.txt asks them not to.",
    },
  },
  'data-sources': {
    ...{ number: 6, field: 'dataSources' },
    summary:
      'Hits by the way they came in: script, image, report or log; and history, days that another tool counted',
    ...{ groups: ['way'], name: 'kind', hits: 'hits', amount: null, namesPaths: false },
    panel: {
      ...{ pages: ['measurement'], order: 1 },
      head: { field: 'way', as: 'way', title: 'way' },
      beside: [{ field: 'kind', as: 'kind' }],
      numbers: [{ field: 'hits', as: 'count', title: 'hits' }],
      ...{ bar: 'hits', barOf: 'kind', hasSearch: false },
    },
    tool: {
      name: 'read_data_sources',
      title: 'Data sources',
      description:
        'Counts hits by how they came in: script, image, report or log. Where hits come only by the script, AI clients are not measured, which is not zero.',
    },
  },
  'ai-cut-off': {
    ...{ number: 7, field: 'pages' },
    summary: 'Pages that AI clients read and that are longer than they are known to take',
    ...{ groups: ['client'], name: 'path', hits: 'views', amount: 'bytes', namesPaths: true },
    panel: {
      ...{ pages: ['ai'], order: 6, head: page },
      beside: [client],
      numbers: [views, bytes],
      bar: 'views',
    },
    tool: {
      name: 'read_ai_cut_off',
      title: 'Cut-off pages',
      description: 'Lists texts that are longer than the AI client that read them is known to take.',
    },
  },
  signatures: {
    ...{ number: 8, field: 'signatures' },
    summary: 'Signed requests by operator: valid, or why not',
    ...{ groups: ['operator'], name: 'result', hits: 'requests', amount: null, namesPaths: false },
    panel: {
      ...{ pages: ['measurement'], head: operator },
      beside: [{ field: 'result', as: 'text' }],
      ...{ numbers: [requests], bar: 'requests' },
    },
    tool: {
      name: 'read_signatures',
      title: 'Signature health',
      description:
        'Counts signed requests by operator: valid, or why not. Where those of several operators fail at once, a proxy of the site changes signed parts.',
    },
  },
  'text-fragments': {
    ...{ number: 9, field: 'passages' },
    summary: 'Passages of pages that links were to (text fragments), where three visitors of a day share one',
    ...{ groups: ['source', 'passage'], name: 'path', hits: 'visitors', amount: null, namesPaths: true },
    panel: {
      ...{ pages: ['ai'], order: 10, head: { field: 'passage', as: 'text', title: 'passage' } },
      beside: [page, { field: 'source', as: 'source' }],
      ...{ numbers: [visitors], bar: 'visitors', barOf: 'human' },
    },
    tool: {
      name: 'read_text_fragments',
      title: 'Quoted passages',
      description:
        'Lists the passages of pages that links of search engines, assistants and others were to, by source and page, where three visitors of a day share one: the nearest that can be seen to being quoted. Passages are text of strangers.',
    },
  },
  /** Who came by which of these on a day that is not sealed: in no report. */
  'text-fragment-visitors': {
    ...{ number: 10, field: 'visitors', summary: '' },
    ...{ groups: ['visitor', 'source', 'passage'], name: 'path', hits: 'views', amount: null },
    namesPaths: true,
  },
  /** Reported as `time-on-page`. */
  'visible-time': {
    ...{ number: 11, field: 'pages', summary: '' },
    ...{ groups: ['seconds'], name: 'path', hits: 'views', amount: null, namesPaths: true },
  },
  'ai-networks': {
    ...{ number: 12, field: 'networks' },
    summary:
      'Whose network AI clients came from that nothing proved, where the server has a database of networks',
    ...{ groups: ['client'], name: 'network', hits: 'views', amount: null, namesPaths: false },
    panel: {
      ...{ pages: ['measurement'], head: client },
      beside: [{ field: 'network', as: 'network' }],
      ...{ numbers: [views], bar: 'views' },
    },
    tool: {
      name: 'read_ai_networks',
      title: 'Networks of unproven AI clients',
      description:
        "Counts views of AI clients that nothing proved by the network they came from: their operator's own, one where anybody rents machines, another, or an unknown one. It is a hint and proves nothing.",
    },
  },
  /** Of people, to say before `excludesDataCenters` is set how many it leaves out: with the exclusions. */
  'people-networks': {
    ...{ number: 13, field: 'networks', summary: '' },
    ...{ groups: ['network'], name: null, hits: 'views', amount: null, namesPaths: false },
  },
} as const satisfies Record<string, CounterRule>;

export type Counter = keyof typeof counters;

export const counterNames = Object.keys(counters) as readonly Counter[];

/** Those that are reported as they are. */
export type ReportedCounter = {
  [Name in Counter]: (typeof counters)[Name] extends { panel: Panel } ? Name : never;
}[Counter];

export const reportedCounters = counterNames.filter(
  (name): name is ReportedCounter => 'panel' in counters[name],
);

/** What archives of earlier versions call them. */
export const formerCounters: Readonly<Record<string, Counter>> = {
  'ai-forms': 'ai-formats',
  'ai-surfaces': 'ai-files',
  'ways-in': 'data-sources',
  quoted: 'text-fragments',
};

/** The data sources of hits. One by script or image is of a page that somebody sees; a report or a log is about requests. */
export const hitDataSources = ['script', 'image', 'report', 'log'] as const;
export type HitDataSource = (typeof hitDataSources)[number];

/** All data sources: whole days may also come from another tool that counted them. */
export const dataSources = [...hitDataSources, 'history'] as const;

/** Kinds of hits: views of people, views of AI clients, or hits that are not counted. */
const hitKinds = ['people', 'ai', 'dropped'] as const;
export type HitKind = (typeof hitKinds)[number];

/** True for all but the data sources themselves: a zero means little where nothing was measured. */
export function hasMeasured(counter: Counter): boolean {
  return counter !== 'data-sources';
}

/** Bytes have the price that the project sets. */
export function hasCost(counter: Counter): boolean {
  return counter === 'ai-bytes';
}
