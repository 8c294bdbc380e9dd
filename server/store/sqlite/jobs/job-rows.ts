import type { Statement } from 'better-sqlite3';
import type { Job } from '../../jobs/job.ts';
import { noChangeIn } from '../../jobs/job-event.ts';
import type { Starter } from '../../jobs/job-start.ts';
import type { Connection } from '../connection.ts';

/** A job with its number inside the database, and its failure and usage in columns. */
export type JobRow = Omit<Job, 'failure' | 'noChange' | 'usage' | 'startedBy' | 'merged'> & {
  merged: number;
  startedBy: string | null;
  row: number;
  failureCode: string | null;
  failureMessage: string | null;
  /** Data of the event that ended the newest turn, unless that failed. */
  ending: string | null;
  steps: number | null;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  cost: number | null;
};

export const jobColumns = `j.id as row, j.public_id as id, p.public_id as projectId, j.status, j.repository, j.ref,
  j.base_branch as baseBranch, j.branch, j.model, j.pr_link as prLink, j.created_at as createdAt,
  j.archived_at as archivedAt, j.started_by as startedBy, j.reverts, j.failure_code as failureCode,
  j.failure_message as failureMessage,
  exists (select 1 from marks where project = j.project and url = j.pr_link and kind = 'merge') as merged,
  iif(j.status in ('completed', 'archived'), (
    select iif(type = 'completed', data, null) from events
    where job = j.id and type in ('completed', 'failed') order by number desc limit 1), null) as ending,
  (select sum(steps) from turns where job = j.id) as steps,
  (select sum(input_tokens) from turns where job = j.id) as inputTokens,
  (select sum(output_tokens) from turns where job = j.id) as outputTokens,
  (select sum(cached_tokens) from turns where job = j.id) as cachedTokens,
  (select sum(cost) from turns where job = j.id) as cost`;
export const jobTables = 'jobs j join projects p on p.id = j.project';

export function toJob(found: JobRow): Job {
  const {
    row: _row,
    failureCode,
    failureMessage,
    ending,
    steps,
    inputTokens,
    outputTokens,
    cachedTokens,
    cost,
    ...job
  } = found;
  const isFailed = failureCode !== null && job.status !== 'active';
  return {
    ...job,
    startedBy: job.startedBy === null ? null : (JSON.parse(job.startedBy) as Starter),
    merged: job.merged === 1,
    failure: isFailed ? { code: failureCode, message: failureMessage ?? '' } : null,
    noChange: noChangeIn(ending),
    usage: steps ? { steps, inputTokens, outputTokens, cachedTokens, cost } : null,
  };
}

export function prepareFind(db: Connection): Statement<[string, string], JobRow> {
  return db.prepare(`select ${jobColumns} from ${jobTables} where p.public_id = ? and j.public_id = ?`);
}
