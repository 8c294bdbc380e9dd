import type { ActorKind, AuditAction } from '../../../shared/accounts/audit-actions.ts';
import type { Sql } from '../../database/sql.ts';
import { type PageQuery, toPage } from '../page.ts';

/** The author of a change, by the name at that time. */
export interface Actor {
  kind: ActorKind;
  /** Of the user, the key or the automation. */
  id: string | null;
  name: string | null;
}

/** A change: names and settings, never the value of a secret. */
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

/** Entries are kept for two years, even if their subject is deleted. */
export const auditKeptMs = 730 * 24 * 60 * 60 * 1000;

export type AuditStore = ReturnType<typeof audit>;

interface AuditRow extends Omit<AuditEntry, 'actor' | 'changes'> {
  kind: Actor['kind'];
  actorId: string | null;
  name: string | null;
  /** JSON. */
  changes: string;
}

/** Who changed what. */
export function audit(sql: Sql) {
  return {
    /** The newest first; null: of all projects and of none. */
    async listEntries({ projectId, limit, offset }: PageQuery<string | null>) {
      // A condition that may hold for all would keep the index of projects from being used.
      const ofProject = projectId === null ? 'cast($1 as text) is null' : 'project_id = $1';
      const rows = await sql.query<AuditRow>(
        `select at, actor_kind as kind, actor_id as "actorId", actor_name as name, action,
           project_id as "projectId", subject, changes
         from audit where ${ofProject}
         order by at desc, id desc limit $2 offset $3`,
        [projectId, limit + 1, offset],
      );
      return toPage(rows.map(toEntry), { limit });
    },
  };
}

/** In the transaction of the change. Deletes entries that are too old. */
export async function addEntry(
  sql: Sql,
  { at, actor, action, projectId, subject, changes }: AuditEntry,
): Promise<void> {
  await sql.query(
    `insert into audit (at, actor_kind, actor_id, actor_name, action, project_id, subject, changes)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [at, actor.kind, actor.id, actor.name, action, projectId, subject, JSON.stringify(changes)],
  );
  await sql.query('delete from audit where at < $1', [at - auditKeptMs]);
}

function toEntry({ kind, actorId, name, changes, ...entry }: AuditRow): AuditEntry {
  // Annotations were called marks before.
  const action = entry.action.replace(/^mark\b/, 'annotation') as AuditAction;
  return { ...entry, action, actor: { kind, id: actorId, name }, changes: JSON.parse(changes) as string[] };
}
