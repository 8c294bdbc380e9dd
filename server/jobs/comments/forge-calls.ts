import { Listeners } from '../../store/listeners.ts';

/** That something may have happened at a project's code host. Nothing in it is believed: what happened is read there. */
export interface ForgeCall {
  projectId: string;
  /** Of the pull request; undefined: any. */
  number?: number | undefined;
  /** The branch that the pull request proposes; undefined: any. */
  branch?: string | undefined;
}

/** Brings webhooks that were let in to whoever looks at pull requests. */
export class ForgeCalls extends Listeners<ForgeCall> {}
