import type { Job, JobStatus } from '../../jobs/job.ts';
import type { JobTotals } from '../../jobs/job-store.ts';
import type { Database } from '../database.ts';
import { type JobRow, jobColumns, jobTables, toJob } from './job-rows.ts';

export class JobReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async findJob(projectId: string, jobId: string): Promise<Job | null> {
    const [row] = await this.#database.query<JobRow>(
      `select ${jobColumns} from ${jobTables} where p.public_id = $1 and j.public_id = $2`,
      [projectId, jobId],
    );
    return row ? toJob(row) : null;
  }

  async readCost(projectId: string, since: number): Promise<number> {
    const [row] = await this.#database.query<{ cost: number | null }>(
      `select sum(t.cost) as cost from projects p join jobs j on j.project = p.id join turns t on t.job = j.id
       where p.public_id = $1 and t.created_at >= $2`,
      [projectId, since],
    );
    return row?.cost ?? 0;
  }

  async listJobs(query: {
    projectId: string;
    status: JobStatus | null;
    limit: number;
    offset: number;
  }): Promise<{ jobs: Job[]; hasMore: boolean }> {
    const { projectId, status, limit, offset } = query;
    const rows = await this.#database.query<JobRow>(
      `select ${jobColumns} from ${jobTables}
       where p.public_id = $1 and ($2::text is null or j.status = $2) order by j.id desc limit $3 offset $4`,
      [projectId, status, limit + 1, offset],
    );
    return { jobs: rows.slice(0, limit).map(toJob), hasMore: rows.length > limit };
  }

  /** Of all projects together. */
  async countJobs(): Promise<JobTotals> {
    const jobs = { active: 0, completed: 0, failed: 0, archived: 0 };
    const rows = await this.#database.query<{ status: JobStatus; jobs: number }>(
      'select status, count(*) as jobs from jobs group by status',
    );
    for (const row of rows) jobs[row.status] = row.jobs;
    const [turns] = await this.#database.query<JobTotals['turns']>(
      `select count(*) filter (where not leased) as waiting, count(*) filter (where leased) as running
       from turns where phase <> 'settled'`,
    );
    return { jobs, turns: turns ?? { waiting: 0, running: 0 } };
  }
}
