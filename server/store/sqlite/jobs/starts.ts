import type { Statement } from 'better-sqlite3';
import { type Start, startsWindowMs } from '../../jobs/job-start.ts';
import type { Connection } from '../connection.ts';

interface Asked {
  project: number;
  automation: string;
  now: number;
}

/** What automations have started jobs for. Used inside a transaction. */
export class Starts {
  readonly #known: Statement<[number, string], number>;
  readonly #taken: Statement<[{ project: number; automation: string; keys: string }], number>;
  readonly #started: Statement<[number, string, number], number>;
  readonly #note: Statement<[Asked & { key: string; job: string }]>;

  constructor(db: Connection) {
    this.#known = db
      .prepare<[number, string], number>(
        'select 1 from automations where project = ? and id = ? and on_since is not null',
      )
      .pluck();
    this.#taken = db
      .prepare<[{ project: number; automation: string; keys: string }], number>(
        `select 1 from automation_runs where project = @project and automation = @automation and job is not null
           and key in (select value from json_each(@keys))`,
      )
      .pluck();
    this.#started = db
      .prepare<[number, string, number], number>(
        'select count(distinct job) from automation_runs where project = ? and automation = ? and at > ?',
      )
      .pluck();
    this.#note = db.prepare(
      `insert into automation_runs (project, automation, key, at, job) values (@project, @automation, @key, @now, @job)
       on conflict do update set at = excluded.at, job = excluded.job, reason = null`,
    );
  }

  /** Undefined: it may start a job. */
  refusal(project: number, { automation, keys, perWeek }: Start, now: number): 'taken' | 'full' | undefined {
    if (this.#known.get(project, automation) === undefined) return 'taken';
    if (this.#taken.get({ project, automation, keys: JSON.stringify(keys) }) !== undefined) return 'taken';
    const started = this.#started.get(project, automation, now - startsWindowMs) ?? 0;
    return started >= perWeek ? 'full' : undefined;
  }

  note(project: number, { automation, keys }: Start, job: string, now: number): void {
    for (const key of keys) this.#note.run({ project, automation, key, now, job });
  }
}
