import type { LiveProject } from '../admin/registry.ts';
import type { Context } from '../context.ts';
import type { Destination } from './destination.ts';
import type { HeldTurn } from './held-turn.ts';
import type { Workspace } from './workspace.ts';

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
