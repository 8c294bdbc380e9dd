import type { Statement } from 'better-sqlite3';
import type { JobStatus } from '../../jobs/job.ts';
import type { JobTotals } from '../../jobs/job-store.ts';
import type { Connection } from '../connection.ts';

/** Of all projects together. */
export class TotalsReader {
  readonly #jobs: Statement<[], { status: JobStatus; jobs: number }>;
  readonly #turns: Statement<[], { waiting: number; running: number }>;

  constructor(db: Connection) {
    this.#jobs = db.prepare('select status, count(*) as jobs from jobs group by status');
    this.#turns = db.prepare(
      `select count(*) filter (where leased = 0) as waiting, count(*) filter (where leased = 1) as running
         from turns where phase <> 'settled'`,
    );
  }

  countJobs(): JobTotals {
    const jobs = { active: 0, completed: 0, failed: 0, archived: 0 };
    for (const row of this.#jobs.iterate()) jobs[row.status] = row.jobs;
    return { jobs, turns: this.#turns.get() ?? { waiting: 0, running: 0 } };
  }
}
