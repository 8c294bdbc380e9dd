import { dimensions } from '../../shared/reports/dimensions.ts';
import type { BoundedCount } from '../../shared/reports/replies.ts';
import type { CountedPath } from '../../shared/reports/reports.ts';
import { askedOf } from '../analytics/filters.ts';
import { writeRun } from '../analytics/measured.ts';
import { dateOf } from '../insights/days.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Store } from '../store/store.ts';
import { oneLine } from '../text/one-line.ts';
import {
  isMissing,
  nounOf,
  type PeriodMeasured,
  rangeOf,
  readNumbers,
  readPeriods,
  readRows,
  rowsOfNumbers,
  rowsOfPages,
  writeBounded,
  writeBounds,
  writeViews,
} from './digest-numbers.ts';
import type { DigestPeriod } from './digest-period.ts';
import { readViews, tableOfView } from './digest-views.ts';
import type { Notification, NotificationTable } from './notification.ts';

type Facts = Awaited<ReturnType<typeof readFacts>>;

/** The numbers of a period, as in the reports. @param url of the project's dashboard */
export async function writeDigest(
  store: Store,
  project: LiveProject,
  period: DigestPeriod,
  url: string,
): Promise<Notification> {
  const { message, ...facts } = await readFacts(store, project, period, url);
  const { name } = project.settings;
  return {
    kind: `digest.${period.term}`,
    title: `${oneLine(name)}, ${period.name}: ${headlineOf(facts)}`,
    project: { id: project.id, name },
    paragraphs: [...paragraphsOf(facts, period), ...(message === null ? [] : [message])],
    tables: tablesOf(facts, period),
    url: `${url}?range=${rangeOf(period)}`,
    facts,
  };
}

interface ClientRow {
  client: string;
  proof: string | null;
  visitors: number | null;
  views: number | null;
  bounds?: { views: { from: number; to: number } };
}

async function readFacts(
  store: Store,
  { id: projectId, settings }: LiveProject,
  period: DigestPeriod,
  url: string,
) {
  const { from, to } = period;
  const asked = askedOf(store, projectId, settings);
  const sources = await readRows(asked, dimensions.source.report as CountedPath, period);
  const clients = await readRows(asked, 'ai-clients', period);
  return {
    dateFrom: dateOf(from),
    dateTo: dateOf(to),
    ...(await readNumbers(asked, period)),
    sources: [...sources.rows] as unknown as (BoundedCount & { source: string })[],
    clients: ([...clients.rows] as unknown as ClientRow[]).map(
      ({ client, proof, visitors, views, bounds }) => ({
        ...{ client, proof, visitors, views },
        ...(bounds && { bounds }),
      }),
    ),
    ...(await readPeriods(asked, period)),
    views: await readViews(store.savedViews, asked, { ids: settings.digestViews, period, url }),
  };
}

type Shown = Omit<Facts, 'message'>;

/** Such as `812 views by people, 96 by AI`. */
function headlineOf({ totals: { views }, measured }: Shown): string {
  const people = isMissing('human', views, measured)
    ? null
    : `${writeViews(views, 'human', measured)} by people`;
  if (isMissing('ai', views, measured)) return `${people ?? 'people not measured'}, AI not measured`;
  if (people === null) return `people not measured, ${writeViews(views, 'ai', measured)} by AI`;
  return `${people}, ${writeBounded(views, 'ai', measured)} by AI`;
}

function paragraphsOf({ measured }: { measured: PeriodMeasured }, period: DigestPeriod): string[] {
  const { from, to } = period;
  const what = `Counts from ${dateOf(from)} to ${dateOf(to - 1)}, against the ${nounOf(period)} before.`;
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
  for (const [who, name] of [
    ['human', 'People were'],
    ['ai', 'AI that runs no scripts was'],
  ] as const) {
    const missing = measured.missing[who];
    if (missing) texts.push(`${name} not measured on ${writeRun(missing)}: there may have been more.`);
  }
  return texts;
}

function tablesOf(facts: Shown, period: DigestPeriod): NotificationTable[] {
  const { pages, sources, clients, measured, views } = facts;
  const lists = [
    { title: 'Pages by views', rows: rowsOfPages(pages, measured) },
    {
      title: 'Sources by visitors',
      rows: sources.map((source) => ({
        name: source.source,
        value: writeBounded(source, 'human', measured),
      })),
    },
    {
      title: 'AI clients by views',
      rows: clients.map(({ client, proof, views, bounds }) => ({
        name: proof === null ? client : `${client} (${proof})`,
        value: writeBounds(views, bounds?.views.to ?? views ?? 0, measured.missing.ai !== null),
      })),
    },
  ];
  return [
    { title: 'In numbers', rows: rowsOfNumbers(facts, period) },
    ...lists.filter(({ rows }) => rows.length > 0),
    ...views.map((view) => tableOfView(view, facts, period)),
  ];
}
