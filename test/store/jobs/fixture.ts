import { afterEach, beforeEach } from 'vitest';
import type { ClaimLimits, Job, Lease } from '../../../server/store/jobs/job.ts';
import type { JobStore } from '../../../server/store/jobs/jobs.ts';
import type { Accepted } from '../../../server/store/jobs/requests.ts';
import type { JobEvent } from '../../../server/store/jobs/transcript.ts';
import type { Store } from '../../../server/store/store.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import type { Engine } from '../../support/store/engines.ts';

export const start = Date.parse('2026-11-20T10:00:00.000Z');
export const wide: ClaimLimits = { total: 100, perProject: 100, leaseMs: 60_000 };

/** A store with two projects, and the words in which tests speak of jobs in it. Tests may set its clock and its store. */
export class JobFixture {
  store!: Store;
  /** One more opening of the same data, by the same clock. */
  open!: () => Promise<Store>;
  jobs!: JobStore;
  now = start;

  readonly create = (
    id: string,
    changes: { projectId?: string; prompt?: string; key?: string } = {},
  ): Promise<Accepted> => {
    const { projectId = 'p1', prompt = `do ${id}`, key } = changes;
    const idempotency = key === undefined ? null : { key, requestHash: prompt };
    const source = { repository: 'https://example.com/a/b', ref: 'main', model: 'openai/x' };
    return this.jobs.createJob({ id, projectId, prompt, ...source }, idempotency);
  };

  readonly message = (id: string, prompt = 'more', key?: string): Promise<Accepted> =>
    this.jobs.addMessage('p1', id, prompt, key === undefined ? null : { key, requestHash: prompt });

  readonly claim = (limits: Partial<ClaimLimits> = {}): Promise<Lease | null> =>
    this.jobs.claimTurn({ ...wide, ...limits });

  readonly mustClaim = async (limits: Partial<ClaimLimits> = {}): Promise<Lease> => {
    const lease = await this.claim(limits);
    if (!lease) throw new Error('There was no turn to claim.');
    return lease;
  };

  readonly settle = (
    lease: Lease,
    status: 'completed' | 'failed' = 'completed',
    prLink?: string,
  ): Promise<boolean> => this.jobs.settleTurn(lease, { status, prLink }, { type: status, data: {} });

  readonly statusOf = async (id: string): Promise<Job['status'] | undefined> =>
    (await this.jobs.findJob('p1', id))?.status;

  readonly eventsOf = async (id: string): Promise<JobEvent[]> =>
    (await this.jobs.readEvents('p1', id, 0, 10_000)) ?? [];
}

/** A new store for each test of the block that it is called in. */
export function useJobs(engine: Engine): JobFixture {
  const fixture = new JobFixture();

  beforeEach(async () => {
    await engine.prepare();
    fixture.open = () => engine.open({ now: () => fixture.now });
    fixture.store = await fixture.open();
    fixture.jobs = fixture.store.jobs;
    fixture.now = start;
    for (const id of ['p1', 'p2']) {
      const settings = projectSettings.parse({ name: id });
      await fixture.store.addProject({ id, settings, createdAt: new Date(start).toISOString() }, []);
    }
  });

  afterEach(async () => {
    await fixture.store.close();
    await engine.cleanUp();
  });

  return fixture;
}

export const nameOf = ({ turn }: Lease): string => `${turn.jobId}/${turn.number}`;
