import type { BatchReply } from '../../shared/hit.ts';

type DroppedHit = BatchReply['dropped'][number];

/**
 * The hits of a batch that are not counted: those that are no views, and the views that the store refused.
 *
 * @param places of the views in the batch
 * @param refused by their indexes among the views
 */
export function withRefused(
  dropped: readonly DroppedHit[],
  places: readonly number[],
  refused: readonly { view: number; reason: DroppedHit['reason'] }[],
): DroppedHit[] {
  const late = refused.map(({ view, reason }): DroppedHit => ({ index: places[view] as number, reason }));
  return [...dropped, ...late].sort((a, b) => a.index - b.index);
}

/** Views whose day was sealed, by their indexes. */
export function tooOld(views: readonly number[]): { view: number; reason: 'too_old' }[] {
  return views.map((view) => ({ view, reason: 'too_old' }));
}
