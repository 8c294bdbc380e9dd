import type { BatchReply } from '../../../shared/hit.ts';
import type { RefusedReason } from '../../counting/hit/refused-views.ts';
import type { Teller } from '../../counting/hit/telling.ts';
import type { TallyCount } from '../../counting/tally.ts';
import type { View } from '../../counting/view.ts';
import type { Idempotency } from '../idempotency.ts';
import type { DroppedTally } from './counting-store.ts';

/** A hit of a batch that was not counted, by its place. */
export type DroppedHit = BatchReply['dropped'][number];

/** A view that was not counted: its day was sealed, or another node was quicker to reserve it. */
export interface RefusedView {
  /** Its index. */
  view: number;
  reason: RefusedReason;
}

/** What a view may be alone with among all nodes. */
export interface ViewReservation {
  /** Its index. */
  view: number;
  /** The page and a report may both tell of the view with this hash: the second one is not counted. */
  telling?: { of: string; by: Teller };
  /** Hash of what a signature is good for once; a second request with it is a copy. */
  nonce?: string;
}

/** A batch of hits that may be sent again under its key. */
export interface KeyedBatch {
  projectId: string;
  idempotency: Idempotency;
  views: View[];
  /** Of the views among its hits; all others are dropped. */
  places: number[];
  dropped: DroppedHit[];
  tallies: DroppedTally[];
  /** What the dropped hits add to besides. */
  tallyCounts?: TallyCount[];
  /** None where one server alone counts, which knows by itself. */
  reservations: ViewReservation[];
  /** Milliseconds since 1970. */
  at: number;
}

/** What is kept of a batch that was counted. */
export interface Receipt {
  requestHash: string;
  dropped: DroppedHit[];
}

export interface CountedBatch extends Receipt {
  /** The key was known: nothing was counted, and this is the receipt of the first batch under it. */
  isRepeated: boolean;
}

/** Batches of hits that count once, however often they are sent. The rules of `Store` hold. */
export interface ReceiptStore {
  /** Of a batch that was counted less than `idempotencyMs` ago. `now`: milliseconds since 1970. */
  findReceipt(projectId: string, key: string, now: number): Promise<Receipt | null>;
  /**
   * Counts each batch whose key is not known, and keeps its receipt and reservations, in one transaction. Views are refused as by
   * `countViews`, and for their reservations; they are among the dropped hits then, and tallied as such. Of batches with one key
   * that come at once, one counts and the others repeat it.
   */
  countBatches(batches: KeyedBatch[]): Promise<CountedBatch[]>;
  /** Deletes some receipts and reservations that are too old; answers whether there may be more. */
  forgetReceipts(now: number): Promise<boolean>;
}
