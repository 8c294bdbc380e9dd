import { describe, expect, test } from 'vitest';
import { visitorId } from '../../server/counting/visitor/visitor.ts';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { createClock, dayMs, hourMs } from '../support/clock.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { isOnPostgres, openChosenStore } from '../support/store/chosen-engine.ts';
import { execute, readDays, readKept } from '../support/store/kept.ts';
import { anySalt, openDay, view } from '../support/views.ts';

const agent = (n: number) => `Mozilla/5.0 (X11; Linux x86_64; rv:1${n}.0) Gecko/20100101 Firefox/1${n}.0`;
const address = (n: number) => `203.0.113.${n}`;

async function visit(headcount: Headcount, visitors: number[]): Promise<void> {
  for (const n of visitors) {
    const response = await headcount.hit(
      { u: `https://example.com/page-${n}`, r: `https://from.example/${n}` },
      { 'x-forwarded-for': address(n), 'user-agent': agent(n) },
    );
    expect(response.status).toBe(202);
  }
}

const nothing = { salts: [], visitors: [], days: [] };

describe('sealing', () => {
  test('leaves the counts, and of the visitors nothing', async () => {
    const clock = createClock('2026-05-10T10:00:00Z');
    const headcount = await startHeadcount({ now: clock.now });
    await visit(headcount, [1, 2, 3, 4, 5]);
    const { salts, visitors } = await readDays(headcount);
    expect([salts.length, visitors.length]).toEqual([1, 5]);
    const before = await readKept(headcount);
    expect(before.holds(salts[0] as Buffer)).toBe(true);
    expect(visitors.every((visitor) => before.holdsVisitor(visitor))).toBe(true);
    // The visitors found are those that the address, the user agent and the salt give.
    const place = { projectId: headcount.projectId, day: 20_583 };
    const salt = headcount.context.saltCipher.decrypt(place, salts[0] as Buffer);
    expect(visitors).toContain(visitorId(salt ?? '', address(1), agent(1)));

    clock.set('2026-05-12T00:00:00Z');
    await sealDueDays(headcount.context);

    const after = await readKept(headcount);
    expect(await readDays(headcount)).toEqual(nothing);
    expect(after.holds(salts[0] as Buffer)).toBe(false);
    expect(visitors.filter((visitor) => after.holdsVisitor(visitor))).toEqual([]);
    expect(Object.keys(await headcount.visitors())).toHaveLength(5);
    await headcount.stop();
  });

  test('no address and no user agent is ever on disk or in the log, sealed or not', async () => {
    const clock = createClock('2026-05-10T10:00:00Z');
    const headcount = await startHeadcount({ now: clock.now });
    await visit(headcount, [1, 2, 3]);
    await headcount.hit({ u: 'not an address' }, { 'x-forwarded-for': address(4), 'user-agent': agent(4) });
    for (const moment of ['2026-05-10T10:00:00Z', '2026-05-13T00:00:00Z']) {
      clock.set(moment);
      await sealDueDays(headcount.context);
      const kept = await readKept(headcount);
      const log = headcount.log.join('');
      for (const n of [1, 2, 3, 4]) {
        for (const secret of [address(n), agent(n), agent(n).slice(0, 30)])
          expect(kept.holds(secret) || log.includes(secret)).toBe(false);
        expect(kept.holds(Buffer.from([203, 0, 113, n]))).toBe(false);
      }
      // A name that must be there shows that the search can find something.
      expect(kept.holds('/page-1')).toBe(true);
    }
    await headcount.stop();
  });

  test('waits until 24 hours after the end of the day in the zone of the project', async () => {
    const clock = createClock('2026-10-24T12:00:00Z');
    const headcount = await startHeadcount({ now: clock.now, project: { timeZone: 'Europe/Berlin' } });
    await visit(headcount, [1]);
    // October 24 ends at 22:00 UTC; the next day in Berlin has 25 hours, and does not matter.
    clock.set('2026-10-25T21:59:59Z');
    await sealDueDays(headcount.context);
    expect((await readDays(headcount)).visitors).toHaveLength(1);
    clock.set('2026-10-25T22:00:00Z');
    await sealDueDays(headcount.context);
    expect((await readDays(headcount)).visitors).toHaveLength(0);
    await headcount.stop();
  });

  test('a visitor of two days is two visitors, as nothing links them', async () => {
    const clock = createClock('2026-05-10T23:00:00Z');
    const headcount = await startHeadcount({ now: clock.now });
    await visit(headcount, [1]);
    clock.advance(2 * hourMs);
    await visit(headcount, [1]);
    expect(new Set((await readDays(headcount)).visitors).size).toBe(2);
    expect((await headcount.visitors())['/page-1']).toEqual({ human: 2, ai: 0, total: 2 });
    await headcount.stop();
  });

  test('happens at the start for days that ended while the server was off', async () => {
    const clock = createClock('2026-05-10T10:00:00Z');
    const first = await startHeadcount({ now: clock.now });
    await visit(first, [1, 2]);
    const { salts } = await readDays(first);
    expect((await readKept(first)).holds(salts[0] as Buffer)).toBe(true);
    const { projectId, adminKey, dataDir } = first;
    await first.context.ingest.stop();
    await first.context.store.close();

    clock.advance(7 * dayMs);
    const later = await startHeadcount({ now: clock.now, dataDir });
    await expect.poll(() => readDays(later)).toEqual(nothing);
    await expect.poll(async () => (await readKept(later)).holds(salts[0] as Buffer)).toBe(false);
    const report = await fetch(`${later.url}/v1/analytics/${projectId}/visitors`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(await report.json()).toMatchObject({ totals: { human: 2, ai: 0, total: 2 } });
    await later.stop();
    await (await openChosenStore(later.context.config, undefined)).close();
    await first.stop();
  });

  test('goes on where a killed server stopped between forgetting the salt and the visitors', async () => {
    const clock = createClock('2026-05-10T10:00:00Z');
    const headcount = await startHeadcount({ now: clock.now });
    await visit(headcount, [1, 2]);
    clock.set('2026-05-12T00:00:00Z');
    await execute(headcount, 'update days set salt = null');
    await sealDueDays(headcount.context);
    expect((await readDays(headcount)).visitors).toEqual([]);
    await headcount.stop();
  });

  test('does not stop counting', async () => {
    const clock = createClock('2026-05-10T10:00:00Z');
    const headcount = await startHeadcount({ now: clock.now });
    const { store } = headcount.context;
    const opened = await openDay(store, headcount.projectId, 20_583, anySalt());
    // PostgreSQL drops the visitors as a whole, however many, and may be done with it before the second hit.
    const many = isOnPostgres ? 12_000 : 120_000;
    const views = Array.from({ length: many }, (_, i) =>
      view({ projectId: headcount.projectId, day: opened?.day ?? 0, visitor: BigInt(i) }),
    );
    await store.countViews(views, []);
    clock.set('2026-05-12T00:00:00Z');
    // What a first hit has to load and to open takes no part in the race below.
    await visit(headcount, [1]);
    let isSealed = false;
    const sealing = sealDueDays(headcount.context).then(() => {
      isSealed = true;
    });
    await visit(headcount, [2]);
    if (!isOnPostgres) expect(isSealed).toBe(false);
    await sealing;
    expect(Object.values(await headcount.visitors({ dateTo: '2026-05-11' }))).toEqual([
      { human: many, ai: 0, total: many },
    ]);
    await headcount.stop();
  });

  test('a zone that turns the calendar back loses no view', async () => {
    const clock = createClock('2026-05-10T09:00:00Z');
    const headcount = await startHeadcount({ now: clock.now, project: { timeZone: 'Pacific/Kiritimati' } });
    await visit(headcount, [1]);
    // The 10th of Kiritimati ends at 10:00 UTC on the 10th, and is sealed a day later.
    clock.set('2026-05-11T10:30:00Z');
    await sealDueDays(headcount.context);
    const { settings } = headcount.context.registry.project(headcount.projectId) ?? {};
    if (!settings) throw new Error('The project is gone.');
    await headcount.context.store.setProject(headcount.projectId, {
      ...settings,
      timeZone: 'Pacific/Pago_Pago',
    });
    await headcount.context.registry.refresh();
    // In Pago Pago it is still the 10th, which is sealed: the view goes to the first open day.
    await visit(headcount, [2]);
    expect(await headcount.visitors({ dateFrom: '2026-05-11' })).toEqual({
      '/page-2': { human: 1, ai: 0, total: 1 },
    });
    await headcount.stop();
  });
});
