import type { Job } from '../../jobs/job.ts';
import { noChangeIn } from '../../jobs/job-event.ts';
import type { Starter } from '../../jobs/job-start.ts';
import type { TurnRecord } from '../../jobs/job-turn.ts';
import type { Queryable } from '../queryable.ts';

/** A job with its number inside the database. */
export interface JobRow
  extends Omit<Job, 'failure' | 'noChange' | 'usage' | 'startedBy' | 'createdAt' | 'archivedAt'>,
    Record<'inputTokens' | 'outputTokens' | 'cachedTokens', number> {
  row: number;
  failure: string | null;
  /** Data of the event that ended the newest turn, unless that failed. */
  ending: string | null;
  startedBy: string | null;
  steps: number | null;
  cost: number | null;
  createdAt: number;
  archivedAt: number | null;
}

export const jobColumns = `j.id as row, j.public_id as id, p.public_id as "projectId", j.status, j.repository, j.ref,
  j.base_branch as "baseBranch", j.branch, j.model, j.pr_link as "prLink", j.failure, j.created_at as "createdAt",
  j.archived_at as "archivedAt", j.started_by as "startedBy", j.reverts,
  case when j.status in ('completed', 'archived') then (
    select case when type = 'completed' then data end from events
    where job = j.id and type in ('completed', 'failed') order by number desc limit 1) end as ending, u.*,
  exists (select from marks m where m.project = j.project and m.url = j.pr_link and m.kind = 'merge') as merged`;
export const jobTables = `jobs j join projects p on p.id = j.project
  left join lateral (
    select sum(steps) as steps, sum(input_tokens) as "inputTokens", sum(output_tokens) as "outputTokens",
      sum(cached_tokens) as "cachedTokens", sum(cost) as cost
    from turns where job = j.id) u on true`;

export function toJob(found: JobRow): Job {
  const { row: _row, steps, inputTokens, outputTokens, cachedTokens, cost, ending, ...job } = found;
  const isFailed = job.failure !== null && job.status !== 'active';
  return {
    ...job,
    startedBy: job.startedBy === null ? null : (JSON.parse(job.startedBy) as Starter),
    failure: isFailed ? JSON.parse(job.failure as string) : null,
    noChange: noChangeIn(ending),
    createdAt: new Date(job.createdAt).toISOString(),
    archivedAt: job.archivedAt === null ? null : new Date(job.archivedAt).toISOString(),
    usage: steps ? { steps, inputTokens, outputTokens, cachedTokens, cost } : null,
  };
}

/** Of what each phase found. */
export function joinRecord(found: readonly string[]): TurnRecord {
  return Object.assign({}, ...found.map((json) => JSON.parse(json)));
}

/** One that is there. */
export async function readJob(db: Queryable, row: number): Promise<Job> {
  const [found] = await db.query<JobRow>(`select ${jobColumns} from ${jobTables} where j.id = $1`, [row]);
  return toJob(found as JobRow);
}
