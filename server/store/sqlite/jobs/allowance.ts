import type { Statement } from 'better-sqlite3';
import { type Idempotency, idempotencyMs } from '../../idempotency.ts';
import { jobOfEarlier, type LimitedRoute, msUntilUse } from '../../jobs/allowance.ts';
import { hourlyUses } from '../../jobs/job-store.ts';
import type { Connection } from '../connection.ts';

interface KeyRow {
  hash: string;
  job: number;
}

/** The sliding hour of a project, and the keys of requests that may come again. Used inside a transaction. */
export class Allowance {
  readonly #forgetUses: Statement<[number, LimitedRoute, number]>;
  readonly #uses: Statement<[number, LimitedRoute], { at: number }>;
  readonly #use: Statement<[number, LimitedRoute, number]>;
  readonly #forgetKeys: Statement<[number]>;
  readonly #findKey: Statement<[number, string, string, number], KeyRow>;
  readonly #keep: Statement<[number, string, string, string, number, number]>;

  constructor(db: Connection) {
    this.#forgetUses = db.prepare('delete from uses where project = ? and route = ? and at <= ?');
    this.#uses = db.prepare(
      `select at from uses where project = ? and route = ? order by at desc limit 1 offset ${hourlyUses.limit - 1}`,
    );
    this.#use = db.prepare('insert into uses (project, route, at) values (?, ?, ?)');
    this.#forgetKeys = db.prepare('delete from idempotency_keys where at <= ?');
    this.#findKey = db.prepare(
      'select request_hash as hash, job from idempotency_keys where project = ? and route = ? and key = ? and at > ?',
    );
    this.#keep = db.prepare(
      'insert into idempotency_keys (project, route, key, request_hash, job, at) values (?, ?, ?, ?, ?, ?)',
    );
  }

  findRepeated(
    project: number,
    route: string,
    idempotency: Idempotency | null,
    now: number,
  ): number | 'reused' | undefined {
    if (!idempotency) return undefined;
    const row = this.#findKey.get(project, route, idempotency.key, now - idempotencyMs);
    return jobOfEarlier(row, idempotency);
  }

  /** Spends one use; a number instead: the hour is full, and that many milliseconds remain until it is not. */
  spend(project: number, route: LimitedRoute, now: number): number | undefined {
    const { windowMs } = hourlyUses;
    this.#forgetUses.run(project, route, now - windowMs);
    const untilMs = msUntilUse(this.#uses.get(project, route), now);
    if (untilMs === undefined) this.#use.run(project, route, now);
    return untilMs;
  }

  remember(
    project: number,
    route: string,
    idempotency: Idempotency | null,
    job: number | bigint,
    now: number,
  ): void {
    this.#forgetKeys.run(now - idempotencyMs);
    if (!idempotency) return;
    this.#keep.run(project, route, idempotency.key, idempotency.requestHash, Number(job), now);
  }
}
