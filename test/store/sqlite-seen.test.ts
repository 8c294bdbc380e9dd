import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { View } from '../../server/counting/view.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import { turnBack } from '../support/releases/old-database.ts';
import { anySalt, view as anyView, human, openDay, query } from '../support/views.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-'));
  store = await openSqliteStore(folder);
  const settings = projectSettings.parse({ name: 'Docs' });
  await store.addProject({ id: 'p1', settings, createdAt: '2026-01-01T00:00:00.000Z' }, []);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const view = (visitor: number, changes: Partial<View> = {}) =>
  anyView({ visitor: BigInt(visitor) * 7_919_810_303n - 2n ** 60n, ...changes });

/** In transactions of the size that a busy server makes. */
async function count(views: View[]): Promise<void> {
  for (let i = 0; i < views.length; i += 256) {
    expect(await store.countViews(views.slice(i, i + 256), [])).toEqual([]);
  }
}

async function visitorsOn(day: number): Promise<Count> {
  return (await store.readCounts(query({ from: day, to: day + 1, limit: 1 }))).totals;
}

function inDatabase<T>(look: (db: Database.Database) => T): T {
  const db = new Database(join(folder, 'headcount.db'));
  try {
    return look(db);
  } finally {
    db.close();
  }
}

async function reopen(): Promise<void> {
  await store.close();
  store = await openSqliteStore(folder);
}

const rows = (db: Database.Database, table: string) =>
  db.prepare(`select count(*) from ${table}`).pluck().get();

test.each(['this', 'another'])(
  'a day that %s process seals while its visitors are sorted in leaves none, and the next day loses none',
  async (process) => {
    await openDay(store, 'p1', 20_000, anySalt());
    // 4,096 visitors are sorted in at once, as at every start; 71,808 visitor keys follow, 65,536 of which begin a sorting of 64 steps.
    await count(Array.from({ length: 40_000 }, (_, i) => view(i)));
    expect(inDatabase((db) => [rows(db, 'seen'), rows(db, 'newly_seen')])).toEqual([
      expect.toSatisfy((visitors: number) => visitors > 5_000 && visitors < 20_000),
      expect.toSatisfy((transactions: number) => transactions > 100),
    ]);
    const sealing = process === 'this' ? store : await openSqliteStore(folder);
    await sealing.seal('p1', 20_000);
    if (sealing !== store) await sealing.close();
    expect(inDatabase((db) => [rows(db, 'seen'), rows(db, 'newly_seen')])).toEqual([0, 0]);

    await openDay(store, 'p1', 20_001, anySalt());
    const today = Array.from({ length: 600 }, (_, i) => view(i, { day: 20_001 }));
    await count(today);
    expect(inDatabase((db) => [rows(db, 'seen'), rows(db, 'newly_seen')])).toEqual([0, 3]);
    await reopen();
    await count(today.toReversed());
    expect(await visitorsOn(20_001)).toEqual(human(600));
    expect(await visitorsOn(20_000)).toEqual(human(40_000));
  },
);

test('visitors who read hundreds of pages count once on each, also after a restart', async () => {
  await openDay(store, 'p1', 20_000, anySalt());
  const pages = Array.from({ length: 300 }, (_, i) => `/${i}`);
  const read = (paths: string[]) =>
    count(paths.flatMap((path) => [view(1, { path }), view(2, { path }), view(3, { path: '/0' })]));
  await read(pages);
  await read(pages.toReversed());
  await reopen();
  await read(pages);
  const { rows: counted } = await store.readCounts(query({ limit: 300 }));
  expect(counted).toHaveLength(300);
  expect(counted[0]).toEqual({ name: '/0', ...human(3) });
  for (const page of counted.slice(1)) expect(page).toMatchObject(human(2));
});

test('what a failed transaction saw is not seen, and what others saw before it still is', async () => {
  await openDay(store, 'p1', 20_000, anySalt());
  // At first each transaction sorts in what it saw, as another process may be counting too.
  for (let i = 0; i < 20; i++) await count([view(1)]);
  await count([view(2)]);
  inDatabase((db) =>
    db.exec("create trigger full before insert on newly_seen begin select raise(abort, 'full'); end"),
  );
  await expect(store.countViews([view(2), view(3)], [])).rejects.toThrow('full');
  inDatabase((db) => db.exec('drop trigger full'));
  expect(await visitorsOn(20_000)).toEqual(human(2));
  await count([view(1), view(2), view(3), view(3)]);
  expect(await visitorsOn(20_000)).toEqual(human(3));
});

test('what a failed transaction was about to add is not added by the next one', async () => {
  await openDay(store, 'p1', 20_000, anySalt());
  await count([view(1, { source: 'a.example' })]);
  inDatabase((db) =>
    db.exec("create trigger full before insert on pending_counts begin select raise(abort, 'full'); end"),
  );
  await expect(store.countViews([view(2, { source: 'a.example' })], [])).rejects.toThrow('full');
  inDatabase((db) => db.exec('drop trigger full'));
  await count([view(3, { source: 'a.example' })]);
  const views = query({ from: 20_000, to: 20_001, limit: 1, measure: 'views' });
  expect((await store.readCounts(views)).totals).toEqual(human(2));
});

test('who was seen before an update from a row for each page is known after it', async () => {
  await openDay(store, 'p1', 20_000, anySalt());
  await count([view(1), view(1, { path: '/a' }), view(2, { kind: 'ai' })]);
  const names = inDatabase((db) => {
    const { day, name } = db
      .prepare<[], { day: number; name: number }>(
        "select d.id as day, n.id as name from days d, names n where n.what = 1 and n.text = '/a'",
      )
      .get() as { day: number; name: number };
    return {
      day,
      name,
      root: db.prepare("select id from names where what = 1 and text = '/'").pluck().get(),
    };
  });
  await store.close();
  turnBack(join(folder, 'headcount.db'), 5, ['seen']);
  inDatabase((db) => {
    const add = db.prepare('insert into seen values (?, ?, ?, ?)');
    for (const [visitor, page, kinds] of [
      [1, 0, 1],
      [1, names.root, 1],
      [1, names.name, 1],
      [2, 0, 2],
      [2, names.root, 2],
    ] as const) {
      add.run(names.day, view(visitor).visitor, page, kinds);
    }
  });
  await reopen();
  await count([view(1), view(1, { path: '/a' }), view(2, { kind: 'ai' }), view(2)]);
  expect(await visitorsOn(20_000)).toEqual({ human: 2, ai: 1, total: 2 });
  const { rows: paths } = await store.readCounts(query());
  expect(paths).toEqual([
    { name: '/', human: 2, ai: 1, total: 2 },
    { name: '/a', human: 1, ai: 0, total: 1 },
  ]);
});
