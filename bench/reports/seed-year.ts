import { randomBytes } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Calendar, type Day, fromDay } from '../../server/counting/calendar.ts';
import type { CounterIncrement } from '../../server/counting/counter.ts';
import type { View } from '../../server/counting/view.ts';
import { parseTraits } from '../../server/counting/visitor/visitor.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { databaseFile, openSqliteStore } from '../../server/store/sqlite/store.ts';
import type { Store } from '../../server/store/store.ts';
import { noNames, openDay } from '../../test/support/views.ts';
import type { Bench } from '../bench.ts';
import { randomNumbers, zipf } from '../random.ts';
import { addProject } from '../server.ts';
import userAgents from '../user-agents.json' with { type: 'json' };
import { measureSpace } from './space.ts';
import type { Year } from './year.ts';

const pathCount = 5_000;
const pagesPerVisitor = 5;
/** Views of a day beyond one of each path. */
const moreViews = 1_000;

/** What a day has. */
export type CountsOf = (projectId: string, day: Day) => { views: View[]; counters: CounterIncrement[] };

interface SeedOptions {
  seal?: boolean;
  countsOf?: CountsOf;
}

/** A year of counts, made by the store's own methods, sealed as far as the server would have sealed it. */
export async function seedYear(bench: Bench): Promise<Year> {
  const dataDir = join(bench.folder, 'year');
  const project = await addProject(bench, dataDir);
  const store = await openSqliteStore(dataDir);
  const today = await todayOf(store, project.projectId);
  const first = firstDay(today);
  await seedDays(bench, store, project.projectId, first, today - 2);
  const space = measureSpace(join(dataDir, databaseFile), (today - 1 - first) * pathCount);
  await seedDays(bench, store, project.projectId, today - 1, today, { seal: false });
  await store.close();
  return {
    dataDir,
    thousandfoldDir: await multiply(bench, dataDir, 1000),
    project,
    range: rangeOf(first, today),
    days: today + 1 - first,
    space,
  };
}

/** The same in a PostgreSQL. */
export async function seedPostgresYear(
  bench: Bench,
  url: string,
  projectId: string,
): Promise<Pick<Year, 'range' | 'days'>> {
  const store = await openPostgresStore(url);
  const today = await todayOf(store, projectId);
  const first = firstDay(today);
  await seedDays(bench, store, projectId, first, today - 2);
  await seedDays(bench, store, projectId, today - 1, today, { seal: false });
  await store.close();
  return { range: rangeOf(first, today), days: today + 1 - first };
}

export function rangeOf(first: Day, today: Day): string {
  return `dateFrom=${fromDay(first)}&dateTo=${fromDay(today + 1)}`;
}

export async function todayOf(store: Store, projectId: string): Promise<Day> {
  const { projects } = await store.directory();
  const project = projects.find(({ id }) => id === projectId);
  return new Calendar(project?.settings.timeZone ?? 'UTC').dayOf(Date.now());
}

/** 365 days before tomorrow, or up to three more, so that no block of days begins with it. */
export function firstDay(today: Day, days = 365): Day {
  const latest = today + 1 - days;
  return latest - ((latest + 3) % 4);
}

export async function seedDays(
  bench: Bench,
  store: Store,
  projectId: string,
  first: Day,
  last: Day,
  { seal = true, countsOf = plainCounts }: SeedOptions = {},
): Promise<void> {
  for (let day = first; day <= last; day++) {
    bench.signal.throwIfAborted();
    await openDay(store, projectId, day, randomBytes(16));
    const { views, counters } = countsOf(projectId, day);
    await store.countViews(views, [], counters);
    if (seal && (day === last || day % 16 === 0)) await store.seal(projectId, day);
  }
}

const plainCounts: CountsOf = (projectId, day) => ({ views: viewsOfDay(projectId, day), counters: [] });

/** Each path once, and those at the head of the list again and again. */
export function viewsOfDay(projectId: string, day: Day): View[] {
  const random = randomNumbers(day);
  const drawPath = zipf(pathCount, random);
  const views: View[] = [];
  for (let i = 0; i < pathCount + moreViews; i++) {
    const path = i < pathCount ? i : drawPath();
    const visitor = Math.floor(i / pagesPerVisitor);
    views.push({
      projectId,
      day,
      visitor: BigInt.asIntN(64, BigInt(visitor + 1) * 0x9e3779b97f4a7c15n),
      network: visitor,
      kind: 'human',
      path: `/docs/chapter-${path % 50}/page-${path}`,
      ...noNames,
      moment: 0,
      source: i % pagesPerVisitor === 0 ? `site-${visitor % 20}.example` : null,
      client: null,
      ...parseTraits(userAgents[visitor % userAgents.length] as string),
    });
  }
  return views;
}

async function multiply({ folder }: Bench, dataDir: string, factor: number): Promise<string> {
  const multipliedDir = join(folder, 'thousandfold-year');
  await mkdir(multipliedDir);
  await copyFile(join(dataDir, databaseFile), join(multipliedDir, databaseFile));
  const db = new Database(join(multipliedDir, databaseFile));
  db.prepare(
    `update counts set
       human_visitors = human_visitors * @factor, ai_visitors = ai_visitors * @factor,
       visitors = visitors * @factor,
       human_views = human_views * @factor, ai_views = ai_views * @factor`,
  ).run({ factor });
  db.close();
  return multipliedDir;
}
