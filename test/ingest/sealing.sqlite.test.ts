import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { createClock, dayMs, hourMs } from '../support/clock.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { atThisLoad } from '../support/machine/load.ts';
import { readDays, readKept } from '../support/store/kept.ts';

async function visit(headcount: Headcount, visitor: number): Promise<void> {
  const response = await headcount.hit(
    { u: `https://example.com/page-${visitor}` },
    { 'x-forwarded-for': `203.0.113.${visitor}` },
  );
  expect(response.status).toBe(202);
}

test('sealing waits for nobody who reads the log, and empties it with the next sealing', async () => {
  const clock = createClock('2026-05-10T10:00:00Z');
  const headcount = await startHeadcount({ now: clock.now });
  await visit(headcount, 1);
  await visit(headcount, 2);
  const { salts } = await readDays(headcount);
  const reader = new Database(join(headcount.dataDir, 'headcount.db'), { readonly: true });
  reader.exec('begin');
  reader.prepare('select count(*) from counts').get();

  clock.set('2026-05-12T00:00:00Z');
  const sealed = sealDueDays(headcount.context);
  const slowest = { ms: 0 };
  for (let n = 3; n < 43; n++) {
    const startedAt = performance.now();
    await visit(headcount, n);
    slowest.ms = Math.max(slowest.ms, performance.now() - startedAt);
  }
  await sealed;
  expect(slowest.ms).toBeLessThan(atThisLoad(2000));
  expect((await readDays(headcount)).salts).not.toContainEqual(salts[0]);
  expect((await readKept(headcount)).holds(salts[0] as Buffer)).toBe(true);

  reader.close();
  await sealDueDays(headcount.context);
  expect((await readKept(headcount)).holds(salts[0] as Buffer)).toBe(false);
  await headcount.stop();
});

test('a clock that is set deletes no copy of an update before its two days are over', async () => {
  const shown = createClock('2026-05-10T12:00:00Z');
  const uptime = createClock('1970-01-08T00:00:00Z');
  const headcount = await startHeadcount({ now: shown.now, uptime: uptime.now });
  const copy = join(headcount.dataDir, 'headcount.db.before-0007');
  writeFileSync(copy, '');
  utimesSync(copy, shown.now() / 1000, shown.now() / 1000);
  shown.advance(400 * dayMs);
  await sealDueDays(headcount.context);
  expect(existsSync(copy)).toBe(true);
  shown.advance(-400 * dayMs);
  for (const clock of [shown, uptime]) clock.advance(49 * hourMs);
  headcount.context.clock.look();
  await sealDueDays(headcount.context);
  expect(existsSync(copy)).toBe(false);
  await headcount.stop();
});
