import { setTimeout as pause } from 'node:timers/promises';
import { counterOfRefused, withRefused } from '../../../counting/hit/refused-views.ts';
import type { Queryable } from '../../../database/sql.ts';
import type { DroppedCounter } from '../../counts/counting-store.ts';
import type { Now } from '../../jobs/job.ts';
import { idempotencyMs } from '../../page.ts';
import {
  type CountedBatch,
  type FoundReceipt,
  findReceipts,
  type KeyedBatch,
  type RefusedView,
} from '../../receipts.ts';
import { StoreError } from '../../store.ts';
import { againMs, type Counting, longestMs } from '../counts/batch/counting.ts';
import { within } from '../sql.ts';
import { isUnknown } from '../trouble.ts';
import { reserve } from './reservations.ts';

/** What is found out of batches in the transaction that counts them. */
interface Findings {
  /** Of those whose keys are known. */
  receipts: (FoundReceipt | undefined)[];
  /** By batch, the views that another one reserved first. */
  refused: RefusedView[][];
}

/** Ends a transaction that was prepared for other findings than it made. */
class Unprepared extends Error {
  readonly findings: Findings;

  constructor(findings: Findings) {
    super('Something was counted meanwhile.');
    this.findings = findings;
  }
}

interface Parts {
  counting: Counting;
  clock: () => Now;
}

/** Batches count once, whichever node they come to. */
export async function countBatches(parts: Parts, batches: KeyedBatch[]): Promise<CountedBatch[]> {
  // By its place, as the same batch may be handed over twice.
  const placeOf = new Map(batches.map((batch, place) => [nameOf(batch), place]));
  const distinct = batches.filter((batch, place) => placeOf.get(nameOf(batch)) === place);
  const counted = await countUntilAnswered(parts, distinct);
  const byName = new Map(distinct.map((batch, i) => [nameOf(batch), counted[i] as CountedBatch]));
  return batches.map((batch, place) => {
    const one = byName.get(nameOf(batch)) as CountedBatch;
    return placeOf.get(nameOf(batch)) === place ? one : { ...one, isRepeated: true };
  });
}

/** After a lost answer the receipts are found when it counts again. */
async function countUntilAnswered(parts: Parts, batches: readonly KeyedBatch[]): Promise<CountedBatch[]> {
  const endAt = performance.now() + longestMs;
  const asked = { mayBeDone: false };
  for (;;) {
    try {
      return await countAsFound(parts, batches, asked);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'unavailable') throw error;
      if (!isUnknown(error.cause) || !asked.mayBeDone || performance.now() > endAt) throw error;
      await pause(againMs);
    }
  }
}

/** Nearly always nothing was counted meanwhile, so that all is prepared for that. */
async function countAsFound(
  parts: Parts,
  batches: readonly KeyedBatch[],
  asked: { mayBeDone: boolean },
): Promise<CountedBatch[]> {
  let expected: Findings = { receipts: batches.map(() => undefined), refused: batches.map(() => []) };
  for (;;) {
    try {
      return await countPrepared(parts, batches, expected, asked);
    } catch (error) {
      if (!(error instanceof Unprepared)) throw error;
      expected = error.findings;
    }
  }
}

function countPrepared(
  parts: Parts,
  batches: readonly KeyedBatch[],
  expected: Findings,
  asked: { mayBeDone: boolean },
): Promise<CountedBatch[]> {
  const fresh = batches.map((_, i) => expected.receipts[i] === undefined);
  /** Where each view that is to be counted comes from. */
  const origins = batches.flatMap((batch, i) => {
    const refused = new Set(expected.refused[i]?.map(({ view }) => view));
    return fresh[i]
      ? [...batch.views.keys()].filter((view) => !refused.has(view)).map((view) => ({ i, view }))
      : [];
  });
  const views = origins.map(
    ({ i, view }) => (batches[i] as KeyedBatch).views[view] as KeyedBatch['views'][number],
  );
  const firsts = batches.filter((_, i) => fresh[i]);
  const refusals = batches.flatMap((batch, i) => countersOf(batch, expected.refused[i] ?? []));
  const uncounted = {
    dropped: addUp([...firsts.flatMap(({ droppedCounters }) => droppedCounters), ...refusals]),
    counters: firsts.flatMap(({ counters = [] }) => counters),
  };
  return parts.counting.countWithin(views, uncounted, async (db, { count, countDropped }) => {
    const findings = await findOrAdd(parts, db, batches);
    if (!isSame(findings, expected)) throw new Unprepared(findings);
    const late = batches.map((): RefusedView[] => []);
    for (const index of await count()) {
      const { i, view } = origins[index] as { i: number; view: number };
      late[i]?.push({ view, reason: 'too_old' });
    }
    await countDropped(addUp(batches.flatMap((batch, i) => countersOf(batch, late[i] ?? []))));
    const counted = batches.map((batch, i) => {
      const known = findings.receipts[i];
      // The batch itself, whose answer was lost.
      if (known && asked.mayBeDone && known.at === batch.at)
        return { ...toCounted(batch, known, []), isRepeated: false };
      return toCounted(batch, known, [...(expected.refused[i] ?? []), ...(late[i] ?? [])]);
    });
    await keepDropped(
      db,
      firsts,
      counted.filter((_, i) => fresh[i]),
    );
    asked.mayBeDone = true;
    return counted;
  });
}

