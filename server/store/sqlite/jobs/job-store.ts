import type { JobNews, JobStore, Started } from '../../jobs/job-store.ts';
import type { Lease } from '../../jobs/job-turn.ts';
import { Listeners } from '../../listeners.ts';
import type { Calls } from '../thread/methods.ts';
import type { PartsOf } from '../thread/thread-store.ts';
import { atTime, byLease } from './lease-key.ts';

type Writer = Pick<Calls<PartsOf<'writer'>>, 'jobs' | 'leases' | 'turns'>;
type Reader = Pick<Calls<PartsOf<'reader'>>, 'jobs'>;

/** Puts together what the threads do for jobs. There are news of this process alone, and its clock is the store's. */
export function createJobStore(write: Writer, { jobs: read }: Reader, now: () => number): JobStore {
  const { add, tell } = new Listeners<JobNews | null>();
  const jobs = atTime(write.jobs, now);
  const leases = byLease(write.leases, now);
  /** The same call, which tells of what it changed. */
  const withNews =
    <Rest extends unknown[]>(
      kind: JobNews['kind'],
      call: (lease: Lease, ...rest: Rest) => Promise<boolean>,
    ) =>
    async (lease: Lease, ...rest: Rest) => {
      const isHeld = await call(lease, ...rest);
      if (isHeld) tell({ kind, jobId: lease.turn.jobId });
      return isHeld;
    };
  const tellAccepted = <Answer extends Started>(accepted: Answer) => {
    if (accepted.kind === 'accepted') tell({ kind: 'queued', jobId: accepted.job.id });
    return accepted;
  };
  return {
    ...jobs,
    ...read,
    ...leases,
    createJob: async (...asked) => tellAccepted(await jobs.createJob(...asked)),
    startJob: async (...asked) => tellAccepted(await jobs.startJob(...asked)),
    addMessage: async (...asked) => tellAccepted(await jobs.addMessage(...asked)),
    revertMerge: async (...asked) => {
      const outcome = await jobs.revertMerge(...asked);
      return outcome.kind === 'known' ? outcome : tellAccepted(outcome);
    },
    hearComment: async (projectId, jobId, ...asked) => {
      const outcome = await jobs.hearComment(projectId, jobId, ...asked);
      if (outcome === 'heard') tell({ kind: 'queued', jobId });
      return outcome;
    },
    archiveJob: async (projectId, jobId) => {
      const job = await jobs.archiveJob(projectId, jobId);
      if (job) tell({ kind: 'archived', jobId });
      return job;
    },
    recordPhase: withNews('written', leases.recordPhase),
    appendEvents: withNews('written', leases.appendEvents),
    settleTurn: withNews('ended', leases.settleTurn),
    releaseTurn: withNews('ended', leases.releaseTurn),
    msUntilDue: async () => {
      const at = await write.turns.nextDueAt();
      return at === null ? null : at - now();
    },
    onNews: add,
  };
}
