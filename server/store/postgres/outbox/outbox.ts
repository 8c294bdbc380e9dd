import type { Day } from '../../../counting/calendar.ts';
import type {
  Announcement,
  AnnouncementClaim,
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryOutcome,
  FinishedJob,
  LoggedDelivery,
  OutboxStore,
} from '../../outbox-store.ts';
import type { PageOfRows } from '../../page.ts';
import type { Database } from '../database.ts';

/** What people and programs are told. */
export class Outbox implements OutboxStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async sealedThrough(projectId: string): Promise<Day | null> {
    const [row] = await this.#database.query<{ sealed: Day | null }>(
      'select sealed_through as sealed from projects where public_id = $1',
      [projectId],
    );
    return row?.sealed ?? null;
  }

  listFinishedJobs(projectId: string, since: number): Promise<FinishedJob[]> {
    return this.#database.query<FinishedJob>(
      `select j.public_id as id, active_at as "endedAt" from jobs j join projects p on p.id = j.project
       where p.public_id = $1 and status in ('completed', 'failed') and active_at >= $2
       order by active_at, j.id limit 100`,
      [projectId, since],
    );
  }

  async findTold(projectId: string, keys: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query<{ key: string }>(
      `select key from told t join projects p on p.id = t.project
       where p.public_id = $1 and key = any($2::text[]) order by key`,
      [projectId, keys],
    );
    return rows.map(({ key }) => key);
  }

  tell({ projectId, key, kind, title, letter, at, deliveries }: Announcement): Promise<boolean> {
    return this.#database.transaction(async (session) => {
      // Whoever tells the same at the same time waits here, and then finds it told.
      const [noted] = await session.query<{ project: number }>(
        `insert into told (project, key, at) select id, $2, $3::bigint from projects where public_id = $1
         on conflict do nothing returning project`,
        [projectId, key, at],
      );
      if (!noted) return false;
      for (const { id, channel, receiver } of deliveries) {
        await session.query(
          `insert into deliveries
             (id, project, kind, title, channel, receiver, letter, created_at, attempts, due_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8::bigint, 0, $8::bigint)`,
          [id, noted.project, kind, title, channel, receiver, letter, at],
        );
      }
      return true;
    });
  }

  async claimAnnouncement({ projectId, key, now, leaseMs }: AnnouncementClaim): Promise<boolean> {
    // One of a clock that was ahead holds for no longer than others.
    const claimed = await this.#database.query(
      `insert into told as t (project, key, at) select id, $2, $3::bigint from projects where public_id = $1
       on conflict (project, key) do update set at = excluded.at where abs(excluded.at - t.at) >= $4::bigint
       returning t.project`,
      [projectId, key, now, leaseMs],
    );
    return claimed.length > 0;
  }

  async claimDelivery({ now, until, latest }: DeliveryClaim): Promise<ClaimedDelivery | null> {
    const [claimed] = await this.#database.query<ClaimedDelivery>(
      `update deliveries d set attempts = attempts + 1, due_at = $2::bigint
       from projects p where p.id = d.project and d.id =
         (select id from deliveries where due_at <= $1::bigint or due_at > $3::bigint
          order by due_at, id limit 1 for update skip locked)
       returning d.id, p.public_id as "projectId", kind, channel, receiver, letter, attempts`,
      [now, until, latest],
    );
    return claimed ?? null;
  }

  async settleDelivery(
    id: string,
    attempts: number,
    { sentAt, dueAt, trouble }: DeliveryOutcome,
  ): Promise<void> {
    await this.#database.query(
      `update deliveries set sent_at = $3::bigint, due_at = $4::bigint, trouble = $5,
         letter = case when $4::bigint is null then '' else letter end where id = $1 and attempts = $2`,
      [id, attempts, sentAt, dueAt, trouble],
    );
  }

  async listDeliveries({
    projectId,
    limit,
    offset,
  }: {
    projectId: string;
    limit: number;
    offset: number;
  }): Promise<PageOfRows<LoggedDelivery>> {
    const rows = await this.#database.query<LoggedDelivery>(
      `select d.id, kind, title, channel, receiver, d.created_at as "createdAt", attempts, due_at as "dueAt",
         sent_at as "sentAt", trouble
       from deliveries d join projects p on p.id = d.project where p.public_id = $1
       order by d.created_at desc, receiver, d.id limit $2::int + 1 offset $3::bigint`,
      [projectId, limit, offset],
    );
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  async forgetTold({ deliveries, keys }: { deliveries: number; keys: number }): Promise<void> {
    await this.#database.query('delete from deliveries where created_at < $1', [deliveries]);
    await this.#database.query('delete from told where at < $1', [keys]);
  }
}