async function findOrAdd(parts: Parts, db: Queryable, batches: readonly KeyedBatch[]): Promise<Findings> {
  const keys = batches.map(({ projectId, idempotency }) => ({ projectId, key: idempotency.key }));
  const added = await addReceipts(db, batches);
  const [newest] = batches.map(({ at }) => at).sort((a, b) => b - a);
  const found = added.size < batches.length ? await findReceipts(within(db), keys, newest ?? 0) : [];
  const receipts = batches.map((batch, i) => (added.has(nameOf(batch)) ? undefined : found[i]));
  const reserving = batches.map((batch, i) => (receipts[i] ? { ...batch, reservations: [] } : batch));
  const hasReservations = reserving.some(({ reservations }) => reservations.length > 0);
  const refused = hasReservations
    ? await reserve(db, reserving, await within(db).now(parts.clock()))
    : batches.map(() => []);
  return { receipts, refused };
}

function nameOf({ projectId, idempotency }: KeyedBatch): string {
  return `${projectId} ${idempotency.key}`;
}

/** One for each of what they count. */
function addUp(counters: readonly DroppedCounter[]): DroppedCounter[] {
  const sums = new Map<string, DroppedCounter>();
  for (const counter of counters) {
    const name = `${counter.projectId} ${counter.day} ${counter.reason} ${counter.family}`;
    const hits = counter.hits + (sums.get(name)?.hits ?? 0);
    sums.set(name, { ...counter, hits });
  }
  return [...sums.values()];
}

function countersOf({ views }: KeyedBatch, refused: readonly RefusedView[]): DroppedCounter[] {
  return refused.map(({ view, reason }) =>
    counterOfRefused(views[view] as KeyedBatch['views'][number], reason),
  );
}

function isSame(one: Findings, other: Findings): boolean {
  return (
    JSON.stringify([one.receipts.map(Boolean), one.refused]) ===
    JSON.stringify([other.receipts.map(Boolean), other.refused])
  );
}

function toCounted(batch: KeyedBatch, known: FoundReceipt | undefined, refused: RefusedView[]): CountedBatch {
  if (known) return { requestHash: known.requestHash, dropped: known.dropped, isRepeated: true };
  const { idempotency, dropped, places } = batch;
  return {
    requestHash: idempotency.requestHash,
    dropped: withRefused(dropped, places, refused),
    isRepeated: false,
  };
}

/** Waits for concurrent batches with one of the keys. Returns the names of batches whose keys were not known. */
async function addReceipts(db: Queryable, batches: readonly KeyedBatch[]): Promise<Set<string>> {
  const rows = await db.query<{ projectId: string; key: string }>(
    `with added as (
       insert into receipts as r (project, key, request_hash, dropped, at)
       select p.id, x.key, x.request_hash, '[]', x.at
       from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as x(project, key, request_hash, at)
         join projects p on p.public_id = x.project
       order by p.id, x.key
       on conflict (project, key) do update set
         request_hash = excluded.request_hash, dropped = excluded.dropped, at = excluded.at
       where r.at <= excluded.at - $5
       returning r.project, r.key
     )
     select p.public_id as "projectId", added.key from added join projects p on p.id = added.project`,
    [
      batches.map(({ projectId }) => projectId),
      batches.map(({ idempotency }) => idempotency.key),
      batches.map(({ idempotency }) => idempotency.requestHash),
      batches.map(({ at }) => at),
      idempotencyMs,
    ],
  );
  return new Set(rows.map(({ projectId, key }) => `${projectId} ${key}`));
}

/** Of those whose hits were not all counted. */
async function keepDropped(
  db: Queryable,
  batches: readonly KeyedBatch[],
  counted: readonly CountedBatch[],
): Promise<void> {
  const changed = batches.filter((_, i) => counted[i]?.dropped.length !== 0);
  if (changed.length === 0) return;
  await db.query(
    `update receipts r set dropped = x.dropped
     from unnest($1::text[], $2::text[], $3::text[]) as x(project, key, dropped) join projects p on p.public_id = x.project
     where r.project = p.id and r.key = x.key`,
    [
      changed.map(({ projectId }) => projectId),
      changed.map(({ idempotency }) => idempotency.key),
      changed.map((batch) => JSON.stringify(counted[batches.indexOf(batch)]?.dropped)),
    ],
  );
}
