import type { Context } from '../../context.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Workspace } from '../git/workspace.ts';
import type { HeldTurn } from './lease.ts';
import type { Destination } from './target.ts';

/** What every phase of a turn is handed. */
export interface Workshop {
  context: Context;
  project: LiveProject;
  workspace: Workspace;
  destination: Destination;
  held: HeldTurn;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
}
