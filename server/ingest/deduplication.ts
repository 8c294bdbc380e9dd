import { hash, randomBytes } from 'node:crypto';
import { balanceStep, duplicateWithinMs, isDuplicate, type ReportedBy } from '../counting/hit/duplicate.ts';
import type { View } from '../counting/view.ts';
import type { Idempotency } from '../store/page.ts';
import type { ViewReservation } from '../store/receipts.ts';
import type { ClassifiedHit } from './hit/hit.ts';

/** 20,000 texts of a few hundred characters. */
const maxViews = 20_000;

/** A report of a view by the site's server or the page itself, where the other may report it, too. */
export interface ViewReport {
  isDuplicate: boolean;
  undo(): void;
}

/** Both report only AI clients: the server leaves people to the script. And each reports other events. */
export function reporterOf({ hit, kind }: ClassifiedHit): ReportedBy | undefined {
  if (kind !== 'ai' || hit.event || (hit.via === 'report' && !hit.leavesPeople)) return undefined;
  return hit.via === 'report' ? 'report' : 'page';
}

/**
 * AI clients that run the script on a site whose server reports them are reported twice. The second report for the same
 * visitor and path, soon after the first, is a duplicate. Reports are matched one to one, so that a page that is loaded
 * twice counts twice.
 */
export class Deduplication {
  readonly #now: () => number;
  /** The balance by view. Two generations: older ones are dropped. */
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #turnAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  check(classified: ClassifiedHit, { projectId, path, visitor }: View): ViewReport | undefined {
    const by = reporterOf(classified);
    if (by === undefined) return undefined;
    const view = `${projectId} ${visitor} ${path}`;
    return { isDuplicate: this.note(view, by), undo: () => this.undo(view, by) };
  }

  /** Notes a report; true: it is a duplicate. */
  note(view: string, by: ReportedBy): boolean {
    this.#forget();
    const balance = this.#balance(view);
    this.#young.set(view, balance + balanceStep[by]);
    return isDuplicate(balance, by);
  }

  /** For a report that is not accepted, as it comes again. */
  undo(view: string, by: ReportedBy): void {
    this.#young.set(view, this.#balance(view) - balanceStep[by]);
  }

  #balance(view: string): number {
    return this.#young.get(view) ?? this.#old.get(view) ?? 0;
  }

  #forget(): void {
    const lateMs = this.#now() - this.#turnAt;
    if (lateMs < 0 && this.#young.size < maxViews) return;
    this.#old = lateMs < duplicateWithinMs ? this.#young : new Map();
    this.#young = new Map();
    this.#turnAt = this.#now() + duplicateWithinMs;
  }
}

type Reservation = Omit<ViewReservation, 'view'>;

/** What nodes have to agree on before the view is counted; undefined: nothing, as for people. */
export function reservationOf(
  classified: ClassifiedHit,
  { projectId, visitor, path }: View,
): Reservation | undefined {
  const by = reporterOf(classified);
  const signature = classified.findings?.signature;
  const nonce = signature?.state === 'valid' ? signature.nonce : undefined;
  if (by === undefined && nonce === undefined) return undefined;
  const of = hash('sha256', `${projectId} ${visitor} ${path}`, 'base64url');
  return { ...(by && { report: { of, by } }), ...(nonce !== undefined && { nonce }) };
}

/** For a batch without a key: the store may retry under this one. */
export function newIdempotency(): Idempotency {
  return { key: randomBytes(24).toString('base64url'), requestHash: '' };
}
