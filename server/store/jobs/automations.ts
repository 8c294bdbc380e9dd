import type { AutomationSettings } from '../../../shared/jobs/automation.ts';
import { has, type Sql } from '../../database/sql.ts';
import { type PageQuery, toPage } from '../page.ts';
import { lockProject } from '../projects.ts';

/** What starts jobs by itself: at times, or when something happens. */
export interface Automation {
  projectId: string;
  /** Unique in the project. */
  id: string;
  settings: AutomationSettings;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Since when it is on, with the times or triggers that it has now; null: it is off. */
  onSince: number | null;
}

/** What an automation did at one time, or about one thing. */
export interface AutomationRun {
  /** The time, or the thing: a job is started for it once. */
  key: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Null: no job was started. */
  jobId: string | null;
  /** Why none was. */
  reason: string | null;
}

/** A project holds so many at most. */
export const maxAutomations = 50;

export type AutomationStore = ReturnType<typeof automations>;

const ofProject = 'project = (select id from projects where public_id = $1)';
const listed = `select p.public_id as "projectId", a.id, a.settings, a.created_at as "createdAt", on_since as "onSince"
  from automations a join projects p on p.id = a.project`;
const runsOf = `select key, at, job as "jobId", reason from automation_runs where ${ofProject} and automation = $2`;

/** What starts jobs by itself, and what it did. Jobs are started by `JobStore.startJob`, which notes the run. */
export function automations(sql: Sql) {
  return {
    /** `full`: there are `maxAutomations`; `gone`: there is no such project. */
    addAutomation({ projectId, id, settings, createdAt, onSince }: Automation) {
      return sql.transaction(async (transaction) => {
        // Concurrent additions wait, so that there are never too many.
        const project = await lockProject(transaction, projectId);
        if (project === undefined) return 'gone';
        const kept = await transaction.query('select id from automations where project = $1', [project]);
        if (kept.length >= maxAutomations) return 'full';
        await transaction.query(
          'insert into automations (project, id, settings, created_at, on_since) values ($1, $2, $3, $4, $5)',
          [project, id, JSON.stringify(settings), createdAt, onSince],
        );
        return 'added';
      });
    },

    /** Answers false where there is none. */
    async setAutomation({ projectId, id, settings, onSince }: Omit<Automation, 'createdAt'>) {
      return has(
        sql,
        `update automations set settings = $3, on_since = $4 where ${ofProject} and id = $2 returning id`,
        [projectId, id, JSON.stringify(settings), onSince],
      );
    },

    /** With its runs. Answers false where there is none. */
    async removeAutomation(projectId: string, id: string): Promise<boolean> {
      return has(sql, `delete from automations where ${ofProject} and id = $2 returning id`, [projectId, id]);
    },

    /** The oldest first. */
    async listAutomations(projectId: string): Promise<Automation[]> {
      const kept = await sql.query<Kept>(`${listed} where p.public_id = $1 order by a.created_at, a.id`, [
        projectId,
      ]);
      return kept.map(toAutomation);
    },

    /** Those of all projects that are on. */
    async listEnabled(): Promise<Automation[]> {
      const kept = await sql.query<Kept>(`${listed} where on_since is not null order by a.created_at, a.id`);
      return kept.map(toAutomation);
    },

    /** Those of the keys that it has a run of. */
    findRuns: (projectId: string, id: string, keys: readonly string[]): Promise<AutomationRun[]> =>
      sql.query<AutomationRun>(`${runsOf} and key ${sql.dialect.isOneOf('$3')} order by key`, [
        projectId,
        id,
        keys,
      ]),

    /** A run without a job, in the place of one without a job; nothing happens where the automation is gone. */
    async noteRun(
      projectId: string,
      id: string,
      { key, at, reason }: Omit<AutomationRun, 'jobId'>,
    ): Promise<void> {
      await sql.query(
        `insert into automation_runs as r (project, automation, key, at, reason)
         select project, id, $3, $4, $5 from automations where ${ofProject} and id = $2
         on conflict (project, automation, key) do update set at = excluded.at, reason = excluded.reason
           where r.job is null`,
        [projectId, id, key, at, reason],
      );
    },

    /** The newest first. */
    async listRuns({ projectId, id, limit, offset }: PageQuery & { id: string }) {
      const rows = await sql.query<AutomationRun>(`${runsOf} order by at desc, key limit $3 offset $4`, [
        projectId,
        id,
        limit + 1,
        offset,
      ]);
      return toPage(rows, { limit });
    },
  };
}

type Kept = Omit<Automation, 'settings'> & { settings: string };

function toAutomation({ settings, ...kept }: Kept): Automation {
  return { ...kept, settings: JSON.parse(settings) as AutomationSettings };
}

/** What started a job by itself, as it was called then. */
export interface Starter {
  /** Its id. */
  automation: string;
  name: string;
  kind: 'schedule' | 'trigger';
}

/** What an automation starts a job for: a time, or things; at most so many jobs within any 7 days. */
export interface Start {
  automation: string;
  keys: readonly string[];
  perWeek: number;
}

const startsWindowMs = 7 * 24 * 60 * 60 * 1000;

/** Undefined: it may start a job. In a transaction that holds the lock of the project. */
export async function findRefusal(
  sql: Sql,
  project: number,
  { automation, keys, perWeek }: Start,
  now: number,
): Promise<'taken' | 'full' | undefined> {
  // It stays as it is until the job is there.
  const known = await sql.query(
    `select id from automations where project = $1 and id = $2 and on_since is not null ${sql.dialect.forUpdate}`,
    [project, automation],
  );
  if (known.length === 0) return 'taken';
  const [found] = await sql.query<{ taken: number; started: number }>(
    `select count(*) filter (where key ${sql.dialect.isOneOf('$3')}) as taken,
       count(distinct job) filter (where at > $4) as started
     from automation_runs where project = $1 and automation = $2 and job is not null`,
    [project, automation, keys, now - startsWindowMs],
  );
  if (found && found.taken > 0) return 'taken';
  return found && found.started >= perWeek ? 'full' : undefined;
}

/** In such a transaction. */
export async function noteStart(
  sql: Sql,
  project: number,
  { automation, keys }: Start,
  job: string,
  now: number,
): Promise<void> {
  for (const key of keys) {
    await sql.query(
      `insert into automation_runs (project, automation, key, at, job) values ($1, $2, $3, $4, $5)
       on conflict (project, automation, key) do update set at = excluded.at, job = excluded.job, reason = null`,
      [project, automation, key, now, job],
    );
  }
}
