import type { BatchReply } from '../../shared/hit.ts';

type DroppedHit = BatchReply['dropped'][number];

/**
 * The hits of a batch that are not counted: those that are no views, and the views that the store refused, as their day was
 * sealed.
 *
 * @param places of the views in the batch
 * @param refused indexes into the views
 */
export function withRefused(
  dropped: readonly DroppedHit[],
  places: readonly number[],
  refused: readonly number[],
): DroppedHit[] {
  const late = refused.map((i): DroppedHit => ({ index: places[i] as number, reason: 'too_old' }));
  return [...dropped, ...late].sort((a, b) => a.index - b.index);
}
