import type { comments } from './job-comment.ts';
import type { images } from './job-image.ts';
import type { JobNews } from './job-news.ts';
import type { Lease } from './job-turn.ts';
import type { jobReports, jobs, Now } from './jobs.ts';
import type { transcripts } from './transcript.ts';
import type { LeaseKey, leases, turns } from './turns.ts';

/** What reads only. */
type Reading = ReturnType<typeof jobReports> &
  ReturnType<typeof transcripts> &
  ReturnType<typeof comments> &
  ReturnType<typeof images>;

/** What is asked of the database: each call says what time it is, or that the database is to say so. */
type JobCalls = ReturnType<typeof jobs> & ReturnType<typeof turns>;

export type AtTime<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (at: Now, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

type ByLease<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (key: LeaseKey, ...rest: infer Rest) => infer Result
    ? (lease: Lease, ...rest: Rest) => Result
    : never;
};

/**
 * Jobs, their turns and transcripts. What time it is, the store knows: leases, pauses and hours hold for all that share it,
 * whose clocks differ. So nobody hands in a moment, only how long something lasts.
 */
export interface JobStore extends Reading, AtTime<JobCalls>, ByLease<ReturnType<typeof leases>> {
  /**
   * Calls back at what happens to jobs, whoever on this data did it, as far as the engine hears of others; null: some may
   * have been missed. Only a hint, so ask from time to time, too. Answers how to end it.
   */
  onNews(listener: (news: JobNews | null) => void): () => void;
}

/** Calls that take a whole lease and send its key. */
export function byLease<Calls extends object>(calls: Calls, now: () => Now): ByLease<Calls> {
  const taking = Object.entries(calls).map(([name, call]) => [
    name,
    ({ turn, fence }: Lease, ...rest: unknown[]) =>
      call({ jobId: turn.jobId, number: turn.number, fence, now: now() } satisfies LeaseKey, ...rest),
  ]);
  return Object.fromEntries(taking);
}

/** Calls that send along when they were made. */
export function atTime<Calls extends object>(calls: Calls, now: () => Now): AtTime<Calls> {
  const taking = Object.entries(calls).map(([name, call]) => [
    name,
    (...rest: unknown[]) => call(now(), ...rest),
  ]);
  return Object.fromEntries(taking);
}
