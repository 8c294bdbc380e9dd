import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { ImportDay } from '../../server/store/counts/view-batch.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { sqlite } from '../support/store/engines.ts';
import { anySalt, query } from '../support/views.ts';
import { testAdminStore } from './contracts/admin/admin.contract.ts';
import { testAuditStore } from './contracts/admin/audit.contract.ts';
import { testDirectory } from './contracts/admin/directory.contract.ts';
import { testFactorStore } from './contracts/admin/factors.contract.ts';
import { testSignOnStore } from './contracts/admin/sign-ons.contract.ts';
import { testUserStore } from './contracts/admin/users.contract.ts';
import { testAnnotationStore } from './contracts/annotations.contract.ts';
import { testAutomationStore } from './contracts/automations.contract.ts';
import { testCatalogueStore } from './contracts/catalogue.contract.ts';
import { testCalendarStore } from './contracts/counts/calendar.contract.ts';
import { testCounterStore } from './contracts/counts/counters.contract.ts';
import { testEventStore } from './contracts/counts/events.contract.ts';
import { testGoals } from './contracts/counts/goals.contract.ts';
import { testHistoryStore } from './contracts/counts/history.contract.ts';
import { testHours } from './contracts/counts/hours.contract.ts';
import { testImportStore } from './contracts/counts/import.contract.ts';
import { testImportedDays } from './contracts/counts/import-days.contract.ts';
import { testPairStore } from './contracts/counts/pairs.contract.ts';
import { testReceiptStore } from './contracts/counts/receipts.contract.ts';
import { testSearchStore } from './contracts/counts/searches.contract.ts';
import { testVisitorStore } from './contracts/counts/visitors.contract.ts';
import { testVisits } from './contracts/counts/visits.contract.ts';
import { testJobStore } from './contracts/jobs.contract.ts';
import { testOutboxStore } from './contracts/outbox.contract.ts';
import { testSiteStore } from './contracts/sites.contract.ts';
import { testStore } from './contracts/store.contract.ts';

testDirectory(sqlite);
testStore(sqlite);
testVisitorStore(sqlite);
testJobStore(sqlite);
testHistoryStore(sqlite);
testImportStore(sqlite);
testImportedDays(sqlite);
testAdminStore(sqlite);
testUserStore(sqlite);
testFactorStore(sqlite);
testSignOnStore(sqlite);
testAuditStore(sqlite);
testCatalogueStore(sqlite);
testCalendarStore(sqlite);
testReceiptStore(sqlite);
testCounterStore(sqlite);
testSiteStore(sqlite);
testAnnotationStore(sqlite);
testSearchStore(sqlite);
testOutboxStore(sqlite);
testAutomationStore(sqlite);
testPairStore(sqlite);
testEventStore(sqlite);
testHours(sqlite);
testVisits(sqlite);
testGoals(sqlite);

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-'));
  await use(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

test('a database of a newer version is refused in words, and left as it is', async () => {
  await inFolder(async (folder) => {
    const file = join(folder, 'headcount.db');
    new Database(file).exec('create table future (x); pragma user_version = 9000').close();
    await expect(openSqliteStore(folder)).rejects.toThrow(
      /newer Headcount \(schema 9000, this one knows \d+\)/,
    );
    const db = new Database(file);
    expect(db.pragma('user_version', { simple: true })).toBe(9000);
    expect(db.prepare('select name from sqlite_schema').pluck().all()).toEqual(['future']);
    db.close();
  });
});

test('a file that is no database is refused in words', async () => {
  await inFolder(async (folder) => {
    await writeFile(
      join(folder, 'headcount.db'),
      'this is not a database, and long enough to be sure of it'.repeat(50),
    );
    await expect(openSqliteStore(folder)).rejects.toThrow(/headcount\.db is damaged: .*not a database/);
  });
});

test('a data folder that cannot be made is refused in words', async () => {
  await inFolder(async (folder) => {
    await writeFile(join(folder, 'file'), '');
    await expect(openSqliteStore(join(folder, 'file', 'data'))).rejects.toThrow(/HEADCOUNT_DATA_DIR/);
  });
});

test('two processes that start on a new folder at once both get a whole database', async () => {
  await inFolder(async (folder) => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => openSqliteStore(folder)));
    for (const store of stores)
      expect(await store.directory()).toMatchObject({ version: 1, projects: [], keys: [] });
    await Promise.all(stores.map((store) => store.close()));
  });
});

test('a reason that only an older version gave is answered as it was stored', async () => {
  await inFolder(async (folder) => {
    const store = await openSqliteStore(folder);
    await store.addProject(
      { id: 'p1', settings: projectSettings.parse({ name: 'p1' }), createdAt: '2026-01-01T00:00:00.000Z' },
      [],
    );
    const counter = { projectId: 'p1', day: 20_000, reason: 'bot' as const, family: 'seo', hits: 2 };
    await store.countViews([], [counter]);
    const db = new Database(join(folder, 'headcount.db'));
    db.exec("update dropped set reason = 'gone', family = ''");
    db.close();
    expect((await store.readDropped(query())).rows).toEqual([{ reason: 'gone', family: '', hits: 2 }]);
    await store.close();
  });
});

test('an import opens a day of which a killed process left visitors half deleted', async () => {
  await inFolder(async (folder) => {
    const store = await openSqliteStore(folder);
    const settings = projectSettings.parse({ name: 'Logs' });
    await store.addProject({ id: 'p1', settings, createdAt: '' }, []);
    const open = () => store.imports.openDay('p1', 20_000, { salt: anySalt(), forgetAt: 0 });
    const before = await open();
    const db = new Database(join(folder, 'headcount.db'));
    db.exec(`update days set salt = null;
      insert into newly_seen (day, visitors_and_sightings) select id, x'00' from days`);
    expect(await open()).toEqual({ id: expect.any(Number), day: 20_000, salt: expect.anything() });
    expect(await open()).not.toMatchObject({ salt: (before as ImportDay).salt });
    expect(db.prepare('select count(*) from newly_seen').pluck().get()).toBe(0);
    db.close();
    await store.close();
  });
});
