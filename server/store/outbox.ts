import type { Day } from '../counting/calendar.ts';
import type { Sql } from '../database/sql.ts';
import { type PageOfRows, toPage } from './page.ts';

export type Channel = 'mail' | 'webhook' | 'pull_request';

/** What is sent to one receiver. */
export interface NewDelivery {
  /** Unique everywhere: receivers know by it what they have already. */
  id: string;
  channel: Channel;
  /** The address of a mail, or of the pull request that is commented on; empty for a webhook. */
  receiver: string;
}

/** Something that a project's receivers are told, once. */
export interface Announcement {
  projectId: string;
  /** What it is about: nothing else of the same key is told of the project. */
  key: string;
  kind: string;
  title: string;
  /** JSON. */
  letter: string;
  /** Milliseconds since 1970. */
  at: number;
  deliveries: readonly NewDelivery[];
}

/** One that is due, for whoever claimed it to send. */
export interface ClaimedDelivery extends NewDelivery {
  projectId: string;
  kind: string;
  letter: string;
  /** Tries so far, this one included: whoever claims it later has a higher number. */
  attempts: number;
}

/** How a try ended. */
export interface DeliveryOutcome {
  /** Milliseconds since 1970; null: it was not sent. */
  sentAt: number | null;
  /** When it is tried again; null: never. */
  dueAt: number | null;
  /** In a sentence; null: there was none. */
  trouble: string | null;
}

/** As the owner reads of it. */
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
  /** When somebody else may try it, unless it is settled before. */
  until: number;
  /** What is due later than this was put off by a clock that was wrong. */
  latest: number;
}

/** The wish to say something that is said once, by whoever claims it first. */
export interface AnnouncementClaim {
  projectId: string;
  /** As of an announcement. */
  key: string;
  now: number;
  /** After it somebody else may say it, as whoever claimed it may have died. */
  leaseMs: number;
}

export type OutboxStore = ReturnType<typeof outbox>;

/** What people and programs are told: digests and alerts. */
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

    /** Those of the keys that were told of the project. */
    async findTold(projectId: string, keys: readonly string[]): Promise<string[]> {
      const rows = await sql.query<{ key: string }>(
        `select key from told t join projects p on p.id = t.project
         where p.public_id = $1 and key ${sql.dialect.isOneOf('$2')} order by key`,
        [projectId, keys],
      );
      return rows.map(({ key }) => key);
    },

    /** Of several at once one tells it. Answers false where it was told before, or there is no such project. */
    tell({ projectId, key, kind, title, letter, at, deliveries }: Announcement): Promise<boolean> {
      return sql.transaction(async (transaction) => {
        // Whoever tells the same at the same time waits here, and then finds it told.
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

    /** For what is said at once, and not delivered. Answers false while another claim holds, or there is no such project. */
    async claimAnnouncement({ projectId, key, now, leaseMs }: AnnouncementClaim): Promise<boolean> {
      // One of a clock that was ahead holds for no longer than others.
      const claimed = await sql.query(
        `insert into told as t (project, key, at) select id, $2, $3 from projects where public_id = $1
         on conflict (project, key) do update set at = excluded.at where abs(excluded.at - t.at) >= $4
         returning project`,
        [projectId, key, now, leaseMs],
      );
      return claimed.length > 0;
    },

    /** What is due first; nobody else has it until then. Null: nothing is due. */
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

    /** Nothing happens where somebody else has claimed it since. What is not tried again keeps no letter. */
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
    async listDeliveries({
      projectId,
      limit,
      offset,
    }: {
      projectId: string;
      limit: number;
      offset: number;
    }): Promise<PageOfRows<LoggedDelivery>> {
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
    async forgetTold({ deliveries, keys }: { deliveries: number; keys: number }): Promise<void> {
      await sql.query('delete from deliveries where created_at < $1', [deliveries]);
      await sql.query('delete from told where at < $1', [keys]);
    },
  };
}
