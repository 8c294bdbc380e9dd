import type { JobEvent, NewEvent } from '../../jobs/job-event.ts';
import type { JobNews } from '../../jobs/job-store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { noticeOf } from './job-notices.ts';

type EventRow = Omit<JobEvent, 'data' | 'at'> & { at: number; data: string };

interface Entry {
  job: number;
  turn: number;
  events: readonly NewEvent[];
  now: number;
  kind: JobNews['kind'];
}

/** Writes events, and tells of what happened; used by who has the job's row locked, so that their numbers have no gaps. */
export async function appendEvents(db: Queryable, { job, turn, events, now, kind }: Entry): Promise<void> {
  await db.query(
    `with numbered as (
       update jobs set last_event = last_event + cardinality($4::text[]) where id = $1
       returning public_id, last_event - cardinality($4::text[]) as before),
     written as (
       insert into events (job, number, turn, at, type, data)
       select $1, n.before + e.position, $2, $3, e.type, e.data
       from numbered n, unnest($4::text[], $5::text[]) with ordinality e (type, data, position))
     select pg_notify('headcount', $6 || public_id) from numbered`,
    [
      job,
      turn,
      now,
      events.map(({ type }) => type),
      events.map(({ data }) => JSON.stringify(data)),
      noticeOf(kind),
    ],
  );
}

/** Reads events, and the conversation with the model. */
export class TranscriptReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async readEvents(
    projectId: string,
    jobId: string,
    after: number,
    limit: number,
  ): Promise<JobEvent[] | null> {
    // A job without such events is a row without a number. Any number may be asked for, also one that no event can have.
    const rows = await this.#database.query<EventRow | { number: null }>(
      `select e.number, e.turn, e.at, e.type, e.data
       from jobs j join projects p on p.id = j.project
       left join lateral (
         select * from events where job = j.id and number > $3::bigint order by number limit $4) e on true
       where p.public_id = $1 and j.public_id = $2 order by e.number`,
      [projectId, jobId, after, limit],
    );
    if (rows.length === 0) return null;
    return rows.filter((row) => row.number !== null).map(toEvent);
  }

  async readMessages(jobId: string): Promise<unknown[]> {
    const rows = await this.#database.query<{ message: string }>(
      `select m.message from jobs j
       join turns t on t.job = j.id and t.phase = 'settled'
       join messages m on m.job = t.job and m.turn = t.number
       where j.public_id = $1 order by m.turn, m.position`,
      [jobId],
    );
    return rows.map(({ message }) => JSON.parse(message));
  }

  async readTurnMessages(jobId: string, turn: number): Promise<unknown[]> {
    const rows = await this.#database.query<{ message: string }>(
      `select message from messages where job = (select id from jobs where public_id = $1) and turn = $2
       order by position`,
      [jobId, turn],
    );
    return rows.map(({ message }) => JSON.parse(message));
  }
}

function toEvent({ number, turn, at, type, data }: EventRow): JobEvent {
  return { number, turn, at: new Date(at).toISOString(), type, data: JSON.parse(data) };
}
