import type { Lease } from '../../jobs/job-turn.ts';

/** What of a lease travels to the writer: prompts and patches stay behind. */
export interface LeaseKey {
  jobId: string;
  number: number;
  fence: number;
  /** When the call was made. */
  now: number;
}

type ByLease<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (key: LeaseKey, ...rest: infer Rest) => infer Result
    ? (lease: Lease, ...rest: Rest) => Result
    : never;
};

/** Calls that take a whole lease and send its key. */
export function byLease<Calls extends object>(calls: Calls, now: () => number): ByLease<Calls> {
  const taking = Object.entries(calls).map(([name, call]) => [
    name,
    ({ turn, fence }: Lease, ...rest: unknown[]) =>
      call({ jobId: turn.jobId, number: turn.number, fence, now: now() } satisfies LeaseKey, ...rest),
  ]);
  return Object.fromEntries(taking);
}

type AtTime<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (now: number, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Calls that send along when they were made. */
export function atTime<Calls extends object>(calls: Calls, now: () => number): AtTime<Calls> {
  const taking = Object.entries(calls).map(([name, call]) => [
    name,
    (...rest: unknown[]) => call(now(), ...rest),
  ]);
  return Object.fromEntries(taking);
}
