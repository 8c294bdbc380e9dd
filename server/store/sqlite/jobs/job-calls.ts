import type { JobStore, Lease, NewJob } from '../../job-store.ts';
import type { Connection } from '../connection.ts';
import type { Thread } from '../thread/thread.ts';
import { JobReader, JobWriter } from './jobs.ts';
import { TranscriptReader } from './transcript.ts';
import { type Held, TurnReader, TurnWriter } from './turns.ts';

// biome-ignore lint/suspicious/noExplicitAny: as in engine.ts; the two functions below are typed by what they call
type Operations = Record<string, (...args: any[]) => unknown>;

/** What the writing thread does for `JobStore`. */
export function jobWrites(db: Connection): Operations {
  const jobs = new JobWriter(db);
  const turns = new TurnWriter(db);
  return {
    createJob: (...args: Parameters<JobWriter['createJob']>) => jobs.createJob(...args),
    addMessage: (...args: Parameters<JobWriter['addMessage']>) => jobs.addMessage(...args),
    archiveJob: (...args: Parameters<JobWriter['archiveJob']>) => jobs.archiveJob(...args),
    archiveIdleJobs: (...args: Parameters<JobWriter['archiveIdleJobs']>) => jobs.archiveIdleJobs(...args),
    claimTurn: (...args: Parameters<TurnWriter['claimTurn']>) => turns.claimTurn(...args),
    renewLease: (...args: Parameters<TurnWriter['renewLease']>) => turns.renewLease(...args),
    recordPhase: (...args: Parameters<TurnWriter['recordPhase']>) => turns.recordPhase(...args),
    appendEvents: (...args: Parameters<TurnWriter['appendEvents']>) => turns.appendEvents(...args),
    appendMessages: (...args: Parameters<TurnWriter['appendMessages']>) => turns.appendMessages(...args),
    resetMessages: (...args: Parameters<TurnWriter['resetMessages']>) => turns.resetMessages(...args),
    settleTurn: (...args: Parameters<TurnWriter['settleTurn']>) => turns.settleTurn(...args),
    releaseTurn: (...args: Parameters<TurnWriter['releaseTurn']>) => turns.releaseTurn(...args),
  };
}

/** What the reading thread does for it. */
export function jobReads(db: Connection): Operations {
  const jobs = new JobReader(db);
  const transcript = new TranscriptReader(db);
  const turns = new TurnReader(db);
  return {
    findJob: (...args: Parameters<JobReader['findJob']>) => jobs.findJob(...args),
    listJobs: (...args: Parameters<JobReader['listJobs']>) => jobs.listJobs(...args),
    readEvents: (...args: Parameters<TranscriptReader['readEvents']>) => transcript.readEvents(...args),
    readMessages: (jobId: string) => transcript.readMessages(jobId),
    nextDueAt: () => turns.nextDueAt(),
  };
}

/** The side of the callers. */
export function callJobStore(writer: Thread, reader: Thread): JobStore {
  return {
    createJob: (job: NewJob, ...rest) => writer.call('createJob', job, ...rest),
    addMessage: (...args) => writer.call('addMessage', ...args),
    findJob: (...args) => reader.call('findJob', ...args),
    listJobs: (query) => reader.call('listJobs', query),
    archiveJob: (...args) => writer.call('archiveJob', ...args),
    archiveIdleJobs: (...args) => writer.call('archiveIdleJobs', ...args),
    claimTurn: (...args) => writer.call('claimTurn', ...args),
    renewLease: (lease, ...rest) => writer.call('renewLease', heldBy(lease), ...rest),
    recordPhase: (lease, ...rest) => writer.call('recordPhase', heldBy(lease), ...rest),
    appendEvents: (lease, ...rest) => writer.call('appendEvents', heldBy(lease), ...rest),
    appendMessages: (lease, messages) => writer.call('appendMessages', heldBy(lease), messages),
    readMessages: (jobId) => reader.call('readMessages', jobId),
    resetMessages: (lease) => writer.call('resetMessages', heldBy(lease)),
    settleTurn: (lease, ...rest) => writer.call('settleTurn', heldBy(lease), ...rest),
    releaseTurn: (lease, ...rest) => writer.call('releaseTurn', heldBy(lease), ...rest),
    readEvents: (...args) => reader.call('readEvents', ...args),
    nextDueAt: () => reader.call('nextDueAt'),
  };
}

function heldBy({ turn, fence }: Lease): Held {
  return { jobId: turn.jobId, number: turn.number, fence };
}
