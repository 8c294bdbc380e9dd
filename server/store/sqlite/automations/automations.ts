import type { Statement } from 'better-sqlite3';
import type { AutomationSettings } from '../../../../shared/jobs/automation.ts';
import { type Automation, type AutomationRun, maxAutomations } from '../../jobs/automation-store.ts';
import type { PageOfRows } from '../../page.ts';
import type { Connection } from '../connection.ts';

type Kept = Omit<Automation, 'settings'> & { settings: string };

interface Page {
  projectId: string;
  id: string;
  limit: number;
  offset: number;
}

const project = '(select id from projects where public_id = @projectId)';
const runs = 'select key, at, job as jobId, reason from automation_runs';

/** What starts jobs by itself, and what it did. */
export class Automations {
  readonly #db: Connection;
  readonly #count: Statement<[{ projectId: string }], { known: number | null; automations: number }>;
  readonly #add: Statement<[Kept]>;
  readonly #set: Statement<[Omit<Kept, 'createdAt'>]>;
  readonly #remove: Statement<[{ projectId: string; id: string }]>;
  readonly #list: Statement<[{ projectId: string }], Kept>;
  readonly #enabled: Statement<[], Kept>;
  readonly #find: Statement<[{ projectId: string; id: string; keys: string }], AutomationRun>;
  readonly #note: Statement<[Omit<AutomationRun, 'jobId'> & { projectId: string; id: string }]>;
  readonly #runs: Statement<[Page], AutomationRun>;

  constructor(db: Connection) {
    this.#db = db;
    this.#count = db.prepare(
      `select ${project} as known, (select count(*) from automations where project = ${project}) as automations`,
    );
    this.#add = db.prepare(
      `insert into automations (project, id, settings, created_at, on_since)
       values (${project}, @id, @settings, @createdAt, @onSince)`,
    );
    this.#set = db.prepare(
      `update automations set settings = @settings, on_since = @onSince where project = ${project} and id = @id`,
    );
    this.#remove = db.prepare(`delete from automations where project = ${project} and id = @id`);
    this.#list = db.prepare(
      `select @projectId as projectId, id, settings, created_at as createdAt, on_since as onSince
       from automations where project = ${project} order by created_at, id`,
    );
    this.#enabled = db.prepare(
      `select public_id as projectId, a.id, a.settings, a.created_at as createdAt, on_since as onSince
       from automations a join projects p on p.id = a.project where on_since is not null order by a.created_at, a.id`,
    );
    const own = `where project = ${project} and automation = @id`;
    this.#find = db.prepare(`${runs} ${own} and key in (select value from json_each(@keys)) order by key`);
    this.#note = db.prepare(
      `insert into automation_runs (project, automation, key, at, reason)
       select project, id, @key, @at, @reason from automations where project = ${project} and id = @id
       on conflict do update set at = excluded.at, reason = excluded.reason where job is null`,
    );
    this.#runs = db.prepare(`${runs} ${own} order by at desc, key limit @limit + 1 offset @offset`);
  }

  addAutomation({ settings, ...automation }: Automation): 'added' | 'full' | 'gone' {
    return this.#db
      .transaction(() => {
        const found = this.#count.get({ projectId: automation.projectId });
        if (found?.known == null) return 'gone';
        if (found.automations >= maxAutomations) return 'full';
        this.#add.run({ ...automation, settings: JSON.stringify(settings) });
        return 'added';
      })
      .immediate();
  }

  setAutomation({ settings, ...automation }: Omit<Automation, 'createdAt'>): boolean {
    return this.#set.run({ ...automation, settings: JSON.stringify(settings) }).changes > 0;
  }

  removeAutomation(projectId: string, id: string): boolean {
    return this.#remove.run({ projectId, id }).changes > 0;
  }

  listAutomations(projectId: string): Automation[] {
    return this.#list.all({ projectId }).map(toAutomation);
  }

  listEnabled(): Automation[] {
    return this.#enabled.all().map(toAutomation);
  }

  findRuns(projectId: string, id: string, keys: readonly string[]): AutomationRun[] {
    return this.#find.all({ projectId, id, keys: JSON.stringify(keys) });
  }

  noteRun(projectId: string, id: string, run: Omit<AutomationRun, 'jobId'>): void {
    this.#note.run({ projectId, id, ...run });
  }

  listRuns(page: Page): PageOfRows<AutomationRun> {
    const rows = this.#runs.all(page);
    return { rows: rows.slice(0, page.limit), hasMore: rows.length > page.limit };
  }
}

function toAutomation({ settings, ...kept }: Kept): Automation {
  return { ...kept, settings: JSON.parse(settings) as AutomationSettings };
}
