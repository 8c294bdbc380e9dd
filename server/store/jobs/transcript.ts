import type { Sql } from '../../database/sql.ts';
import type { JobEvent, NewEvent } from './job-event.ts';
import type { JobNews } from './job-news.ts';
import { noticeOf } from './job-news.ts';

interface Entry {
  job: number;
  turn: number;
  events: readonly NewEvent[];
  now: number;
  kind: JobNews['kind'];
}

/** Writes events, and tells of what happened; used by who has the job's row locked, so that their numbers have no gaps. */
export async function appendEvents(sql: Sql, { job, turn, events, now, kind }: Entry): Promise<void> {
  const [numbered] = await sql.query<{ id: string; last: number }>(
    'update jobs set last_event = last_event + $2 where id = $1 returning public_id as id, last_event as last',
    [job, events.length],
  );
  if (!numbered) return;
  if (events.length > 0) {
    const first = numbered.last - events.length + 1;
    const given = events.map(({ type, data }, i) => ({
      number: first + i,
      type,
      data: JSON.stringify(data),
    }));
    await sql.query(
      `insert into events (job, number, turn, at, type, data)
       select $1, number, $2, $3, type, data
       from ${sql.dialect.rows('$4', { number: 'int', type: 'text', data: 'text' })} as given`,
      [job, turn, now, JSON.stringify(given)],
    );
  }
  await sql.notify(noticeOf(kind, numbered.id));
}

/** Reads events, and the conversation with the model. */
export function transcripts(sql: Sql) {
  return {
    /** Transcript after that number, oldest first. Null: no such job. */
    async readEvents(
      projectId: string,
      jobId: string,
      after: number,
      limit: number,
    ): Promise<JobEvent[] | null> {
      const [job] = await sql.query<{ id: number }>(
        'select j.id from jobs j join projects p on p.id = j.project where p.public_id = $1 and j.public_id = $2',
        [projectId, jobId],
      );
      if (!job) return null;
      // Any number may be asked for, also one that no event can have.
      const rows = await sql.query<Omit<JobEvent, 'at' | 'data'> & { at: number; data: string }>(
        `select number, turn, at, type, data from events where job = $1 and number > cast($2 as bigint)
         order by number limit $3`,
        [job.id, after, limit],
      );
      return rows.map(({ at, data, ...event }) => ({
        ...event,
        at: new Date(at).toISOString(),
        data: JSON.parse(data),
      }));
    },

    /** Those of settled turns, in order. */
    async readMessages(jobId: string): Promise<unknown[]> {
      const rows = await sql.query<{ message: string }>(
        `select m.message from jobs j
         join turns t on t.job = j.id and t.phase = 'settled'
         join messages m on m.job = t.job and m.turn = t.number
         where j.public_id = $1 order by m.turn, m.position`,
        [jobId],
      );
      return rows.map(({ message }) => JSON.parse(message));
    },

    /** Those that the attempts of this turn have appended so far. */
    async readTurnMessages(jobId: string, turn: number): Promise<unknown[]> {
      const rows = await sql.query<{ message: string }>(
        `select message from messages where job = (select id from jobs where public_id = $1) and turn = $2
         order by position`,
        [jobId, turn],
      );
      return rows.map(({ message }) => JSON.parse(message));
    },
  };
}
