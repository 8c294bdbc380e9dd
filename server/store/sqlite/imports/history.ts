import type { Statement } from 'better-sqlite3';
import { tallies } from '../../../../shared/reports/tallies.ts';
import { blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import {
  admitNames,
  type HistoryDay,
  historyGroup,
  historyKinds,
  peopleSum,
} from '../../../counting/history.ts';
import { what } from '../../../counting/what.ts';
import type { HistoryReceipt } from '../../history-store.ts';
import type { Connection } from '../connection.ts';
import { CountedNames } from '../counts/counted-names.ts';
import { Counts } from '../counts/counts.ts';
import { NameCaps } from '../counts/name-caps.ts';
import { SealedCounts } from '../counts/sealed-counts.ts';
import { Tallies } from '../counts/tallies.ts';

interface Project {
  id: number;
  sealed_through: Day | null;
}

const wayIn = tallies['ways-in'].number;

/** Takes in days that another tool counted, and out again. */
export class History {
  readonly #db: Connection;
  readonly #project: Statement<[string], Project>;
  readonly #isOpen: Statement<[number, Day]>;
  readonly #isCounted: Statement<[{ project: number; day: Day }]>;
  readonly #groups: Statement<[number, Day], string>;
  readonly #deleteOthers: Statement<[number, Day]>[];
  readonly #addName: Statement<[number, number, string], number>;
  readonly #names: CountedNames;
  readonly #counts: Counts;
  readonly #sealed: SealedCounts;
  readonly #caps: NameCaps;
  readonly #tallies: Tallies;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#isOpen = db.prepare('select 1 from days where project = ? and day = ?');
    this.#isCounted = db.prepare(
      `select 1 from counts where project = @project and what = ${what.site} and parent = 0 and span = 1 and day = @day
       union all select 1 from tallies where project = @project and tally = ${wayIn} and day = @day`,
    );
    this.#groups = db
      .prepare<[number, Day], string>(
        `select distinct subject from tallies where project = ? and tally = ${wayIn} and day = ?`,
      )
      .pluck();
    this.#deleteOthers = ['tallies', 'name_caps'].map((table) =>
      db.prepare(`delete from ${table} where project = ? and day = ?`),
    );
    this.#addName = db
      .prepare<[number, number, string], number>(
        'insert into names (project, what, parent, text) values (?, ?, 0, ?) returning id',
      )
      .pluck();
    this.#names = new CountedNames(db);
    this.#counts = new Counts(db);
    this.#sealed = new SealedCounts(db);
    this.#caps = new NameCaps(db);
    this.#tallies = new Tallies(db);
  }

  addDay(projectId: string, day: HistoryDay): HistoryReceipt {
    return this.#db.transaction(() => this.#addDay(projectId, day)).immediate();
  }

  removeDay(projectId: string, day: Day, tool: string): boolean {
    return this.#db.transaction(() => this.#removeDay(projectId, day, tool)).immediate();
  }

  #addDay(projectId: string, history: HistoryDay): HistoryReceipt {
    const project = this.#project.get(projectId);
    if (!project) return 'gone';
    const { day } = history;
    const isSealed = project.sealed_through !== null && day <= project.sealed_through;
    if (!isSealed || this.#isOpen.get(project.id, day)) return 'open';
    if (this.#isCounted.get({ project: project.id, day })) return 'counted';
    this.#addCounts(project.id, history);
    return 'added';
  }

  #addCounts(project: number, history: HistoryDay): void {
    const { day, site, tool } = history;
    const find = (sum: { what: number; text: string }) => this.#names.number(project, sum);
    const { sums, capped } = admitNames(history, (sum) => find(sum) !== undefined);
    const blocks = blocksOf(day, { isSealed: true });
    const add = (what: number, id: number, sum: typeof site) => {
      for (const block of blocks)
        this.#counts.add(project, block, { name: { what, parent: 0, id }, ...peopleSum(sum) });
    };
    add(what.site, 0, site);
    for (const sum of sums) {
      add(sum.what, find(sum) ?? (this.#addName.get(project, sum.what, sum.text) as number), sum);
    }
    this.#counts.save();
    this.#caps.save(project, day, capped);
    this.#tallies.add(project, day, [
      { tally: 'ways-in', group: historyGroup(tool), name: 'people', hits: site.views, amount: 0 },
    ]);
  }

  #removeDay(projectId: string, day: Day, tool: string): boolean {
    const project = this.#project.get(projectId);
    if (!project || day > (project.sealed_through ?? Number.NEGATIVE_INFINITY)) return false;
    const groups = this.#groups.all(project.id, day);
    if (groups.length !== 1 || groups[0] !== historyGroup(tool) || this.#isOpen.get(project.id, day))
      return false;
    const whole = { project: project.id, parent: 0, day, last: Number.MAX_SAFE_INTEGER };
    for (const kind of historyKinds) this.#sealed.forget({ ...whole, what: kind });
    for (const sql of this.#deleteOthers) sql.run(project.id, day);
    return true;
  }
}
