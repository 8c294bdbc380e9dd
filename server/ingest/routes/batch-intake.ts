import { type RefusedReason, tooOld, withRefused } from '../../counting/hit/refused-views.ts';
import type { FindPlace } from '../../counting/places/place.ts';
import type { View } from '../../counting/view.ts';
import { ApiError } from '../../errors.ts';
import { keyReused } from '../../http/idempotency-key.ts';
import type { Uncounted } from '../../store/counts/counting-store.ts';
import type { Idempotency } from '../../store/page.ts';
import type { CountedBatch, DroppedHit, KeyedBatch, Receipt, ViewReservation } from '../../store/receipts.ts';
import type { Store } from '../../store/store.ts';
import { type Deduplication, newIdempotency, reservationOf, type ViewReport } from '../deduplication.ts';
import {
  type ClassifiedHit,
  classifyHit,
  type Drop,
  type Hit,
  type HitLookups,
  type InvalidHit,
  toDrop,
  toView,
} from '../hit/hit.ts';
import type { Salted, Salts } from '../sealing/salts.ts';
import { Gathered, type ViewBuffer } from '../view-buffer.ts';
import type { HitOutcome, Outcomes } from './outcomes.ts';

/** Hits of one project that a site's server sent together. */
export interface ReceivedBatch {
  projectId: string;
  hits: (Hit | InvalidHit)[];
  /** Null: sent again, it counts again. */
  idempotency: Idempotency | null;
}

interface Parts {
  store: Pick<Store, 'findReceipt' | 'nodes'>;
  lookups: HitLookups;
  salts: Salts;
  findPlace: FindPlace;
  deduplication: Deduplication;
  buffer: ViewBuffer;
  outcomes: Outcomes;
  now: () => number;
}

/** The hits of a batch that count, and those that do not. */
interface Draft {
  /** By the place of the hit. */
  drops: Map<number, Drop>;
  /** Hits that no rule dropped: views, and duplicates. */
  classified: ClassifiedHit[];
  reports: ViewReport[];
  views: View[];
  /** Of the views, and their places. */
  hits: ClassifiedHit[];
  places: number[];
  reservations: ViewReservation[];
}

