import type { Actor, AuditEntry, AuditStore } from '../../admin/audit-store.ts';
import { auditKeptMs } from '../../admin/audit-store.ts';
import { type PageOfRows, toPage } from '../../page.ts';
import type { Database } from '../database.ts';

interface Row extends Omit<AuditEntry, 'actor' | 'changes'> {
  kind: Actor['kind'];
  actorId: string | null;
  name: string | null;
  /** JSON. */
  changes: string;
}

/** Who changed what. */
export class Audit implements AuditStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async note({ at, actor, action, projectId, subject, changes }: AuditEntry): Promise<void> {
    await this.#database.transaction(async (db) => {
      await db.query(
        `insert into audit (at, actor_kind, actor_id, actor_name, action, project_id, subject, changes)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [at, actor.kind, actor.id, actor.name, action, projectId, subject, JSON.stringify(changes)],
      );
      await db.query('delete from audit where at < $1', [at - auditKeptMs]);
    });
  }

  async listEntries({
    projectId,
    limit,
    offset,
  }: Parameters<AuditStore['listEntries']>[0]): Promise<PageOfRows<AuditEntry>> {
    const rows = await this.#database.query<Row>(
      `select at, actor_kind as kind, actor_id as "actorId", actor_name as name, action,
         project_id as "projectId", subject, changes
       from audit where $1::text is null or project_id = $1
       order by at desc, id desc limit $2::bigint + 1 offset $3`,
      [projectId, limit, offset],
    );
    return toPage(rows.map(toEntry), { limit });
  }
}

function toEntry({ kind, actorId, name, changes, ...entry }: Row): AuditEntry {
  return { ...entry, actor: { kind, id: actorId, name }, changes: JSON.parse(changes) as string[] };
}
