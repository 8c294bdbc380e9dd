import type { Statement } from 'better-sqlite3';
import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { sightedTallies } from '../../../counting/sighting.ts';
import type { CalendarRepair } from '../../check-store.ts';
import type { Connection } from '../connection.ts';
import { orAdd } from './counts.ts';
import { PendingCounts } from './pending-counts.ts';
import { Tallies } from './tallies.ts';
import { SealedVisits } from './visits/sealed-visits.ts';

/** Mends the calendar of a project that a wrong clock has gone over. */
export class CalendarRepairs {
  readonly #db: Connection;
  readonly #cleanUp: () => Promise<void>;
  readonly #project: Statement<[string], { id: number; sealed_through: Day | null }>;
  readonly #move: Statement<[{ project: number; lastDay: Day; to: Day }]>[];
  readonly #deleteMoved: Statement<[number, Day]>[];
  readonly #forget: Statement<[number, Day, number]>;
  readonly #sighted: Statement<[number, Day], { day: Day }>;
  readonly #tallies: Tallies;
  readonly #visited: Statement<[number, Day, number], { id: number; day: Day; forgetAt: number | null }>;
  readonly #visits: SealedVisits;
  readonly #lower: Statement<[Day, number]>;
  /** Opens a day, or one that an import has open for others too: sealing is what adds it to larger blocks. */
  readonly #reopen: Statement<[{ project: number; day: Day; salt: Uint8Array }]>;
  /** What is left of a forgotten day is deleted by its number, and its place is another's. */
  readonly #setAside: Statement<[number, Day]>;
  readonly #deleteBlocks: Statement<[number, number, Day]>;
  readonly #deleteBlock: Statement<[number, number, Day]>;
  readonly #sumBlock: Statement<[{ project: number; span: number; start: Day; sealedThrough: Day }]>;

