import type { Count, Measure, Measured } from '../../shared/reports/analytics.ts';
import { isUnmeasured, readMeasured } from '../analytics/measured.ts';
import type { Day } from '../counting/calendar.ts';
import { dateOf } from '../insights/days.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { CountReport } from '../store/counts/analytics-store.ts';
import { oneLine } from '../text/one-line.ts';
import type { DigestPeriod } from './digest-period.ts';
import { type Notification, type NotificationTable, writeCount, writeNumber } from './notification.ts';

/** Of each list. */
const maxRows = 5;

interface Totals {
  visitors: Count;
  views: Count;
}

type Facts = Awaited<ReturnType<typeof readFacts>>;

/** The numbers of a period, as in the reports. @param url of the project's dashboard */
export async function writeDigest(
  store: AnalyticsStore,
  project: Notification['project'],
  period: DigestPeriod,
  url: string,
): Promise<Notification> {
  const facts = await readFacts(store, project.id, period);
  return {
    kind: `digest.${period.term}`,
    title: `${oneLine(project.name)}, ${period.name}: ${headlineOf(facts)}`,
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
    measuredBefore: await readMeasured(store, { projectId, from: before, to: from }),
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

/** Such as `812 views by people, 96 by AI`. */
function headlineOf({ totals: { views }, measured }: Facts): string {
  const people = isMissing('human', views, measured) ? null : `${writeCount(views.human, 'view')} by people`;
  if (isMissing('ai', views, measured)) return `${people ?? 'people not measured'}, AI not measured`;
  if (people === null) return `people not measured, ${writeCount(views.ai, 'view')} by AI`;
  return `${people}, ${writeNumber(views.ai)} by AI`;
}

type Who = 'human' | 'ai';

/** A number that was not measured is not zero. */
function isMissing(who: Who, count: Count, measured: Measured): boolean {
  return isUnmeasured(count[who], wasMeasured(who, measured));
}

function wasMeasured(who: Who, { people, ai }: Measured): boolean | null {
  return who === 'human' ? people : ai;
}

function paragraphsOf({ measured }: Facts, { from, to, term }: DigestPeriod): string[] {
  const what = `Counts from ${dateOf(from)} to ${dateOf(to - 1)}, against the ${nounOf(term)} before.`;
  const texts = [`${what} A visitor is counted once a day.`];
  if (measured.ways.length === 0) texts.push('Nothing came in: see whether the script is on the pages.');
  if (measured.ai === false) {
    texts.push('AI that runs no scripts was not measured: only your server or its log sees it.');
  }
  if (measured.people === false) {
    texts.push(
      'People were not measured: neither the script nor the image reported any, nor a server or log.',
    );
  }
  return texts;
}

function nounOf(term: DigestPeriod['term']): string {
  return term === 'weekly' ? 'week' : 'month';
}

function tablesOf(facts: Facts, { term }: DigestPeriod): NotificationTable[] {
  const { pages, sources, clients, measured } = facts;
  const sum = (measure: Measure, who: Who) => sumOf(facts, measure, who, nounOf(term));
  const numbers = [
    { name: 'Visitors, people', value: sum('visitors', 'human') },
    { name: 'Visitors, AI', value: sum('visitors', 'ai') },
    { name: 'Views by people', value: sum('views', 'human') },
    { name: 'Views by AI', value: sum('views', 'ai') },
  ];
  const lists = [
    {
      title: 'Pages by views',
      rows: pages.map((page) => ({ name: page.path, value: viewsOf(page, measured) })),
    },
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

/** With how it changed, where both were counted alike: of AI some is seen by the script, too. */
function sumOf(
  { totals, before, measured, measuredBefore }: Facts,
  measure: Measure,
  who: Who,
  noun: string,
): string {
  const [count, countBefore] = [totals[measure][who], before[measure][who]];
  const [now, then] = [wasMeasured(who, measured), wasMeasured(who, measuredBefore)];
  if (isUnmeasured(count, now)) return 'not measured';
  return `${writeNumber(count)} (${changeOf(count, countBefore, noun, { now, then })})`;
}

function viewsOf(page: Count, measured: Measured): string {
  const measuredKinds = (['human', 'ai'] as const).filter((who) => !isMissing(who, page, measured));
  return measuredKinds
    .map((who) => `${writeNumber(page[who])} by ${who === 'human' ? 'people' : 'AI'}`)
    .join(', ');
}

function changeOf(
  count: number,
  before: number,
  noun: string,
  { now, then }: Record<'now' | 'then', boolean | null>,
): string {
  if (isUnmeasured(before, then) || (then === false && now === true))
    return `not measured the ${noun} before`;
  if (now === false && then === true) return `measured in another way the ${noun} before`;
  if (before === 0) return count === 0 ? 'as before' : `none the ${noun} before`;
  const percent = Math.round((count / before - 1) * 100);
  if (percent === 0) return 'as before';
  return `${percent > 0 ? '+' : '−'}${writeNumber(Math.abs(percent))} %`;
}
