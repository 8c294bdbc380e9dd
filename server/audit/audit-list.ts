import type { Actor, AuditEntry } from '../store/admin/audit.ts';

export type Change = Pick<AuditEntry, 'action' | 'subject'> & Partial<AuditEntry>;

/** Entries for `Store.callAudited`, which notes them with the change itself. */
export type AuditEntries = (...changes: Change[]) => AuditEntry[];

const nobody: Actor = { kind: 'user', id: null, name: null };

/** @param actor null: nobody knows yet, as with links that set a password */
export function auditing(actor: Actor | null, now: () => number) {
  const by = () => ({ at: now(), actor: actor ?? nobody });
  const entries: AuditEntries = (...changes) =>
    changes.map((change) => ({ ...by(), projectId: null, changes: [], ...change }));
  return { by, entries };
}

/** What somebody changed. */
export class AuditList {
  readonly #actor: Actor;
  readonly #now: () => number;
  readonly #noted = new Set<string>();

  constructor(actor: Actor, now: () => number) {
    this.#actor = actor;
    this.#now = now;
  }

  /** Who did it and when, for entries that a call makes by itself. */
  by(): Pick<AuditEntry, 'actor' | 'at'> {
    return { at: this.#now(), actor: this.#actor };
  }

  /** For `Store.callAudited`, which notes them with the change itself. */
  entries(...changes: Change[]): AuditEntry[] {
    return changes.map((change) => ({ ...this.by(), projectId: null, changes: [], ...change }));
  }

  /** The same of what one command or request does step by step: with the first step that changes something. */
  async once<Result>(
    change: Change,
    step: (entries: AuditEntry[]) => Promise<Result>,
    hasChanged: (result: Result) => boolean,
  ): Promise<Result> {
    const key = JSON.stringify(change);
    const result = await step(this.#noted.has(key) ? [] : this.entries(change));
    if (hasChanged(result)) this.#noted.add(key);
    return result;
  }
}
