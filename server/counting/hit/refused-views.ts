import type { BatchReply, CountedDropReason } from '../../../shared/hit.ts';
import type { Day } from '../calendar.ts';
import type { SeenClient, View } from '../view.ts';

type DroppedHit = BatchReply['dropped'][number];

/** Why a view is rejected that no rule dropped. */
export type RefusedReason = Extract<CountedDropReason, 'too_old' | 'same_view' | 'spoofed'>;

/**
 * The hits of a batch that are not counted: those that are no views, and views that the store rejected.
 *
 * @param places of the views in the batch
 * @param refused by their indexes among the views
 */
export function withRefused(
  dropped: readonly DroppedHit[],
  places: readonly number[],
  refused: readonly { view: number; reason: RefusedReason }[],
): DroppedHit[] {
  const late = refused.map(({ view, reason }): DroppedHit => ({ index: places[view] as number, reason }));
  return [...dropped, ...late].sort((a, b) => a.index - b.index);
}

/** Views whose day was sealed, by their indexes. */
export function tooOld(views: readonly number[]): { view: number; reason: 'too_old' }[] {
  return views.map((view) => ({ view, reason: 'too_old' }));
}

/** Spoofed ones are counted by the client that they claim to be. */
function familyOfRefused(reason: RefusedReason, client: Pick<SeenClient, 'name'> | null): string {
  return reason === 'spoofed' ? (client?.name ?? '') : '';
}

/** For the counter of its day. */
export function counterOfRefused(
  { projectId, day, client }: Pick<View, 'projectId' | 'day' | 'client'>,
  reason: RefusedReason,
): { projectId: string; day: Day; reason: RefusedReason; family: string; hits: number } {
  return { projectId, day, reason, family: familyOfRefused(reason, client), hits: 1 };
}