  /** @param cleanUp deletes the visitors of days without a salt, and what the files still have of them */
  constructor(db: Connection, cleanUp: () => Promise<void>) {
    this.#db = db;
    this.#cleanUp = cleanUp;
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#move = [moveCounts, moveDropped, moveImported, moveCaps, moveTallies, moveRules].map((sql) =>
      db.prepare(sql),
    );
    this.#deleteMoved = ['counts', 'dropped', 'imported_days', 'name_caps', 'tallies', 'rule_days'].map(
      (table) =>
        db.prepare(
          `delete from ${table} where project = ? and day > ?${table === 'counts' ? ' and span = 1' : ''}`,
        ),
    );
    const isForgotten = 'project = ? and salt is not null and (day > ? or forget_at > ?)';
    this.#forget = db.prepare(`update days set salt = null where ${isForgotten}`);
    this.#visited = db.prepare(`select id, day, forget_at as forgetAt from days where ${isForgotten}`);
    this.#visits = new SealedVisits(db);
    this.#sighted = db.prepare(
      `select distinct day from tallies where project = ? and tally in (${sightedTallies}) and day > ?`,
    );
    this.#tallies = new Tallies(db);
    this.#lower = db.prepare('update projects set sealed_through = ? where id = ?');
    this.#reopen = db.prepare(
      `insert into days (project, day, salt) select @project, @day, @salt
       where exists (select 1 from counts where project = @project and span = 1 and day = @day)
       on conflict do update set forget_at = null`,
    );
    this.#setAside = db.prepare(
      'update days set day = -1000000000 - id where project = ? and day = ? and salt is null',
    );
    this.#deleteBlocks = db.prepare('delete from counts where project = ? and span = ? and day >= ?');
    this.#deleteBlock = db.prepare('delete from counts where project = ? and span = ? and day = ?');
    this.#sumBlock = db.prepare(
      `insert into counts (project, what, parent, span, day, name,
         human_visitors, ai_visitors, visitors, human_views, ai_views)
       select project, what, parent, @span, @start, name, ${sums}
       from counts
       where project = @project and span = 1 and day >= @start and day < @start + @span and day <= @sealedThrough
       group by what, parent, name`,
    );
  }

  async repairCalendar(repair: CalendarRepair): Promise<void> {
    this.#db.transaction(() => this.#repair(repair)).immediate();
    await this.#cleanUp();
  }

  #repair({ projectId, lastDay, sealedThrough, reopened, moveTo, forgetBy }: CalendarRepair): void {
    const found = this.#project.get(projectId);
    if (!found) return;
    const { id: project } = found;
    new PendingCounts(this.#db).merge();
    const sealed = Math.min(found.sealed_through ?? Number.NEGATIVE_INFINITY, sealedThrough);
    for (const { forgetAt, ...day } of this.#visited.all(project, lastDay, forgetBy)) {
      this.#visits.seal(project, day, { isSealed: forgetAt !== null });
    }
    this.#forget.run(project, lastDay, forgetBy);
    for (const { day } of this.#sighted.all(project, lastDay)) this.#tallies.seal(project, day);
    if (moveTo !== null) {
      for (const move of this.#move) move.run({ project, lastDay, to: moveTo });
      for (const moved of this.#deleteMoved) moved.run(project, lastDay);
    }
    if (Number.isFinite(sealed)) this.#sumAgain(project, sealed, moveTo);
    for (const { day, salt } of reopened) {
      if (day <= sealed) continue;
      this.#setAside.run(project, day);
      this.#reopen.run({ project, day, salt });
    }
  }

  /** What is sealed no more leaves the larger blocks, and what came to a sealed day gets there. */
  #sumAgain(project: number, sealedThrough: Day, moveTo: Day | null): void {
    this.#lower.run(sealedThrough, project);
    for (const { span, day: start } of largerBlocksOf(sealedThrough + 1)) {
      this.#deleteBlocks.run(project, span, start);
      this.#sumBlock.run({ project, sealedThrough, span, start });
    }
    if (moveTo === null || moveTo > sealedThrough) return;
    for (const { span, day: start } of largerBlocksOf(moveTo)) {
      this.#deleteBlock.run(project, span, start);
      this.#sumBlock.run({ project, sealedThrough, span, start });
    }
  }
}

const sums = 'sum(human_visitors), sum(ai_visitors), sum(visitors), sum(human_views), sum(ai_views)';

const moveCounts = `
  insert into counts (project, what, parent, span, day, name,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  select project, what, parent, 1, @to, name, ${sums}
  from counts where project = @project and span = 1 and day > @lastDay
  group by what, parent, name
  ${orAdd}`;

const moveDropped = `
  insert into dropped (project, day, reason, family, hits)
  select project, @to, reason, family, sum(hits) from dropped
  where project = @project and day > @lastDay group by reason, family
  on conflict do update set hits = hits + excluded.hits`;

const moveImported = `
  insert into imported_days (project, day, human_views, ai_views, last_at)
  select project, @to, sum(human_views), sum(ai_views), max(last_at) from imported_days
  where project = @project and day > @lastDay group by project
  on conflict do update set
    human_views = human_views + excluded.human_views,
    ai_views = ai_views + excluded.ai_views,
    last_at = max(last_at, excluded.last_at)`;

const moveCaps = `
  insert into name_caps (project, day, what, cap, kind, client, views)
  select project, @to, what, cap, kind, client, sum(views) from name_caps
  where project = @project and day > @lastDay group by what, cap, kind, client
  on conflict do update set views = views + excluded.views`;

const moveTallies = `
  insert into tallies (project, tally, day, subject, name, hits, amount)
  select project, tally, @to, subject, name, sum(hits), sum(amount) from tallies
  where project = @project and day > @lastDay group by tally, subject, name
  on conflict do update set hits = hits + excluded.hits, amount = amount + excluded.amount`;

const moveRules = `
  insert into rule_days (project, day, version)
  select project, @to, version from rule_days where project = @project and day > @lastDay
  on conflict do nothing`;
