import type { Sql } from '../../database/sql.ts';
import type { Starter } from './automations.ts';
import type { Job, TurnRecord, Usage } from './job.ts';
import { readEnding } from './transcript.ts';

/** A job as it is stored, with its number inside the database. */
export interface JobRow
  extends Omit<
      Job,
      | 'failure'
      | 'noChange'
      | 'stopped'
      | 'answeredBy'
      | 'usage'
      | 'startedBy'
      | 'merged'
      | 'createdAt'
      | 'archivedAt'
    >,
    Omit<Usage, 'steps'> {
  row: number;
  /** JSON. */
  failure: string | null;
  /** Type and data of the event that ended the newest turn, in one text. */
  ending: string | null;
  /** JSON. */
  startedBy: string | null;
  merged: unknown;
  steps: number | null;
  createdAt: number;
  archivedAt: number | null;
}

const used = (column: string, as = column) =>
  `(select sum(${column}) from turns where job = j.id) as "${as}"`;

export const isMerged =
  "exists (select 1 from marks m where m.project = j.project and m.url = j.pr_link and m.kind = 'merge')";

export const jobColumns = `j.id as row, j.public_id as id, p.public_id as "projectId", j.status, j.repository, j.ref,
  j.base_branch as "baseBranch", j.branch, j.model, j.pr_link as "prLink", j.failure, j.created_at as "createdAt",
  j.archived_at as "archivedAt", j.started_by as "startedBy", j.reverts,
  ${isMerged} as merged,
  (select type || data from events
   where job = j.id and type in ('completed', 'failed', 'stopped') order by number desc limit 1) as ending,
  ${used('steps')}, ${used('input_tokens', 'inputTokens')}, ${used('output_tokens', 'outputTokens')},
  ${used('cached_tokens', 'cachedTokens')}, ${used('cost')}`;
export const jobTables = 'jobs j join projects p on p.id = j.project';

export function toJob(found: JobRow): Job {
  const { row: _, steps, inputTokens, outputTokens, cachedTokens, cost, ending, ...job } = found;
  const isFailed = job.failure !== null && job.status !== 'active';
  return {
    ...job,
    startedBy: job.startedBy === null ? null : (JSON.parse(job.startedBy) as Starter),
    merged: Boolean(job.merged),
    failure: isFailed ? JSON.parse(job.failure as string) : null,
    ...readEnding(ending, job.status),
    createdAt: new Date(job.createdAt).toISOString(),
    archivedAt: job.archivedAt === null ? null : new Date(job.archivedAt).toISOString(),
    usage: steps ? { steps, inputTokens, outputTokens, cachedTokens, cost } : null,
  };
}

/** One that is there. */
export async function readJob(sql: Sql, row: number): Promise<Job> {
  const [found] = await sql.query<JobRow>(`select ${jobColumns} from ${jobTables} where j.id = $1`, [row]);
  return toJob(found as JobRow);
}

/** @param found what each phase found, as JSON, of which the later counts */
export function joinRecord(found: readonly string[]): TurnRecord {
  return Object.assign({}, ...found.map((json) => JSON.parse(json)));
}

/** @param list such texts as a JSON list, as the database answers it */
export function parseRecord(list: string): TurnRecord {
  return joinRecord(JSON.parse(list) as string[]);
}
