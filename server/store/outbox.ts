import type { Day } from '../counting/calendar.ts';
import { has, type Sql } from '../database/sql.ts';
import { type PageOfRows, type PageQuery, toPage } from './page.ts';

export type Channel = 'mail' | 'webhook' | 'pull_request';

/** A delivery to one recipient. */
export interface NewDelivery {
  /** Unique everywhere: recipients recognise repeats by it. */
  id: string;
  channel: Channel;
  /** The address of a mail, or of the pull request that is commented on; empty for a webhook. */
  receiver: string;
}

/** A notification that a project's recipients get once. */
export interface Announcement {
  projectId: string;
  /** The subject: a project sends one notification for each key. */
  key: string;
  kind: string;
  title: string;
  /** The notification, as JSON. */
  letter: string;
  /** Milliseconds since 1970. */
  at: number;
  deliveries: readonly NewDelivery[];
}

/** A due delivery, for the node that claimed it. */
export interface ClaimedDelivery extends NewDelivery {
  projectId: string;
  kind: string;
  letter: string;
  /** Tries so far, this one included: a later claim has a higher number. */
  attempts: number;
}

/** How a try ended. */
export interface DeliveryOutcome {
  /** Milliseconds since 1970; null: it was not sent. */
  sentAt: number | null;
  /** When it is tried again; null: never. */
  dueAt: number | null;
  /** An error message; null: there was none. */
  trouble: string | null;
}

/** As shown to the owner. */
export interface LoggedDelivery extends NewDelivery, DeliveryOutcome {
  kind: string;
  title: string;
  createdAt: number;
  attempts: number;
}

/** A job that has completed or failed, and does nothing since. */
export interface FinishedJob {
  id: string;
  /** Milliseconds since 1970. */
  endedAt: number;
}

export interface DeliveryClaim {
  now: number;
  /** When another node may try it, unless it is settled before. */
  until: number;
  /** Deliveries due later than this were scheduled by a wrong clock. */
  latest: number;
}

/** A claim to post something that is posted once. */
export interface AnnouncementClaim {
  projectId: string;
  /** As of an announcement. */
  key: string;
  now: number;
  /** After it another node may post it, as the one with the claim may have crashed. */
  leaseMs: number;
}

export type OutboxStore = ReturnType<typeof outbox>;

/** Digests and alerts to people and programs. */
export function outbox(sql: Sql) {
  return {
    /** Days up to this one are sealed; null: none is, or there is no such project. */
    async sealedThrough(projectId: string): Promise<Day | null> {
      const [row] = await sql.query<{ sealed: Day | null }>(
        'select sealed_through as sealed from projects where public_id = $1',
        [projectId],
      );
      return row?.sealed ?? null;
    },

    /** Since a moment, those that ended first before the others; 100 at most. */
    listFinishedJobs: (projectId: string, since: number): Promise<FinishedJob[]> =>
      sql.query<FinishedJob>(
        `select j.public_id as id, active_at as "endedAt" from jobs j join projects p on p.id = j.project
         where p.public_id = $1 and status in ('completed', 'failed') and active_at >= $2
         order by active_at, j.id limit 100`,
        [projectId, since],
      ),

    /** Those of the keys that the project has announced. */
    async findAnnounced(projectId: string, keys: readonly string[]): Promise<string[]> {
      const rows = await sql.query<{ key: string }>(
        `select key from told t join projects p on p.id = t.project
         where p.public_id = $1 and key ${sql.dialect.isOneOf('$2')} order by key`,
        [projectId, keys],
      );
      return rows.map(({ key }) => key);
    },

    /** Adds it once, also when called concurrently. False: it was announced before, or there is no such project. */
    announce({ projectId, key, kind, title, letter, at, deliveries }: Announcement): Promise<boolean> {
      return sql.transaction(async (transaction) => {
        // A concurrent call with the same key waits here, and then finds the row.
        const [noted] = await transaction.query<{ project: number }>(
          `insert into told (project, key, at) select id, $2, $3 from projects where public_id = $1
           on conflict do nothing returning project`,
          [projectId, key, at],
        );
        if (!noted) return false;
        for (const { id, channel, receiver } of deliveries) {
          await transaction.query(
            `insert into deliveries
               (id, project, kind, title, channel, receiver, letter, created_at, attempts, due_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9)`,
            [id, noted.project, kind, title, channel, receiver, letter, at, at],
          );
        }
        return true;
      });
    },

    /** For posts without a delivery. False: another claim holds, or there is no such project. */
    async claimAnnouncement({ projectId, key, now, leaseMs }: AnnouncementClaim): Promise<boolean> {
      // One of a clock that was ahead holds for no longer than others.
      return has(
        sql,
        `insert into told as t (project, key, at) select id, $2, $3 from projects where public_id = $1
         on conflict (project, key) do update set at = excluded.at where abs(excluded.at - t.at) >= $4
         returning project`,
        [projectId, key, now, leaseMs],
      );
    },

    /** Claims the delivery that is due first. Null: nothing is due. */
    async claimDelivery({ now, until, latest }: DeliveryClaim): Promise<ClaimedDelivery | null> {
      const [claimed] = await sql.query<ClaimedDelivery>(
        `update deliveries set attempts = attempts + 1, due_at = $2
         where id = (select d.id from deliveries d where d.due_at <= $1 or d.due_at > $3
           order by d.due_at, d.id limit 1 ${sql.dialect.skipLocked('d')})
         returning id, (select public_id from projects p where p.id = deliveries.project) as "projectId", kind,
           channel, receiver, letter, attempts`,
        [now, until, latest],
      );
      return claimed ?? null;
    },

    /** Does nothing where another node has claimed it since. Deletes the notification when there is no further try. */
    async settleDelivery(
      id: string,
      attempts: number,
      { sentAt, dueAt, trouble }: DeliveryOutcome,
    ): Promise<void> {
      await sql.query(
        `update deliveries set sent_at = $3, due_at = cast($4 as bigint), trouble = $5,
           letter = case when cast($4 as bigint) is null then '' else letter end where id = $1 and attempts = $2`,
        [id, attempts, sentAt, dueAt, trouble],
      );
    },

    /** The newest first. */
    async listDeliveries({ projectId, limit, offset }: PageQuery): Promise<PageOfRows<LoggedDelivery>> {
      const rows = await sql.query<LoggedDelivery>(
        `select d.id, kind, title, channel, receiver, d.created_at as "createdAt", attempts, due_at as "dueAt",
           sent_at as "sentAt", trouble
         from deliveries d join projects p on p.id = d.project where p.public_id = $1
         order by d.created_at desc, receiver, d.id limit $2 offset $3`,
        [projectId, limit + 1, offset],
      );
      return toPage(rows, { limit });
    },

    /** Deletes deliveries and keys from before these moments. */
    async deleteAnnounced({ deliveries, keys }: { deliveries: number; keys: number }): Promise<void> {
      await sql.query('delete from deliveries where created_at < $1', [deliveries]);
      await sql.query('delete from told where at < $1', [keys]);
    },
  };
}
