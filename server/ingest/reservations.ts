import { hash, randomBytes } from 'node:crypto';
import type { View } from '../counting/view.ts';
import type { ViewReservation } from '../store/counts/receipt-store.ts';
import type { Idempotency } from '../store/idempotency.ts';
import { tellerOf } from './deduplication.ts';
import type { JudgedHit } from './hit/hit.ts';

type Reservation = Omit<ViewReservation, 'view'>;

/** What nodes have to agree on before the view is counted; undefined: nothing, as for people. */
export function reservationOf(
  judged: JudgedHit,
  { projectId, visitor, path }: View,
): Reservation | undefined {
  const by = tellerOf(judged);
  const signature = judged.findings?.signature;
  const nonce = signature?.state === 'valid' ? signature.nonce : undefined;
  if (by === undefined && nonce === undefined) return undefined;
  const of = hash('sha256', `${projectId} ${visitor} ${path}`, 'base64url');
  return { ...(by && { telling: { of, by } }), ...(nonce !== undefined && { nonce }) };
}

/** For what its sender gave no key: the store may ask again under it. */
export function newIdempotency(): Idempotency {
  return { key: randomBytes(24).toString('base64url'), requestHash: '' };
}
