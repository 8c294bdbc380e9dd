import type { Count, Measure } from '../../shared/reports/analytics.ts';
import { readMeasured } from '../analytics/measured.ts';
import type { Day } from '../counting/calendar.ts';
import { dateOf } from '../insights/days.ts';
import { oneLine } from '../one-line.ts';
import type { AnalyticsStore, CountReport } from '../store/counts/analytics-store.ts';
import type { DigestPeriod } from './digest-period.ts';
import { type Letter, type LetterTable, writeNumber } from './letter.ts';

/** Of each list. */
const maxRows = 5;

interface Totals {
  visitors: Count;
  views: Count;
}

type Facts = Awaited<ReturnType<typeof readFacts>>;

/** The numbers of a period, as the reports tell them. @param url of the project's dashboard */
export async function writeDigest(
  store: AnalyticsStore,
  project: Letter['project'],
  period: DigestPeriod,
  url: string,
): Promise<Letter> {
  const facts = await readFacts(store, project.id, period);
  const { human, ai } = facts.totals.views;
  return {
    kind: `digest.${period.term}`,
    title: `${oneLine(project.name)}, ${period.name}: ${writeNumber(human)} views by people, ${writeNumber(ai)} by AI`,
    project,
    paragraphs: paragraphsOf(facts, period),
    tables: tablesOf(facts, period),
    url: `${url}?range=${facts.dateFrom}..${dateOf(period.to - 1)}`,
    facts,
  };
}

async function readFacts(store: AnalyticsStore, projectId: string, { before, from, to }: DigestPeriod) {
  const range = { projectId, from, to, limit: maxRows, offset: 0 };
  const read = (dimension: 'path' | 'source', measure: Measure) =>
    store.readCounts({ ...range, dimension, measure });
  const visitors = await read('path', 'visitors');
  const views = await read('path', 'views');
  const sources = await read('source', 'visitors');
  const { rows: clients } = await store.readClients(range);
  return {
    dateFrom: dateOf(from),
    dateTo: dateOf(to),
    totals: { visitors: visitors.totals, views: views.totals },
    before: await readTotals(store, projectId, before, from),
    pages: views.rows.map(({ name, ...count }) => ({ path: name, ...count })),
    sources: sources.rows.map(({ name, ...count }) => ({ source: name, ...count })),
    clients: clients.map(({ name, ...client }) => ({ client: name, ...client })),
    measured: await readMeasured(store, { projectId, from, to }),
  };
}

async function readTotals(store: AnalyticsStore, projectId: string, from: Day, to: Day): Promise<Totals> {
  const range = { projectId, from, to, limit: 1, offset: 0, dimension: 'path' as const };
  const totalsOf = ({ totals }: CountReport) => totals;
  return {
    visitors: await store.readCounts({ ...range, measure: 'visitors' }).then(totalsOf),
    views: await store.readCounts({ ...range, measure: 'views' }).then(totalsOf),
  };
}

function paragraphsOf({ measured }: Facts, { from, to, term }: DigestPeriod): string[] {
  const what = `What was counted from ${dateOf(from)} to ${dateOf(to - 1)}, against the ${nounOf(term)} before.`;
  const texts = [`${what} A visitor is counted once a day.`];
  if (measured.ways.length === 0) texts.push('Nothing came in: see whether the script is on the pages.');
  else if (measured.ai === false) {
    texts.push('Only pages in browsers reported, which no AI client that runs no scripts is seen by.');
  }
  return texts;
}

function nounOf(term: DigestPeriod['term']): string {
  return term === 'weekly' ? 'week' : 'month';
}

function tablesOf(facts: Facts, { term }: DigestPeriod): LetterTable[] {
  const { totals, before, pages, sources, clients } = facts;
  const row = (name: string, measure: Measure, who: 'human' | 'ai') => ({
    name,
    value: `${writeNumber(totals[measure][who])} (${changeOf(totals[measure][who], before[measure][who], nounOf(term))})`,
  });
  const numbers = [
    row('Visitors, people', 'visitors', 'human'),
    row('Visitors, AI', 'visitors', 'ai'),
    row('Views by people', 'views', 'human'),
    row('Views by AI', 'views', 'ai'),
  ];
  const count = ({ human, ai }: Count) => `${writeNumber(human)} by people, ${writeNumber(ai)} by AI`;
  const lists = [
    { title: 'Pages by views', rows: pages.map((page) => ({ name: page.path, value: count(page) })) },
    {
      title: 'Sources by visitors',
      rows: sources.map(({ source, human }) => ({ name: source, value: writeNumber(human) })),
    },
    {
      title: 'AI clients by views',
      rows: clients.map(({ client, proof, views }) => ({
        name: proof === null ? client : `${client} (${proof})`,
        value: writeNumber(views),
      })),
    },
  ];
  return [{ title: 'In numbers', rows: numbers }, ...lists.filter(({ rows }) => rows.length > 0)];
}

function changeOf(count: number, before: number, noun: string): string {
  if (before === 0) return count === 0 ? 'as before' : `none the ${noun} before`;
  const percent = Math.round((count / before - 1) * 100);
  if (percent === 0) return 'as before';
  return `${percent > 0 ? '+' : '−'}${writeNumber(Math.abs(percent))} %`;
}
