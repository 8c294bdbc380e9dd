import { isPage } from '../site.ts';
import type { SiteState } from '../site-state.ts';
import type { Finding } from './finding.ts';
import type { CheckedChange } from './task.ts';

/** What every check is handed. */
export interface Checked {
  changes: readonly CheckedChange[];
  before: SiteState;
  after: SiteState;
  report: (finding: Finding) => void;
}

/** Where a file that is there now was before. */
export function oldPathOf({ path, from }: CheckedChange): string {
  return from ?? path;
}

/** Pages that the change took away, under their old paths. */
export function lostPages({ changes, after }: Checked): string[] {
  return changes.map(oldPathOf).filter((path) => isPage(path) && !after.paths.has(path));
}
