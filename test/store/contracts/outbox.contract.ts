import { describe, expect, test } from 'vitest';
import type { Announcement } from '../../../server/store/outbox.ts';
import type { Store } from '../../../server/store/store.ts';
import { addProject, eachStore } from '../../support/store/each-store.ts';
import type { Engine } from '../../support/store/engines.ts';
import { anySalt, openDay } from '../../support/views.ts';

const announcement = (
  key: string,
  ids: readonly string[],
  changes: Partial<Announcement> = {},
): Announcement => ({
  ...{ projectId: 'p1', key, kind: 'digest.weekly', title: 'A “title”', letter: '{"x":1}', at: 1000 },
  deliveries: ids.map((id) => ({ id, channel: 'mail', receiver: `${id}@example.com` })),
  ...changes,
});

const claim = (now: number) => ({ now, until: now + 100, latest: now + 10_000 });
const sent = (sentAt: number) => ({ sentAt, dueAt: null, trouble: null });

export function testOutboxStore(engine: Engine): void {
  describe(`the outbox in the ${engine.name} store`, () => {
    let store: Store;
    let other: Store;
    const list = (limit = 10, offset = 0) => store.outbox.listDeliveries({ projectId: 'p1', limit, offset });

    eachStore(engine, async (opened, openAnother) => {
      store = opened;
      other = await openAnother();
      await addProject(store, 'p1');
    });

    test('reports a thing once, whoever reports it at the same time', async () => {
      const tries = Array.from({ length: 8 }, (_, i) =>
        (i % 2 ? store : other).outbox.announce(announcement('a', [`d${i}`])),
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      expect((await list()).rows).toHaveLength(1);
      expect(await store.outbox.announce(announcement('a', ['x'], { projectId: 'none' }))).toBe(false);
      expect(await store.outbox.announce(announcement('b', []))).toBe(true);
      expect(await store.outbox.findAnnounced('p1', ['a', 'b', 'c'])).toEqual(['a', 'b']);
      expect(await store.outbox.findAnnounced('none', ['a'])).toEqual([]);
    });

    test('lets one say what is said at once, and others when that one may have died', async () => {
      const claimAt = (at: number, from = store, projectId = 'p1') =>
        from.outbox.claimAnnouncement({ projectId, key: 'a', now: at, leaseMs: 100 });
      const tries = Array.from({ length: 8 }, (_, i) => claimAt(1000, i % 2 ? store : other));
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      expect(await claimAt(1099, other)).toBe(false);
      const late = await Promise.all([claimAt(1100), claimAt(1100, other)]);
      expect(late.toSorted()).toEqual([false, true]);
      // A clock that was far ahead does not hold it for longer.
      expect(await claimAt(90_000)).toBe(true);
      expect(await claimAt(1300, other)).toBe(true);
      expect(await claimAt(1300, store, 'none')).toBe(false);
      expect((await list()).rows).toEqual([]);
    });

    test('hands out each delivery to one at a time', async () => {
      await store.outbox.announce(announcement('a', ['d1', 'd2', 'd3']));
      const claims = Array.from({ length: 6 }, (_, i) =>
        (i % 2 ? store : other).outbox.claimDelivery(claim(1000)),
      );
      const claimed = (await Promise.all(claims)).flatMap((one) => (one ? [one.id] : []));
      expect(claimed.sort()).toEqual(['d1', 'd2', 'd3']);
      expect(await store.outbox.claimDelivery(claim(1099))).toBeNull();
      expect(await store.outbox.claimDelivery(claim(1100))).toEqual({
        ...{ id: 'd1', projectId: 'p1', kind: 'digest.weekly', channel: 'mail' },
        ...{ receiver: 'd1@example.com', letter: '{"x":1}', attempts: 2 },
      });
    });

    test('lets nobody settle what another has claimed since, and keeps no letter of what is done', async () => {
      await store.outbox.announce(announcement('a', ['d1']));
      const first = await store.outbox.claimDelivery(claim(1000));
      const second = await other.outbox.claimDelivery(claim(1200));
      await other.outbox.settleDelivery('d1', second?.attempts ?? 0, {
        ...{ sentAt: null, dueAt: 2000, trouble: 'It answered 500.' },
      });
      await store.outbox.settleDelivery('d1', first?.attempts ?? 0, sent(1300));
      expect((await list()).rows).toEqual([
        {
          ...{ id: 'd1', kind: 'digest.weekly', title: 'A “title”', channel: 'mail' },
          ...{ receiver: 'd1@example.com', createdAt: 1000, attempts: 2 },
          ...{ dueAt: 2000, sentAt: null, trouble: 'It answered 500.' },
        },
      ]);
      expect(await store.outbox.claimDelivery(claim(1999))).toBeNull();
      const third = await store.outbox.claimDelivery(claim(2000));
      expect(third).toMatchObject({ letter: '{"x":1}', attempts: 3 });
      await store.outbox.settleDelivery('d1', 3, sent(2001));
      expect(await store.outbox.claimDelivery(claim(9999))).toBeNull();
      expect((await list()).rows).toMatchObject([{ sentAt: 2001, dueAt: null, trouble: null }]);
    });

    test('takes up what a clock that was ahead had put off', async () => {
      await store.outbox.announce(announcement('a', ['d1'], { at: 50_000 }));
      expect(await store.outbox.claimDelivery(claim(41_000))).toBeNull();
      expect(await store.outbox.claimDelivery(claim(1000))).toMatchObject({ id: 'd1' });
    });

    test('lists the newest first, and forgets what is old and what goes with its project', async () => {
      await store.outbox.announce(announcement('a', ['d1', 'd2'], { at: 1000 }));
      await store.outbox.announce(announcement('b', ['d3'], { at: 2000 }));
      const idsOf = ({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => id);
      expect(idsOf(await list())).toEqual(['d3', 'd1', 'd2']);
      const page = await list(2, 0);
      expect([idsOf(page), page.hasMore]).toEqual([['d3', 'd1'], true]);
      expect((await list(2, 1)).hasMore).toBe(false);
      await store.outbox.deleteAnnounced({ deliveries: 2000, keys: 1500 });
      expect(idsOf(await list())).toEqual(['d3']);
      expect(await store.outbox.findAnnounced('p1', ['a', 'b'])).toEqual(['b']);
      await store.removeProject('p1');
      await addProject(store, 'p1');
      expect((await list()).rows).toEqual([]);
      expect(await store.outbox.findAnnounced('p1', ['a', 'b'])).toEqual([]);
      expect(await store.outbox.claimDelivery(claim(9000))).toBeNull();
    });

    test('knows how far a project is sealed', async () => {
      expect(await store.outbox.sealedThrough('p1')).toBeNull();
      expect(await store.outbox.sealedThrough('none')).toBeNull();
      await openDay(store, 'p1', 20_000, anySalt());
      await store.seal('p1', 20_003);
      expect(await store.outbox.sealedThrough('p1')).toBe(20_003);
    });
  });
}
