import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../counting/calendar.ts';
import type {
  Announcement,
  AnnouncementClaim,
  ClaimedDelivery,
  DeliveryClaim,
  DeliveryOutcome,
  FinishedJob,
  LoggedDelivery,
  NewDelivery,
} from '../../outbox-store.ts';
import type { PageOfRows } from '../../page.ts';
import type { Connection } from '../connection.ts';

interface Page {
  projectId: string;
  limit: number;
  offset: number;
}

type Added = Omit<Announcement, 'projectId' | 'key' | 'deliveries'> & NewDelivery & { project: number };

/** What people and programs are told. */
export class Outbox {
  readonly #db: Connection;
  readonly #sealed: Statement<[string], Day | null>;
  readonly #finished: Statement<[string, number], FinishedJob>;
  readonly #project: Statement<[string], number>;
  readonly #find: Statement<[{ projectId: string; keys: string }], string>;
  readonly #note: Statement<[{ project: number; key: string; at: number }]>;
  readonly #claimAnnouncement: Statement<[AnnouncementClaim]>;
  readonly #add: Statement<[Added]>;
  readonly #claim: Statement<[DeliveryClaim], ClaimedDelivery>;
  readonly #settle: Statement<[DeliveryOutcome & { id: string; attempts: number }]>;
  readonly #list: Statement<[Page], LoggedDelivery>;
  readonly #forgetDeliveries: Statement<[number]>;
  readonly #forgetKeys: Statement<[number]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#sealed = db
      .prepare<[string], Day | null>('select sealed_through from projects where public_id = ?')
      .pluck();
    this.#finished = db.prepare(
      `select j.public_id as id, active_at as endedAt from jobs j join projects p on p.id = j.project
       where p.public_id = ? and status in ('completed', 'failed') and active_at >= ? order by active_at, j.id limit 100`,
    );
    this.#project = db.prepare<[string], number>('select id from projects where public_id = ?').pluck();
    this.#find = db
      .prepare<[{ projectId: string; keys: string }], string>(
        `select key from told t join projects p on p.id = t.project
         where p.public_id = @projectId and key in (select value from json_each(@keys)) order by key`,
      )
      .pluck();
    this.#note = db.prepare(
      'insert into told (project, key, at) values (@project, @key, @at) on conflict do nothing',
    );
    // One of a clock that was ahead holds for no longer than others.
    this.#claimAnnouncement = db.prepare(
      `insert into told (project, key, at) select id, @key, @now from projects where public_id = @projectId
       on conflict (project, key) do update set at = excluded.at where abs(excluded.at - told.at) >= @leaseMs`,
    );
    this.#add = db.prepare(
      `insert into deliveries (id, project, kind, title, channel, receiver, letter, created_at, attempts, due_at)
       values (@id, @project, @kind, @title, @channel, @receiver, @letter, @at, 0, @at)`,
    );
    this.#claim = db.prepare(
      `update deliveries set attempts = attempts + 1, due_at = @until
       where id = (select id from deliveries where due_at <= @now or due_at > @latest order by due_at, id limit 1)
       returning id, (select public_id from projects p where p.id = project) as projectId, kind, channel, receiver,
         letter, attempts`,
    );
    this.#settle = db.prepare(
      `update deliveries set sent_at = @sentAt, due_at = @dueAt, trouble = @trouble,
         letter = iif(@dueAt is null, '', letter) where id = @id and attempts = @attempts`,
    );
    this.#list = db.prepare(
      `select d.id, kind, title, channel, receiver, d.created_at as createdAt, attempts, due_at as dueAt,
         sent_at as sentAt, trouble
       from deliveries d join projects p on p.id = d.project where p.public_id = @projectId
       order by d.created_at desc, receiver, d.id limit @limit + 1 offset @offset`,
    );
    this.#forgetDeliveries = db.prepare('delete from deliveries where created_at < ?');
    this.#forgetKeys = db.prepare('delete from told where at < ?');
  }

  sealedThrough(projectId: string): Day | null {
    return this.#sealed.get(projectId) ?? null;
  }

  listFinishedJobs(projectId: string, since: number): FinishedJob[] {
    return this.#finished.all(projectId, since);
  }

  findTold(projectId: string, keys: readonly string[]): string[] {
    return this.#find.all({ projectId, keys: JSON.stringify(keys) });
  }

  tell({ projectId, key, deliveries, ...announcement }: Announcement): boolean {
    return this.#db
      .transaction(() => {
        const project = this.#project.get(projectId);
        if (project === undefined) return false;
        if (this.#note.run({ project, key, at: announcement.at }).changes === 0) return false;
        for (const delivery of deliveries) this.#add.run({ ...announcement, ...delivery, project });
        return true;
      })
      .immediate();
  }

  claimAnnouncement(claim: AnnouncementClaim): boolean {
    return this.#claimAnnouncement.run(claim).changes > 0;
  }

  claimDelivery(claim: DeliveryClaim): ClaimedDelivery | null {
    return this.#claim.get(claim) ?? null;
  }

  settleDelivery(id: string, attempts: number, outcome: DeliveryOutcome): void {
    this.#settle.run({ ...outcome, id, attempts });
  }

  listDeliveries(page: Page): PageOfRows<LoggedDelivery> {
    const rows = this.#list.all(page);
    return { rows: rows.slice(0, page.limit), hasMore: rows.length > page.limit };
  }

  forgetTold({ deliveries, keys }: { deliveries: number; keys: number }): void {
    this.#forgetDeliveries.run(deliveries);
    this.#forgetKeys.run(keys);
  }
}
