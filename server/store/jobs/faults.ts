import type { FaultKind } from '../../../shared/reports/faults.ts';
import { has, type Sql } from '../../database/sql.ts';
import type { Job, Now } from './job.ts';
import { isMerged, readJob } from './job-rows.ts';
import { type Accepted, acceptJob, lockRequests, type NewJob } from './requests.ts';

/** What is wrong with a page. */
export interface Fault {
  /** Of its kind and path: the same wherever it is found. */
  id: string;
  kind: FaultKind;
  path: string;
  /** What was found, in a sentence. */
  evidence: string;
}

/** A job of a fault, as far as it matters for what can be done about that. */
export type JobOfFault = Pick<Job, 'id' | 'status' | 'prLink' | 'merged'>;

/** A fault that somebody decided about. */
export interface KeptFault extends Fault {
  job: JobOfFault | null;
  assignee: string | null;
  /** Milliseconds since 1970; null: it is not dismissed. */
  dismissedAt: number | null;
  dismissedBy: string | null;
}

/** `taken`: a job is at work on it, or its pull request waits. */
export type Fixed = Accepted | { kind: 'taken'; job: Job };

/** Whether a job works on it, or its pull request waits for people. */
export function isAtWork({ status, prLink, merged }: JobOfFault): boolean {
  return status === 'active' || (status === 'completed' && prLink !== null && !merged);
}

const ofProject = 'project = (select id from projects where public_id = $1)';

/** What people do about faults, each at a time that the store adds (`JobStore`). */
export function faults(sql: Sql) {
  return {
    /** Starts a job as `createJob` does, for a fault that has none at work: of several that start one at once one does. */
    fixFault(at: Now, job: NewJob, fault: Fault, isSpent: boolean): Promise<Fixed> {
      return sql.transaction(async (transaction) => {
        const project = await lockRequests(transaction, job.projectId);
        if (project === undefined) return { kind: 'not_found' };
        const [last] = await transaction.query<JobOfFault & { row: number }>(
          `select j.id as row, j.public_id as id, j.status, j.pr_link as "prLink", ${isMerged} as merged
           from faults f join jobs j on j.project = f.project and j.public_id = f.job
           where f.project = $1 and f.id = $2`,
          [project, fault.id],
        );
        if (last && isAtWork({ ...last, merged: Boolean(last.merged) }))
          return { kind: 'taken', job: await readJob(transaction, last.row) };
        const now = await transaction.now(at);
        return acceptJob(transaction, { project, idempotency: null, isSpent, now }, job, () =>
          transaction.query(
            `insert into faults (project, id, kind, path, evidence, job) values ($1, $2, $3, $4, $5, $6)
             on conflict (project, id) do update set evidence = excluded.evidence, job = excluded.job,
               dismissed_at = null, dismissed_by = null`,
            [project, fault.id, fault.kind, fault.path, fault.evidence, job.id],
          ),
        );
      });
    },

    /** False: it was dismissed already. @param by null: it comes back */
    async dismissFault(at: Now, projectId: string, fault: Fault, by: string | null): Promise<boolean> {
      const now = by === null ? null : await sql.now(at);
      return has(
        sql,
        `insert into faults as f (project, id, kind, path, evidence, dismissed_at, dismissed_by)
         select id, $2, $3, $4, $5, $6, $7 from projects where public_id = $1
         on conflict (project, id) do update
           set dismissed_at = excluded.dismissed_at, dismissed_by = excluded.dismissed_by
           where (f.dismissed_at is null) <> (excluded.dismissed_at is null)
         returning id`,
        [projectId, fault.id, fault.kind, fault.path, fault.evidence, now, by],
      );
    },

    /** False: nothing changed. @param assignee null: nobody */
    async assignFault(_at: Now, projectId: string, fault: Fault, assignee: string | null): Promise<boolean> {
      return has(
        sql,
        `insert into faults as f (project, id, kind, path, evidence, assignee)
         select id, $2, $3, $4, $5, $6 from projects where public_id = $1
         on conflict (project, id) do update set assignee = excluded.assignee
           where coalesce(f.assignee, '') <> coalesce(excluded.assignee, '')
         returning id`,
        [projectId, fault.id, fault.kind, fault.path, fault.evidence, assignee],
      );
    },
  };
}

interface KeptRow extends Fault, Omit<JobOfFault, 'id' | 'status'> {
  job: string | null;
  status: Job['status'] | null;
  assignee: string | null;
  dismissedAt: number | null;
  dismissedBy: string | null;
}

/** What was decided about faults. */
export function faultReports(sql: Sql) {
  return {
    async listFaults(projectId: string): Promise<KeptFault[]> {
      const rows = await sql.query<KeptRow>(
        `select f.id, f.kind, f.path, f.evidence, f.assignee, f.dismissed_at as "dismissedAt",
           f.dismissed_by as "dismissedBy", j.public_id as job, j.status, j.pr_link as "prLink", ${isMerged} as merged
         from projects p join faults f on f.project = p.id
           left join jobs j on j.project = f.project and j.public_id = f.job
         where p.public_id = $1 order by f.id`,
        [projectId],
      );
      return rows.map(({ job, status, prLink, merged, ...fault }) => ({
        ...fault,
        job: job === null || status === null ? null : { id: job, status, prLink, merged: Boolean(merged) },
      }));
    },

    /** The newest jobs that automations started, each for a path. */
    listJobsOfPaths: (projectId: string): Promise<{ path: string; job: string }[]> =>
      sql.query(
        `select key as path, job from automation_runs
         where ${ofProject} and job is not null and key like '/%' order by at desc, key limit 1000`,
        [projectId],
      ),
  };
}
