import type { Actor, AuditEntry } from '../store/admin/audit.ts';
import type { Store } from '../store/store.ts';

export type Change = Pick<AuditEntry, 'action' | 'subject'> & Partial<AuditEntry>;

/** What somebody changed. */
export class AuditList {
  readonly #store: Store;
  readonly #actor: Actor;
  readonly #now: () => number;

  constructor(store: Store, actor: Actor, now: () => number) {
    this.#store = store;
    this.#actor = actor;
    this.#now = now;
  }

  /** For `Store.callAudited`, which notes them with the change itself. */
  entries(...changes: Change[]): AuditEntry[] {
    const usual = { at: this.#now(), actor: this.#actor, projectId: null, changes: [] };
    return changes.map((change) => ({ ...usual, ...change }));
  }

  async add(change: Change): Promise<void> {
    for (const entry of this.entries(change)) await this.#store.audit.note(entry);
  }

  /** Where it was done at all. */
  async addIf<Done>(done: Done, change: Change): Promise<Done> {
    if (done) await this.add(change);
    return done;
  }
}
