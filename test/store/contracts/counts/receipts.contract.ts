import { describe, expect, test } from 'vitest';
import { idempotencyMs } from '../../../../server/store/page.ts';
import type { KeyedBatch } from '../../../../server/store/receipts.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, human, openDay, query, view } from '../../../support/views.ts';

const now = 20_000 * 86_400_000;

const batch = (key: string, changes: Partial<KeyedBatch> = {}): KeyedBatch => ({
  projectId: 'p1',
  idempotency: { key, requestHash: 'request' },
  views: [view(), view({ path: '/a' })],
  places: [1, 3],
  dropped: [
    { index: 0, reason: 'bot' },
    { index: 2, reason: 'invalid', error: 'Not “readable”.' },
  ],
  droppedCounters: [{ projectId: 'p1', day: 20_000, reason: 'bot', family: 'search', hits: 1 }],
  reservations: [],
  at: now,
  ...changes,
});

export function testReceiptStore(engine: Engine): void {
  describe(`receipts of the ${engine.name} store`, () => {
    let store: Store;
    let other: Store;
    const views = async () => (await store.readCounts(query({ measure: 'views' }))).totals;
    const droppedRows = async () =>
      (await store.readDropped({ projectId: 'p1', from: null, to: null, limit: 10, offset: 0 })).rows;

    eachStore(engine, async (opened, openAnother) => {
      store = opened;
      other = await openAnother();
      await addProject(store, 'p1');
      await openDay(store, 'p1', 20_000, anySalt());
    });

    test('say that a batch was counted, and what of it was not', async () => {
      const { dropped } = batch('one');
      expect(await store.findReceipt('p1', 'one', now)).toBeNull();
      const first = { requestHash: 'request', dropped };
      expect(await store.countBatches([batch('one')])).toEqual([{ ...first, isRepeated: false }]);
      expect(await other.findReceipt('p1', 'one', now)).toEqual(first);
      const repeated = batch('one', {
        idempotency: { key: 'one', requestHash: 'another' },
        dropped: [],
        views: [view({ path: '/other' })],
        places: [0],
      });
      for (const each of [store, other]) {
        expect(await each.countBatches([repeated])).toEqual([{ ...first, isRepeated: true }]);
      }
      expect(await views()).toEqual(human(2));
      expect(await droppedRows()).toEqual([{ reason: 'bot', family: 'search', hits: 1 }]);
    });

    test('name views among the others whose day is not open', async () => {
      const late = batch('late', {
        views: [view({ day: 19_999 }), view(), view({ day: 1 })],
        places: [1, 3, 4],
      });
      const [counted] = await store.countBatches([late]);
      expect(counted?.dropped).toEqual([
        late.dropped[0],
        { index: 1, reason: 'too_old' },
        late.dropped[1],
        { index: 4, reason: 'too_old' },
      ]);
      expect(await store.findReceipt('p1', 'late', now)).toEqual({
        requestHash: 'request',
        dropped: counted?.dropped,
      });
    });

    test('come with the counts of views whose day was sealed meanwhile, once', async () => {
      const late = batch('late', {
        views: [view({ day: 19_999 }), view(), view({ day: 1 })],
        places: [1, 3, 4],
      });
      const counters = [
        { reason: 'too_old', family: '', hits: 2 },
        { reason: 'bot', family: 'search', hits: 1 },
      ];
      await store.countBatches([late]);
      expect(await droppedRows()).toEqual(counters);
      for (const each of [other, store]) await each.countBatches([late]);
      expect(await droppedRows()).toEqual(counters);
      expect((await store.readDropped(query({ from: 19_999, to: 20_000 }))).rows).toEqual([
        { reason: 'too_old', family: '', hits: 1 },
      ]);
      await openDay(store, 'p1', 20_001, anySalt());
      await other.countBatches([batch('before', { views: [view({ day: 20_001 })], places: [1] })]);
      await store.seal('p1', 20_001);
      await other.countBatches([batch('after', { views: [view({ day: 20_001 })], places: [1] })]);
      expect(await droppedRows()).toContainEqual({ reason: 'too_old', family: '', hits: 3 });
    });

    test('outlive the day', async () => {
      const [counted] = await store.countBatches([batch('one')]);
      await store.seal('p1', 20_000);
      expect((await store.countBatches([batch('one')]))[0]).toEqual({ ...counted, isRepeated: true });
      expect(await store.findReceipt('p1', 'one', now)).not.toBeNull();
      expect(await views()).toEqual(human(2));
    });

    test('make batches count once, whoever counts them at the same time', async () => {
      const keys = Array.from({ length: 20 }, (_, i) => `key-${i}`);
      const all = keys.map((key) => batch(key));
      const counted = await Promise.all([
        store.countBatches(all),
        other.countBatches(all.toReversed()),
        store.countBatches([...all.slice(5), ...all.slice(5)]),
        ...all.map((one) => other.countBatches([one])),
      ]);
      expect(await views()).toEqual(human(40));
      expect(await droppedRows()).toEqual([{ reason: 'bot', family: 'search', hits: 20 }]);
      expect(counted.flat().filter(({ isRepeated }) => !isRepeated)).toHaveLength(20);
    });

    test('make a batch count once that is handed over twice in one call', async () => {
      const one = batch('one');
      const counted = await store.countBatches([one, batch('two'), one, batch('two')]);
      expect(await views()).toEqual(human(4));
      expect(counted.filter(({ isRepeated }) => isRepeated)).toHaveLength(2);
    });

    test('are of one project', async () => {
      await addProject(store, 'p2');
      await openDay(store, 'p2', 20_000, anySalt());
      await store.countBatches([batch('same')]);
      const second = batch('same', { projectId: 'p2', views: [view({ projectId: 'p2' })], places: [0] });
      expect(await store.countBatches([second])).toMatchObject([{ isRepeated: false }]);
      expect(await store.findReceipt('none', 'same', now)).toBeNull();
      await store.removeProject('p2');
      expect(await store.findReceipt('p2', 'same', now)).toBeNull();
    });

    test('leave nothing of a project that is gone', async () => {
      const views = [view({ projectId: 'none' })];
      const gone = batch('x', { projectId: 'none', views, places: [0], dropped: [] });
      expect((await store.countBatches([gone]))[0]?.dropped).toEqual([{ index: 0, reason: 'too_old' }]);
      expect(await store.findReceipt('none', 'x', now)).toBeNull();
    });

    test('are good for 24 hours, and can be forgotten then', async () => {
      await store.countBatches([batch('old'), batch('new', { at: now + 1 })]);
      const later = now + idempotencyMs;
      expect(await store.findReceipt('p1', 'old', later - 1)).not.toBeNull();
      expect(await store.findReceipt('p1', 'old', later)).toBeNull();
      expect(await store.countBatches([batch('old', { at: later })])).toMatchObject([{ isRepeated: false }]);
      expect(await store.findReceipt('p1', 'old', later)).not.toBeNull();
      await store.countBatches([batch('older', { at: now })]);
      expect(await store.forgetReceipts(later)).toBe(false);
      expect(await store.findReceipt('p1', 'older', now)).toBeNull();
      expect(await store.findReceipt('p1', 'new', later)).not.toBeNull();
      expect(await store.findReceipt('p1', 'old', later)).not.toBeNull();
    });
  });
}
