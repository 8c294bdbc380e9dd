import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Calendar } from '../../server/counting/calendar.ts';
import type { View } from '../../server/counting/view.ts';
import { what } from '../../server/counting/what.ts';
import { databaseFile, openSqliteStore } from '../../server/store/sqlite/store.ts';
import type { Store } from '../../server/store/store.ts';
import { noNames, openDay } from '../../test/support/views.ts';
import { paths } from '../load/traffic.ts';
import { randomNumbers, zipf } from '../random.ts';

const source = '(direct)';

/** Visitors are added so many at a time, all with the same choice of paths. */
const chunk = 10_000;

/** Fills the project's present day with visitors who saw one page each, as if they had come one by one. */
export async function seedDay(dataDir: string, projectId: string, visitors: number): Promise<void> {
  const store = await openSqliteStore(dataDir);
  await countFirst(store, projectId);
  await store.close();
  const db = new Database(join(dataDir, databaseFile));
  // Only while it is filled: nothing else has it open, and what goes wrong is thrown away as a whole.
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -262144');
  addVisitors(db, visitors);
  db.pragma('journal_mode = WAL');
  db.close();
}

/** One view of each path through the store, which makes the day, the names and their counts. */
async function countFirst(store: Store, projectId: string): Promise<void> {
  const { projects } = await store.directory();
  const timeZone = projects.find(({ id }) => id === projectId)?.settings.timeZone ?? 'UTC';
  const opened = await openDay(store, projectId, new Calendar(timeZone).dayOf(Date.now()), randomBytes(16));
  if (!opened) throw new Error(`There is no project ${projectId}.`);
  const views = paths.map(
    (path, i): View => ({
      projectId,
      day: opened.day,
      visitor: BigInt(i),
      network: i,
      kind: 'human',
      path,
      ...noNames,
      moment: 0,
      source,
      client: null,
      device: 'desktop',
      browser: 'Chrome',
      system: 'Windows',
    }),
  );
  await store.countViews(views, []);
}

function addVisitors(db: Database.Database, visitors: number): void {
  db.exec(
    `create temp table many (
       i integer primary key, jitter integer not null, path integer not null, sightings blob not null) strict`,
  );
  const findName = db
    .prepare<[number, string], number>('select id from names where what = ? and text = ?')
    .pluck();
  const add = db.prepare('insert into many values (?, ?, ?, ?)');
  const nameOf = (dimension: 'source' | 'path', text: string) =>
    findName.get(what[dimension], text) as number;
  const sourceName = nameOf('source', source);
  const random = randomNumbers(3);
  const drawPath = zipf(paths.length, random);
  const step = 2n ** 64n / BigInt(visitors);
  for (let i = 0; i < chunk; i++) {
    const jitter = BigInt(Math.floor(random() * Number(step)));
    const path = nameOf('path', paths[drawPath()] as string);
    const visitorKeys = Uint32Array.of(0, sourceName, path).map((name) => name * 4 + 1);
    add.run(i, jitter, path, new Uint8Array(visitorKeys.buffer));
  }
  // A tree that grew in random order has pages that are about two thirds full: the second pass splits them.
  addSeen(db, visitors, step, 'one.i % 10 < 6');
  addSeen(db, visitors, step, 'one.i % 10 >= 6');
  addCounts(db, visitors);
}

/** Visitors are spread evenly over all numbers of 64 bits; each is seen on the site, on its source and one path. */
function addSeen(db: Database.Database, visitors: number, step: bigint, condition: string): void {
  db.prepare(
    `insert into seen (day, visitor, sightings)
     select d.id, (ten.i * ${chunk} + one.i - @half) * @step + one.jitter, one.sightings
     from days d cross join many ten cross join many one
     where ten.i < @chunks and ${condition}`,
  ).run({ half: visitors / 2, step, chunks: visitors / chunk });
}

/** Everybody has the one source, device, browser and system; paths as they were drawn. */
function addCounts(db: Database.Database, visitors: number): void {
  db.prepare(
    `update counts set
       human_visitors = human_visitors + added, visitors = visitors + added, human_views = human_views + added
     from (select path as id, count(*) * @chunks as added from many group by path
           union all select id, @visitors from names where what != ${what.path}
           union all select 0, @visitors) as those
     where those.id = counts.name`,
  ).run({ visitors, chunks: visitors / chunk });
}
