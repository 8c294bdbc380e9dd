import type { Statement } from 'better-sqlite3';
import { pairNames } from '../../../../shared/reports/pairs.ts';
import { pathTallies } from '../../../counting/tally.ts';
import { what } from '../../../counting/what.ts';
import type { ListedPath, PathMove } from '../../counts/path-store.ts';
import type { Connection } from '../connection.ts';
import { orAdd } from './counts.ts';
import { PendingCounts } from './pending-counts.ts';
import { Seen } from './visitors/seen.ts';
import { SeenMoves } from './visitors/seen-moves.ts';
import { moveVisits } from './visits/visit-moves.ts';

const pathKinds = `(${(['path', 'entry', 'exit', 'singlePage', 'goalPath', ...pairNames] as const).map((name) => what[name])})`;

/** Lists what a project's paths are called. */
export class PathReader {
  readonly #list: Statement<[string, number, number], ListedPath>;
  readonly #tallied: Statement<[{ projectId: string; after: string; limit: number }], string>;

  constructor(db: Connection) {
    this.#list = db.prepare(
      `select n.id, n.text as path from names n join projects p on p.id = n.project
       where p.public_id = ? and n.what in ${pathKinds} and n.id > ? order by n.id limit ?`,
    );
    this.#tallied = db
      .prepare<[{ projectId: string; after: string; limit: number }], string>(
        `with own as (select id from projects where public_id = @projectId)
         select name from tallies where project = (select id from own) and tally in (${pathTallies}) and name > @after
         union
         select name from search_numbers where project = (select id from own) and kind = 'page' and name > @after
         order by name limit @limit`,
      )
      .pluck();
  }

  list(projectId: string, after: number, limit: number): ListedPath[] {
    return this.#list.all(projectId, after, limit);
  }

  listTallied(projectId: string, after: string, limit: number): string[] {
    return this.#tallied.all({ projectId, after, limit });
  }
}

const isSearchedPage = "project = ? and kind = 'page'";
const searchPlace = 'project, tool, kind, first_day, last_day';

/** What search engines tell of pages. */
const searchMoves = [
  `insert into search_numbers (${searchPlace}, name, clicks, impressions, positions, citations, pages)
   select ${searchPlace}, m.target, sum(clicks), sum(impressions), sum(positions), sum(citations), null
   from search_numbers s join moved_paths m on m.path = s.name
   where ${isSearchedPage} and m.target is not null group by ${searchPlace}, m.target
   on conflict do update set clicks = clicks + excluded.clicks, impressions = impressions + excluded.impressions,
     positions = positions + excluded.positions, citations = citations + excluded.citations`,
  `delete from search_numbers where ${isSearchedPage} and name in (select path from moved_paths)`,
];

interface MovedName {
  id: number;
  what: number;
  parent: number;
}

/** Adds the counts of paths to those of others, or deletes them. */
export class PathWriter {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  move(projectId: string, moves: PathMove[]): boolean {
    return this.#db.transaction(() => this.#moveAll(projectId, moves)).immediate();
  }

  #moveAll(projectId: string, moves: PathMove[]): boolean {
    const db = this.#db;
    const project = db
      .prepare<[string], number>('select id from projects where public_id = ?')
      .pluck()
      .get(projectId);
    if (project === undefined) return false;
    // Sorts all sightings into `seen`, and tells everybody who holds names or sightings in memory to read them again.
    new Seen(db).begin();
    new PendingCounts(db).merge();
    const targets = this.#findTargets(project, moves);
    new SeenMoves(db).apply(project, targets);
    moveVisits(db, project, targets);
    this.#moveCounts(project, targets);
    this.#moveTallies(project, moves);
    this.#forgetImports(project);
    return true;
  }

  /** The names to move, each with the one to move it to. */
  #findTargets(project: number, moves: PathMove[]): Map<number, number | null> {
    const find = this.#db.prepare<[number, string], MovedName>(
      `select id, what, parent from names where project = ? and text = ? and what in ${pathKinds}`,
    );
    const targets = new Map<number, number | null>();
    for (const { from, to } of moves) {
      if (from === to) continue;
      for (const name of find.all(project, from)) {
        targets.set(name.id, to === null ? null : this.#findOrAdd(project, name, to));
      }
    }
    return targets;
  }

  #findOrAdd(project: number, { what, parent }: MovedName, text: string): number {
    const place = [project, what, parent, text] as const;
    this.#db
      .prepare('insert into names (project, what, parent, text) values (?, ?, ?, ?) on conflict do nothing')
      .run(...place);
    return this.#db
      .prepare<[number, number, number, string], number>(
        'select id from names where project = ? and what = ? and parent = ? and text = ?',
      )
      .pluck()
      .get(...place) as number;
  }

  #moveCounts(project: number, targets: Map<number, number | null>): void {
    const db = this.#db;
    db.exec('create temp table moved (id integer primary key, target integer) strict');
    const add = db.prepare('insert into moved values (?, ?)');
    for (const [id, target] of targets) add.run(id, target);
    const kinds = db
      .prepare<[], Omit<MovedName, 'id'>>(
        'select distinct what, parent from moved join names using (id) order by what, parent',
      )
      .all();
    // cross join: SQLite keeps this order, one pass over the counts of a kind.
    const copy = db.prepare(
      `insert into counts (project, what, parent, span, day, name,
         human_visitors, ai_visitors, visitors, human_views, ai_views)
       select c.project, c.what, c.parent, c.span, c.day, m.target,
         c.human_visitors, c.ai_visitors, c.visitors, c.human_views, c.ai_views
       from counts c cross join moved m on m.id = c.name
       where c.project = ? and c.what = ? and c.parent = ? and m.target is not null
       ${orAdd}`,
    );
    const remove = db.prepare(
      'delete from counts where project = ? and what = ? and parent = ? and name in (select id from moved)',
    );
    for (const { what, parent } of kinds) {
      copy.run(project, what, parent);
      remove.run(project, what, parent);
    }
    db.exec('delete from names where id in (select id from moved); drop table moved');
  }

  /** What logs added is recorded by the names that are moved: from here on it cannot be taken back. */
  #forgetImports(project: number): void {
    const ofProject = 'select id from logs where project = ?';
    this.#db.prepare(`delete from log_days where log in (${ofProject})`).run(project);
    this.#db.prepare('update logs set counted_at = null where project = ?').run(project);
  }

  #moveTallies(project: number, moves: PathMove[]): void {
    const db = this.#db;
    db.exec('create temp table moved_paths (path text primary key, target text) strict, without rowid');
    const add = db.prepare('insert into moved_paths values (?, ?) on conflict do nothing');
    for (const { from, to } of moves) if (from !== to) add.run(from, to);
    const isMoved = `project = ? and tally in (${pathTallies})`;
    db.prepare(
      `insert into tallies (project, tally, day, subject, name, hits, amount)
       select project, tally, day, subject, m.target, sum(hits), sum(amount)
       from tallies t join moved_paths m on m.path = t.name
       where ${isMoved} and m.target is not null group by tally, day, subject, m.target
       on conflict do update set hits = hits + excluded.hits, amount = amount + excluded.amount`,
    ).run(project);
    db.prepare(`delete from tallies where ${isMoved} and name in (select path from moved_paths)`).run(
      project,
    );
    for (const sql of searchMoves) db.prepare(sql).run(project);
    db.exec('drop table moved_paths');
  }
}