/** Counts the hits of a batch together, or none of them. */
export class BatchIntake {
  readonly #parts: Parts;
  readonly #repetitions: Repetitions;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#repetitions = new Repetitions(parts.store, parts.now);
  }

  /**
   * Answers the hits that are not counted, by their place.
   *
   * @throws ApiError `overloaded` when none was accepted, `invalid` where the key was used with another batch
   */
  async receive(batch: ReceivedBatch): Promise<DroppedHit[]> {
    const { projectId, hits, idempotency } = batch;
    if (!idempotency) return this.#countUnkeyed(projectId, await this.#draft(hits));
    return this.#repetitions.once(projectId, idempotency, async () =>
      this.#countOnce(projectId, idempotency, await this.#draft(hits)),
    );
  }

  async #draft(received: readonly (Hit | InvalidHit)[]): Promise<Draft> {
    const { lookups, findPlace } = this.#parts;
    const classified = received.map((hit) => ('dropped' in hit ? hit : classifyHit(hit, lookups)));
    const opened = await this.#openDays(classified);
    const draft = newDraft();
    for (const [place, hit] of classified.entries()) {
      const salted = opened[place];
      if ('dropped' in hit) draft.drops.set(place, hit);
      else if (!salted) draft.drops.set(place, { dropped: 'unknown_project' });
      else this.#addView(draft, place, hit, toView(hit, salted, findPlace));
    }
    return draft;
  }

  #addView(draft: Draft, place: number, hit: ClassifiedHit, view: View): void {
    draft.classified.push(hit);
    if (this.#parts.store.nodes) {
      const reservation = reservationOf(hit, view);
      if (reservation) draft.reservations.push({ ...reservation, view: draft.views.length });
    } else {
      const report = this.#parts.deduplication.check(hit, view);
      if (report) draft.reports.push(report);
      if (report?.isDuplicate) {
        draft.drops.set(place, toDrop(hit, 'same_view'));
        return;
      }
    }
    draft.views.push(view);
    draft.hits.push(hit);
    draft.places.push(place);
  }

  /** Counts a view that nodes have to agree on; calls back as `Ingest.receive` does. */
  receiveClaimed(hit: ClassifiedHit, view: View, settle: (outcome: HitOutcome | ApiError) => void): void {
    const draft = newDraft();
    this.#addView(draft, 0, hit, view);
    this.#countOnce(view.projectId, newIdempotency(), draft).then(
      ({ dropped: [refused] }) => settle(refused ? { dropped: refused.reason } : {}),
      settle,
    );
  }

  async #countUnkeyed(projectId: string, draft: Draft): Promise<DroppedHit[]> {
    if (draft.reservations.length === 0) return this.#count(draft);
    return (await this.#countOnce(projectId, newIdempotency(), draft)).dropped;
  }

  /** Null: dropped already, or the project is gone. @throws ApiError with which all are refused */
  async #openDays(classified: readonly (ClassifiedHit | Drop)[]): Promise<(Salted | null)[]> {
    const { salts, outcomes } = this.#parts;
    try {
      return await Promise.all(
        classified.map((hit) => ('dropped' in hit ? null : salts.get(hit.project.id, hit.day))),
      );
    } catch (error) {
      const undropped = classified.filter((hit): hit is ClassifiedHit => !('dropped' in hit));
      throw outcomes.notOpened(undropped, error);
    }
  }

  async #count(draft: Draft): Promise<DroppedHit[]> {
    const { outcomes } = this.#parts;
    const refused = draft.views.length === 0 ? [] : await this.#store(draft);
    for (const drop of draft.drops.values()) outcomes.drop(drop);
    const late = tooOld(refused);
    this.#note(draft, new Set(refused));
    for (const view of refused) outcomes.refuse(draft.hits[view] as ClassifiedHit);
    return withRefused(toDropped(draft), draft.places, late);
  }

  /** All of it is in one transaction: where its receipt exists, nothing is left to do. */
  async #countOnce(projectId: string, idempotency: Idempotency, draft: Draft): Promise<CountedBatch> {
    const { outcomes, now } = this.#parts;
    const { drops, views, places, reservations } = draft;
    const batch = {
      projectId,
      idempotency,
      views,
      places,
      reservations,
      dropped: toDropped(draft),
      at: now(),
    };
    const { dropped: droppedCounters, counters } = uncountedOf(drops.values());
    const counted = await this.#storeOnce(draft, { ...batch, droppedCounters, counters });
    if (counted.isRepeated) this.#takeBack(draft);
    else {
      for (const drop of drops.values()) outcomes.noteDrop(drop);
      const reasons = new Map(counted.dropped.map(({ index, reason }) => [index, reason]));
      const refused = [...places.keys()].filter((i) => reasons.has(places[i] as number));
      this.#note(draft, new Set(refused));
      for (const view of refused) {
        const reason = reasons.get(places[view] as number) as RefusedReason;
        outcomes.noteRefused(draft.hits[view] as ClassifiedHit, reason);
      }
    }
    return counted;
  }

  #store(draft: Draft): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.#parts.buffer.add(draft.views, this.#settle(draft, resolve, reject));
    });
  }

  #storeOnce(draft: Draft, batch: KeyedBatch): Promise<CountedBatch> {
    return new Promise((resolve, reject) => {
      this.#parts.buffer.addKeyed(batch, this.#settle(draft, resolve, reject));
    });
  }

  #settle<Answer>(draft: Draft, resolve: (answer: Answer) => void, reject: (refusal: ApiError) => void) {
    return (answer: Answer | ApiError) => {
      if (!(answer instanceof ApiError)) return resolve(answer);
      this.#parts.outcomes.outcomeCounts.overloaded += draft.views.length;
      this.#takeBack(draft);
      reject(answer);
    };
  }

  #takeBack({ classified, reports }: Draft): void {
    this.#parts.outcomes.release(classified);
    for (const report of reports) report.undo();
  }

  /** All views but those that were refused. */
  #note({ views, hits }: Draft, refused: ReadonlySet<number>): void {
    for (const [i, hit] of hits.entries()) {
      if (!refused.has(i)) this.#parts.outcomes.count(views[i] as View, hit);
    }
  }
}

function newDraft(): Draft {
  return { drops: new Map(), classified: [], reports: [], views: [], hits: [], places: [], reservations: [] };
}

function toDropped({ drops }: Draft): DroppedHit[] {
  return Array.from(drops, ([index, { dropped: reason, ...rest }]) => ({
    index,
    reason,
    ...('error' in rest && { error: rest.error }),
  }));
}

function uncountedOf(drops: Iterable<Drop>): Uncounted {
  const gathered = new Gathered();
  for (const drop of drops) if ('dayCounters' in drop) gathered.drop(drop);
  return gathered.take();
}

const nothing = () => undefined;

/** Batches under a key: a repeated one gets the response of the first. */
export class Repetitions {
  readonly #store: Pick<Store, 'findReceipt'>;
  readonly #now: () => number;
  /** The newest request of each key, for repeated ones that come meanwhile. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(store: Pick<Store, 'findReceipt'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Counts the batch if nobody has yet. Another process may do so at the same time: `count` has to look again.
   *
   * @throws ApiError `invalid` where the key was used with another body, and what `count` throws
   */
  async once(
    projectId: string,
    idempotency: Idempotency,
    count: () => Promise<Receipt>,
  ): Promise<DroppedHit[]> {
    const name = `${projectId} ${idempotency.key}`;
    const before = this.#underWay.get(name);
    const counting = this.#countAfter(before, projectId, idempotency, count);
    const ended = counting.then(nothing, nothing);
    this.#underWay.set(name, ended);
    try {
      const { requestHash, dropped } = await counting;
      if (requestHash !== idempotency.requestHash) throw keyReused();
      return dropped;
    } finally {
      if (this.#underWay.get(name) === ended) this.#underWay.delete(name);
    }
  }

  async #countAfter(
    before: Promise<void> | undefined,
    projectId: string,
    { key }: Idempotency,
    count: () => Promise<Receipt>,
  ): Promise<Receipt> {
    await before;
    return (await this.#store.findReceipt(projectId, key, this.#now())) ?? count();
  }
}
