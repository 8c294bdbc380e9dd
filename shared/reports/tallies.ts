interface TallyRule {
  /** As stored: never change it. */
  number: number;
  /** Of the report: its route, and the field of the reply that has its rows; null: there is none. */
  report: string | null;
  field: string;
  title: string;
  summary: string;
  /** Fields of a row that a sum's `group` holds, with tabs between them. */
  groups: readonly string[];
  /** The field that its `name` holds; null: it has none. */
  name: string | null;
  /** The field that says how often. */
  hits: string;
  /** The field of what is added up besides; null: nothing. */
  amount: string | null;
  /** Its names are paths of the site, which are moved and forgotten with those of pages. */
  namesPaths: boolean;
}

/** Plain sums by day that are no views: they know no visitors. Each is a group and a name, how often, and how much. */
export const tallies = {
  'ai-failures': {
    ...{ number: 1, report: 'ai-failures', field: 'failures', title: 'What AI could not read' },
    summary: 'What AI clients could not read: errors, refusals and redirects that they were answered',
    ...{ groups: ['client', 'status'], name: 'path', hits: 'requests', amount: null, namesPaths: true },
  },
  'ai-forms': {
    ...{ number: 2, report: 'ai-forms', field: 'forms', title: 'Form' },
    summary: 'In which form AI clients read: HTML, Markdown, `llms.txt` or `llms-full.txt`',
    ...{ groups: ['client'], name: 'form', hits: 'views', amount: null, namesPaths: false },
  },
  'ai-bytes': {
    ...{ number: 3, report: 'ai-bytes', field: 'clients', title: 'What crawlers cost' },
    summary: 'Bytes that AI clients were sent, where a report or a log knows the length',
    ...{ groups: ['client'], name: null, hits: 'requests', amount: 'bytes', namesPaths: false },
  },
  'ai-surfaces': {
    ...{ number: 4, report: 'ai-surfaces', field: 'surfaces', title: 'Surfaces' },
    summary: 'Files for machines that AI clients asked for, such as `/robots.txt` and `/llms.txt`',
    ...{ groups: ['client', 'status'], name: 'path', hits: 'requests', amount: null, namesPaths: false },
  },
  'ai-disallowed': {
    ...{ number: 5, report: 'ai-disallowed', field: 'disallowed', title: 'Read against robots.txt' },
    summary: "Pages that AI clients read although the site's robots.txt asks them not to",
    ...{ groups: ['client'], name: 'path', hits: 'views', amount: null, namesPaths: true },
  },
  'ways-in': {
    ...{ number: 6, report: 'ways-in', field: 'ways', title: 'Ways in' },
    summary:
      'Hits by the way they came in: script, image, report or log; and history, days that another tool counted',
    ...{ groups: ['way'], name: 'kind', hits: 'hits', amount: null, namesPaths: false },
  },
  'ai-cut-off': {
    ...{ number: 7, report: 'ai-cut-off', field: 'pages', title: 'Cut-off pages' },
    summary: 'Pages that AI clients read and that are longer than they are known to take',
    ...{ groups: ['client'], name: 'path', hits: 'views', amount: 'bytes', namesPaths: true },
  },
  signatures: {
    ...{ number: 8, report: 'signatures', field: 'signatures', title: 'Signature health' },
    summary: 'Signed requests by operator: valid, or why not',
    ...{ groups: ['operator'], name: 'result', hits: 'requests', amount: null, namesPaths: false },
  },
  quoted: {
    ...{ number: 9, report: 'quoted', field: 'passages', title: 'Quoted passages' },
    summary: 'Passages of pages that links were to (text fragments), where three visitors of a day share one',
    ...{ groups: ['source', 'passage'], name: 'path', hits: 'visitors', amount: null, namesPaths: true },
  },
  /** Who came by which of these on a day that is not sealed: no report tells it. */
  'quoted-sightings': {
    ...{ number: 10, report: null, field: 'sightings', title: 'Quoted passages', summary: '' },
    ...{ groups: ['visitor', 'source', 'passage'], name: 'path', hits: 'views', amount: null },
    namesPaths: true,
  },
  /** Told by a report of its own (server/analytics/time-report.ts). */
  'visible-time': {
    ...{ number: 11, report: null, field: 'pages', title: 'Time on page', summary: '' },
    ...{ groups: ['seconds'], name: 'path', hits: 'views', amount: null, namesPaths: true },
  },
  'ai-networks': {
    ...{ number: 12, report: 'ai-networks', field: 'networks', title: 'Networks of unproven AI clients' },
    summary:
      'Whose network AI clients came from that nothing proved, where the server has a database of networks',
    ...{ groups: ['client'], name: 'network', hits: 'views', amount: null, namesPaths: false },
  },
} as const satisfies Record<string, TallyRule>;

export type Tally = keyof typeof tallies;

export const tallyNames = Object.keys(tallies) as readonly Tally[];

/** Those that are reported as they are. */
export type ReportedTally = {
  [Name in Tally]: (typeof tallies)[Name]['report'] extends null ? never : Name;
}[Tally];

export const reportedTallies = tallyNames.filter(
  (name): name is ReportedTally => tallies[name].report !== null,
);

/** The ways in of hits. One by script or image is of a page that somebody sees; a report or a log tells of requests. */
export const hitWays = ['script', 'image', 'report', 'log'] as const;
export type HitWay = (typeof hitWays)[number];

/** All ways in: whole days may also come from another tool that counted them. */
export const waysIn = [...hitWays, 'history'] as const;
export type WayIn = (typeof waysIn)[number];

/** What came in: views of people, views of AI clients, or hits that are not counted. */
const hitKinds = ['people', 'ai', 'dropped'] as const;
export type HitKind = (typeof hitKinds)[number];

/** Of all but the ways in themselves a zero means little where nobody measured. */
export function tellsMeasured(tally: Tally): boolean {
  return tally !== 'ways-in';
}

/** Bytes cost what the project says. */
export function tellsCost(tally: Tally): boolean {
  return tally === 'ai-bytes';
}
