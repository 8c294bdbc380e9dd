import type { LiveProject } from '../../projects/registry.ts';
import type { GitClient } from '../git/git-client.ts';
import type { TurnLease } from './lease.ts';
import type { JobServices } from './services.ts';
import type { Target } from './target.ts';

/** What every phase of a turn is handed. */
export interface TurnContext {
  services: JobServices;
  project: LiveProject;
  gitClient: GitClient;
  target: Target;
  lease: TurnLease;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
}
