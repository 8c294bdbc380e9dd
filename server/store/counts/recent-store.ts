import type { Count } from '../../../shared/reports/analytics.ts';
import type { CountedKind } from '../../counting/view.ts';

/** A visitor's last view of a kind. */
export interface RecentView {
  projectId: string;
  visitor: bigint;
  kind: CountedKind;
  /** How long ago it was, as clocks of nodes differ. */
  agoMs: number;
}

/** Knows who was counted in the last minutes, on whichever node. It survives no crash of the database. */
export interface RecentStore {
  /** Those of projects that are not there are left out. */
  noteRecent(views: RecentView[]): Promise<void>;
  /** Visitors of the last `recentMs`. */
  countRecent(projectId: string): Promise<Count>;
  /** Deletes what is older. */
  forgetRecent(): Promise<void>;
}

/** What "right now" is. */
export const recentMs = 5 * 60_000;
