import type { Sql } from '../../database/sql.ts';
import type { Starter } from './automations.ts';
import type { Job } from './job.ts';
import type { CommentOrigin } from './job-comment.ts';
import type { ListedImage } from './job-image.ts';

interface Entry {
  job: number;
  turn: number;
  events: readonly NewEvent[];
  now: number;
  kind: JobNews['kind'];
}

/** Writes events and sends a notice. The caller has the job's row locked, so that their numbers have no gaps. */
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
  await sql.notify(`job:${kind}:${numbered.id}`);
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

/**
 * What happened to a job: a turn waits in it (`queued`), its transcript grew (`written`), nobody works on it any more, and
 * so there may be room for another (`ended`), or the work on it shall stop (`archived`, also where it was only stopped).
 */
export interface JobNews {
  kind: (typeof kinds)[number];
  jobId: string;
}

const kinds = ['queued', 'written', 'ended', 'archived'] as const;

/** Null: some notices may have been lost. Those of something else are left out. */
export function toNoticeListener(listener: (news: JobNews | null) => void): (notice: string | null) => void {
  return (notice) => {
    const [word, named, jobId] = notice?.split(':') ?? [];
    const kind = kinds.find((one) => one === named);
    if (notice === null) listener(null);
    else if (word === 'job' && kind !== undefined && jobId !== undefined) listener({ kind, jobId });
  };
}

/** A line of the transcript, numbered from 1 within its job. */
export interface JobEvent {
  number: number;
  turn: number;
  at: string;
  /** `message`, `phase`, `text`, `tool`, `output`, `retry`, `failed`, `completed`, `stopped`, `archived`, … */
  type: string;
  /** For people; bounded, and without secrets. */
  data: Record<string, unknown>;
}

export type NewEvent = Omit<JobEvent, 'number' | 'turn' | 'at'>;

/** Where a message comes from, unless somebody sent it by the API. */
interface MessageSource {
  startedBy?: Starter | null | undefined;
  origin?: CommentOrigin | undefined;
  /** What came with it. */
  images?: readonly ListedImage[] | undefined;
}

/** @param ending type and data of the event that ended the newest turn */
export function readEnding(
  ending: string | null,
  status: Job['status'],
): Pick<Job, 'noChange' | 'stopped' | 'answeredBy'> {
  const [, type, data = '{}'] = /^([a-z]+)(.*)$/s.exec(ending ?? '') ?? [];
  const { reason, model } = JSON.parse(data) as { reason?: unknown; model?: unknown };
  const hasReason = type === 'completed' && (status === 'completed' || status === 'archived');
  return {
    noChange: hasReason && typeof reason === 'string' ? reason : null,
    stopped: type === 'stopped' && status === 'completed',
    answeredBy: typeof model === 'string' ? model : null,
  };
}

/** Actions of people are in the transcript, too. */
export const eventOf = {
  message: (prompt: string, { startedBy, origin, images = [] }: MessageSource = {}): NewEvent => ({
    type: 'message',
    data: {
      text: prompt,
      ...(images.length > 0 && { images }),
      ...(startedBy && { startedBy }),
      ...(origin && { by: origin.author ?? 'checks', url: origin.url }),
    },
  }),
  stopped: { type: 'stopped', data: { text: 'Somebody stopped the agent.' } },
  archived: { type: 'archived', data: { text: 'It was asked to be archived.' } },
  idle: { type: 'archived', data: { text: 'Nothing happened for a long time.' } },
} as const;
