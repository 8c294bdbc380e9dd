import type { AutomationSettings } from '../../../../shared/jobs/automation.ts';
import {
  type Automation,
  type AutomationRun,
  type AutomationStore,
  maxAutomations,
} from '../../jobs/automation-store.ts';
import type { PageOfRows } from '../../page.ts';
import type { Database } from '../database.ts';

type Kept = Omit<Automation, 'settings'> & { settings: string };

const automations = `select p.public_id as "projectId", a.id, a.settings, a.created_at as "createdAt",
    on_since as "onSince"
  from automations a join projects p on p.id = a.project`;
const runs = `select r.key, r.at, r.job as "jobId", r.reason
  from automation_runs r join projects p on p.id = r.project where p.public_id = $1 and r.automation = $2`;

/** What starts jobs by itself, and what it did. */
export class Automations implements AutomationStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  addAutomation({
    projectId,
    id,
    settings,
    createdAt,
    onSince,
  }: Automation): Promise<'added' | 'full' | 'gone'> {
    return this.#database.transaction(async (session) => {
      // Whoever adds another one at the same time waits, so that there are never too many.
      const [project] = await session.query<{ id: number }>(
        'select id from projects where public_id = $1 for no key update',
        [projectId],
      );
      if (!project) return 'gone';
      const [kept] = await session.query<{ automations: number }>(
        'select count(*) as automations from automations where project = $1',
        [project.id],
      );
      if (kept && kept.automations >= maxAutomations) return 'full';
      await session.query(
        'insert into automations (project, id, settings, created_at, on_since) values ($1, $2, $3, $4, $5)',
        [project.id, id, JSON.stringify(settings), createdAt, onSince],
      );
      return 'added';
    });
  }

  async setAutomation({ projectId, id, settings, onSince }: Omit<Automation, 'createdAt'>): Promise<boolean> {
    const set = await this.#database.query(
      `update automations a set settings = $3, on_since = $4::bigint
       from projects p where p.id = a.project and p.public_id = $1 and a.id = $2 returning a.id`,
      [projectId, id, JSON.stringify(settings), onSince],
    );
    return set.length > 0;
  }

  async removeAutomation(projectId: string, id: string): Promise<boolean> {
    const removed = await this.#database.query(
      `delete from automations a using projects p
       where p.id = a.project and p.public_id = $1 and a.id = $2 returning a.id`,
      [projectId, id],
    );
    return removed.length > 0;
  }

  async listAutomations(projectId: string): Promise<Automation[]> {
    const kept = await this.#database.query<Kept>(
      `${automations} where p.public_id = $1 order by a.created_at, a.id`,
      [projectId],
    );
    return kept.map(toAutomation);
  }

  async listEnabled(): Promise<Automation[]> {
    const kept = await this.#database.query<Kept>(
      `${automations} where on_since is not null order by a.created_at, a.id`,
    );
    return kept.map(toAutomation);
  }

  findRuns(projectId: string, id: string, keys: readonly string[]): Promise<AutomationRun[]> {
    return this.#database.query<AutomationRun>(`${runs} and r.key = any($3::text[]) order by r.key`, [
      projectId,
      id,
      keys,
    ]);
  }

  async noteRun(
    projectId: string,
    id: string,
    { key, at, reason }: Omit<AutomationRun, 'jobId'>,
  ): Promise<void> {
    await this.#database.query(
      `insert into automation_runs as r (project, automation, key, at, reason)
       select a.project, a.id, $3, $4::bigint, $5 from automations a join projects p on p.id = a.project
       where p.public_id = $1 and a.id = $2
       on conflict (project, automation, key) do update set at = excluded.at, reason = excluded.reason
         where r.job is null`,
      [projectId, id, key, at, reason],
    );
  }

  async listRuns({
    projectId,
    id,
    limit,
    offset,
  }: {
    projectId: string;
    id: string;
    limit: number;
    offset: number;
  }): Promise<PageOfRows<AutomationRun>> {
    const rows = await this.#database.query<AutomationRun>(
      `${runs} order by r.at desc, r.key limit $3::int + 1 offset $4::bigint`,
      [projectId, id, limit, offset],
    );
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }
}

function toAutomation({ settings, ...kept }: Kept): Automation {
  return { ...kept, settings: JSON.parse(settings) as AutomationSettings };
}
