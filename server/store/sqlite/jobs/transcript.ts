import type { Statement } from 'better-sqlite3';
import type { JobEvent, NewEvent } from '../../jobs/job-event.ts';
import type { Connection } from '../connection.ts';

type EventRow = Omit<JobEvent, 'data'> & { data: string };

/** Writes events; used inside a transaction, so that their numbers have no gaps. */
export class TranscriptWriter {
  readonly #nextNumber: Statement<[number], { last_event: number }>;
  readonly #insert: Statement<[number, number, number, string, string, string]>;

  constructor(db: Connection) {
    this.#nextNumber = db.prepare(
      'update jobs set last_event = last_event + 1 where id = ? returning last_event',
    );
    this.#insert = db.prepare(
      'insert into events (job, number, turn, at, type, data) values (?, ?, ?, ?, ?, ?)',
    );
  }

  append(job: number, turn: number, events: readonly NewEvent[], now: number): void {
    const at = new Date(now).toISOString();
    for (const { type, data } of events) {
      const number = this.#nextNumber.get(job)?.last_event as number;
      this.#insert.run(job, number, turn, at, type, JSON.stringify(data));
    }
  }
}

/** Reads events, and the conversation with the model. */
export class TranscriptReader {
  readonly #findJob: Statement<[string, string], { id: number }>;
  readonly #events: Statement<[number, number, number], EventRow>;
  readonly #messages: Statement<[string], { message: string }>;
  readonly #turnMessages: Statement<[string, number], { message: string }>;

  constructor(db: Connection) {
    this.#findJob = db.prepare(
      'select j.id from jobs j join projects p on p.id = j.project where j.public_id = ? and p.public_id = ?',
    );
    this.#events = db.prepare(
      'select number, turn, at, type, data from events where job = ? and number > ? order by number limit ?',
    );
    this.#messages = db.prepare(
      `select m.message from jobs j
       join turns t on t.job = j.id and t.phase = 'settled'
       join messages m on m.job = t.job and m.turn = t.number
       where j.public_id = ? order by m.turn, m.position`,
    );
    this.#turnMessages = db.prepare(
      `select message from messages where job = (select id from jobs where public_id = ?) and turn = ?
       order by position`,
    );
  }

  readEvents(projectId: string, jobId: string, after: number, limit: number): JobEvent[] | null {
    const job = this.#findJob.get(jobId, projectId);
    if (!job) return null;
    const rows = this.#events.all(job.id, after, limit);
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
  }

  readMessages(jobId: string): unknown[] {
    return this.#messages.all(jobId).map(({ message }) => JSON.parse(message));
  }
  readTurnMessages(jobId: string, turn: number): unknown[] {
    return this.#turnMessages.all(jobId, turn).map(({ message }) => JSON.parse(message));
  }
}
