import type { ActorKind, AuditAction } from '../../../shared/accounts/audit-actions.ts';
import type { PageOfRows } from '../page.ts';

/** Whoever changed something, as they were called then. */
export interface Actor {
  kind: ActorKind;
  /** Of the user, the key or the automation. */
  id: string | null;
  name: string | null;
}

/** What somebody changed; names and settings, and never the value of a secret. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  at: number;
  actor: Actor;
  action: AuditAction;
  /** The public id, which may be that of a project that is gone; null: it was about no single one. */
  projectId: string | null;
  subject: string;
  changes: string[];
}

/** Entries stay for two years, whatever becomes of what they tell of. */
export const auditKeptMs = 730 * 24 * 60 * 60 * 1000;

export interface AuditStore {
  /** Forgets those that are too old by then. */
  note(entry: AuditEntry): Promise<void>;
  /** The newest first; null: of all projects and of none. */
  listEntries(query: {
    projectId: string | null;
    limit: number;
    offset: number;
  }): Promise<PageOfRows<AuditEntry>>;
}
