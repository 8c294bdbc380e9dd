import { afterEach, beforeEach, expect, test } from 'vitest';
import type { View } from '../../server/counting/view.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { KeyedBatch } from '../../server/store/receipts.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { AnswerCutter } from '../support/store/answer-cutter.ts';
import { citusUrl } from '../support/store/citus-cluster.ts';
import { dropDatabase, makeDatabase } from '../support/store/shared-postgres.ts';
import { anySalt, view as anyView, human, openDay, query } from '../support/views.ts';

let url: string;
/** Of another node. */
let other: Store;

beforeEach(async () => {
  url = await makeDatabase();
  other = await openPostgresStore(url);
  await addProject('p1');
});
afterEach(async () => {
  await other.close();
  await dropDatabase(url);
});

const addProject = (id: string) =>
  other.addProject({ id, settings: projectSettings.parse({ name: id }), createdAt: '' }, []);
const view = (visitor: number, changes: Partial<View> = {}) =>
  anyView({ visitor: BigInt(visitor), network: visitor, ...changes });
const open = (day = 20_000) => openDay(other, 'p1', day, anySalt());
const visitors = async (changes = {}) => (await other.readCounts(query(changes))).totals;
const views = async (changes = {}) => visitors({ measure: 'views', ...changes });

/** Where shards are on several servers, what they answer. */
const batchCall = citusUrl === undefined ? 'count_grouped_batch' : 'count_traced_batch';

async function countWithoutAnswersTo(call: string): Promise<void> {
  await open();
  const cutter = await AnswerCutter.start(call, Number(new URL(url).port));
  const store = await openPostgresStore(cutter.through(url));
  cutter.cut(3);
  const dropped = [{ projectId: 'p1', day: 20_000, reason: 'bot' as const, family: 'seo', hits: 2 }];
  expect(await store.countViews([view(1), view(2), view(2)], dropped)).toEqual([]);
  expect(cutter.cuts).toBe(3);
  expect(await visitors()).toEqual(human(2));
  expect(await views()).toEqual(human(3));
  expect((await other.readVisitPages({ ...query(), of: 'exit' })).unmeasured).toEqual([]);
  expect((await other.readDropped(query())).rows).toEqual([{ reason: 'bot', family: 'seo', hits: 2 }]);
  await store.close();
  await cutter.close();
}

test('a batch whose answer is lost is asked for again until it is answered, and counts once', () =>
  countWithoutAnswersTo(batchCall));

// On Citus a batch waits for the disk as it counts.
test.skipIf(citusUrl !== undefined)(
  'a batch of which nobody says that the disk has it is asked for again, and counts once',
  () => countWithoutAnswersTo('pg_logical_emit_message'),
);

test('what takes several calls is counted as a whole, also where the database is lost between them', async () => {
  // As many days as one call takes, and on Citus the views of one shard.
  const days = Array.from({ length: 256 }, (_, i) => 20_000 + i);
  await Promise.all(days.map(open));
  await addProject('p2');
  await openDay(other, 'p2', 20_000, anySalt());
  await other.countViews([view(1)], []);
  // The second project's first names are taken in after the first call.
  const cutter = await AnswerCutter.start('commit', Number(new URL(url).port), { isNamedEachTime: true });
  const store = await openPostgresStore(cutter.through(url));
  cutter.cut(1);
  const batch = [...days.map((day) => view(1, { day })), view(1, { projectId: 'p2' })];
  expect(await store.countViews(batch, [])).toEqual([]);
  expect(cutter.cuts).toBe(1);
  expect([await visitors(), await visitors({ projectId: 'p2' })]).toEqual([human(256), human(1)]);
  expect([await views(), await views({ projectId: 'p2' })]).toEqual([human(257), human(1)]);
  await store.close();
  await cutter.close();
});

test('a batch that is asked for again after its days were sealed is answered as the first time', async () => {
  for (const day of [20_000, 20_001]) await open(day);
  const cutter = await AnswerCutter.start(batchCall, Number(new URL(url).port));
  const store = await openPostgresStore(cutter.through(url));
  await store.countViews([view(1), view(1, { day: 20_001 })], []);
  await other.seal('p1', 20_000);
  cutter.cut(1);
  // On Citus the first answer would be that nothing was counted, for a day that is closed.
  const refused = citusUrl === undefined ? [view(2)] : [];
  const counting = store.countViews([view(2, { day: 20_001 }), ...refused], []);
  await expect.poll(() => cutter.cuts, { interval: 5 }).toBe(1);
  await other.seal('p1', 20_001);
  expect(await counting).toEqual(refused.map((_, i) => i + 1));
  expect(await visitors({ from: 20_001 })).toEqual(human(2));
  expect(await visitors({ to: 20_001 })).toEqual(human(1));
  await store.close();
  await cutter.close();
});

test('a batch under a key whose commit is not answered is asked for again, and counts once with its counters', async () => {
  await open();
  const cutter = await AnswerCutter.start('commit', Number(new URL(url).port), { isNamedEachTime: true });
  const store = await openPostgresStore(cutter.through(url));
  const keyed: KeyedBatch = {
    projectId: 'p1',
    idempotency: { key: 'key', requestHash: 'request' },
    views: [view(1), view(2), view(2), view(3, { day: 1 })],
    places: [0, 1, 2, 3],
    dropped: [],
    droppedCounters: [{ projectId: 'p1', day: 20_000, reason: 'bot', family: 'seo', hits: 2 }],
    reservations: [],
    at: 20_000 * 86_400_000,
  };
  // Its names are taken in by a transaction before.
  await store.countViews([view(1)], []);
  cutter.cut(3);
  const dropped = [{ index: 3, reason: 'too_old' }];
  // Not as a repetition: nobody else has told its sender.
  const counted = { requestHash: 'request', dropped, isRepeated: false };
  expect(await store.countBatches([keyed])).toEqual([counted]);
  expect(cutter.cuts).toBe(3);
  expect(await other.countBatches([keyed])).toEqual([{ ...counted, isRepeated: true }]);
  expect(await visitors()).toEqual(human(2));
  expect(await views()).toEqual(human(4));
  expect((await other.readDropped(query())).rows).toEqual([
    { reason: 'bot', family: 'seo', hits: 2 },
    { reason: 'too_old', family: '', hits: 1 },
  ]);
  await store.close();
  await cutter.close();
});
