import { eventOf } from '../../jobs/job-event.ts';
import type { TurnOrigin } from '../../jobs/job-turn.ts';
import type { Queryable } from '../queryable.ts';
import { addImages } from './images.ts';
import { joinRecord } from './job-rows.ts';
import { appendEvents } from './transcript.ts';

/** One more turn of a job whose row is locked. */
export async function queueTurn(
  db: Queryable,
  job: number,
  prompt: string,
  now: number,
  { record, startedBy, images = [] }: TurnOrigin = {},
): Promise<void> {
  const [turn] = await db.query<{ number: number }>(
    `insert into turns (job, number, prompt, phase, created_at, due_at, record)
     select $1, coalesce(max(number) + 1, 0), $2, 'queued', $3, $3, $4::text[] from turns where job = $1
     returning number`,
    [job, JSON.stringify(prompt), now, record ? [JSON.stringify(record)] : []],
  );
  const number = turn?.number as number;
  const listed = await addImages(db, job, number, images);
  const events = [eventOf.message(prompt, { startedBy, origin: record?.origin, images: listed })];
  await appendEvents(db, { job, turn: number, events, now, kind: 'queued' });
}

export async function activate(db: Queryable, job: number, now: number): Promise<void> {
  await db.query(`update jobs set status = 'active', active_at = $2, failure = null where id = $1`, [
    job,
    now,
  ]);
}

/** Turns that wait for it go on from the phase that they had reached, with all their attempts before them. */
export async function resume(db: Queryable, job: number, now: number): Promise<void> {
  const waiting = await db.query<{ number: number; record: string[] }>(
    'select number, record from turns where job = $1 and resumes_at is not null',
    [job],
  );
  for (const { number, record } of waiting) {
    const { failures: _failures, refusal: _refusal, ...kept } = joinRecord(record);
    await db.query(
      `update turns set phase = resumes_at, resumes_at = null, due_at = $3, attempt = 0, record = array[$4::text]
       where job = $1 and number = $2`,
      [job, number, now, JSON.stringify(kept)],
    );
  }
}
