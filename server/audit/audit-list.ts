import type { Actor, AuditEntry } from '../store/admin/audit.ts';
import type { Store } from '../store/store.ts';

export type Change = Pick<AuditEntry, 'action' | 'subject'> & Partial<AuditEntry>;

/** Notes what somebody changed, once it is done and before they are told so. */
export class AuditList {
  readonly #store: Store;
  readonly #actor: Actor;
  readonly #now: () => number;

  constructor(store: Store, actor: Actor, now: () => number) {
    this.#store = store;
    this.#actor = actor;
    this.#now = now;
  }

  async add(change: Change): Promise<void> {
    const usual = { at: this.#now(), actor: this.#actor, projectId: null, changes: [] };
    await this.#store.audit.note({ ...usual, ...change });
  }

  /** Where it was done at all. */
  async addIf<Done>(done: Done, change: Change): Promise<Done> {
    if (done) await this.add(change);
    return done;
  }
}
