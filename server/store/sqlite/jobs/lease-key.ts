import type { Lease } from '../../job-store.ts';

/** What of a lease travels to the writer: prompts and patches stay behind. */
export interface LeaseKey {
  jobId: string;
  number: number;
  fence: number;
}

type ByLease<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (key: LeaseKey, ...rest: infer Rest) => infer Result
    ? (lease: Lease, ...rest: Rest) => Result
    : never;
};

/** Calls that take a whole lease and send its key. */
export function byLease<Calls extends object>(calls: Calls): ByLease<Calls> {
  const taking = Object.entries(calls).map(([name, call]) => [
    name,
    ({ turn, fence }: Lease, ...rest: unknown[]) =>
      call({ jobId: turn.jobId, number: turn.number, fence } satisfies LeaseKey, ...rest),
  ]);
  return Object.fromEntries(taking);
}
