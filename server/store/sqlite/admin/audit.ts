import type { Actor, AuditEntry } from '../../admin/audit-store.ts';
import { auditKeptMs } from '../../admin/audit-store.ts';
import { type PageOfRows, toPage } from '../../page.ts';
import type { Connection } from '../connection.ts';

interface Query {
  projectId: string | null;
  limit: number;
  offset: number;
}

interface Row extends Omit<AuditEntry, 'actor' | 'changes'> {
  kind: Actor['kind'];
  actorId: string | null;
  name: string | null;
  /** JSON. */
  changes: string;
}

/** Who changed what. */
export class Audit {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  note({ actor, changes, ...entry }: AuditEntry): void {
    const note = this.#db.prepare(
      `insert into audit (at, actor_kind, actor_id, actor_name, action, project_id, subject, changes)
       values (@at, @kind, @id, @name, @action, @projectId, @subject, @changes)`,
    );
    const forget = this.#db.prepare('delete from audit where at < ?');
    this.#db
      .transaction(() => {
        note.run({ ...entry, ...actor, changes: JSON.stringify(changes) });
        forget.run(entry.at - auditKeptMs);
      })
      .immediate();
  }

  listEntries(query: Query): PageOfRows<AuditEntry> {
    const rows = this.#db
      .prepare<[Query], Row>(
        `select at, actor_kind as kind, actor_id as actorId, actor_name as name, action, project_id as projectId,
           subject, changes
         from audit where @projectId is null or project_id = @projectId
         order by at desc, id desc limit @limit + 1 offset @offset`,
      )
      .all(query);
    return toPage(rows.map(toEntry), query);
  }
}

function toEntry({ kind, actorId, name, changes, ...entry }: Row): AuditEntry {
  return { ...entry, actor: { kind, id: actorId, name }, changes: JSON.parse(changes) as string[] };
}
