import { pairNames } from '../../shared/reports/pairs.ts';
import { tallies } from '../../shared/reports/tallies.ts';
import { blocksOf } from '../counting/blocks.ts';
import type { Day } from '../counting/calendar.ts';
import { otherName } from '../counting/names/name-cap.ts';
import { what } from '../counting/what.ts';
import type { Sql } from '../database/sql.ts';
import { type Actor, type AuditEntry, addEntry } from './admin/audit.ts';
import {
  type CountedProject,
  type CountingEngine,
  findKnownDay,
  type KnownDay,
  lowerRow,
  type NameCount,
} from './counting-engine.ts';
import { type Besides, type FollowedVisitors, type NamedViews, unpackViews } from './counts/import-record.ts';

/** A log that was imported. */
export interface ImportedLog {
  id: number;
  /** As it was named when it was last read; empty: not known. */
  name: string;
  /** When that was, in milliseconds since 1970; null: before imports could be taken back. */
  countedAt: number | null;
  lines: number;
  /** Null: it counts on no day, or it is not known. */
  firstDay: Day | null;
  lastDay: Day | null;
  humanViews: number;
  aiViews: number;
}

/**
 * A day of a log that is taken back. `whole`: nothing of the log is left; `views`: its views are gone, but the day is closed, so
 * that its visitors and visits cannot be told from others and stay; `gone`: the project keeps no counts of the day any more.
 */
export interface UndoneLogDay {
  day: Day;
  outcome: 'whole' | 'views' | 'gone';
  humanViews: number;
  aiViews: number;
}

interface DayRow {
  day: Day;
  humanViews: number;
  aiViews: number;
  /** Empty where the details of the day are forgotten. */
  sums: Uint8Array;
  /** Empty where all of the day is forgotten. */
  besides: string;
  visitors: string | null;
}

/** Lists imports and takes them back. */
export function importUndo(sql: Sql, engine: CountingEngine) {
  return {
    listImports: (projectId: string): Promise<ImportedLog[]> =>
      sql.query<ImportedLog>(
        `select l.id, l.name, l.counted_at as "countedAt", l.lines, min(d.day) as "firstDay", max(d.day) as "lastDay",
           coalesce(sum(d.human_views), 0) as "humanViews", coalesce(sum(d.ai_views), 0) as "aiViews"
         from logs l join projects p on p.id = l.project left join log_days d on d.log = l.id
         where p.public_id = $1 group by l.id, l.name, l.counted_at, l.lines order by l.id`,
        [projectId],
      ),

    /**
     * Takes a day of a log back, and with the last one the log, with an entry in the audit list. Null: nothing is left of it.
     * Where it is interrupted, it goes on with the days that are left.
     */
    undoNextDay: (
      projectId: string,
      log: number,
      by: { actor: Actor; at: number },
    ): Promise<UndoneLogDay | null> =>
      sql.transaction(async (transaction) => {
        const project = await engine.hold(transaction, projectId);
        if (!project) return null;
        const rows = await readNextDay(transaction, project, log);
        const [first] = rows;
        if (!first) {
          await transaction.query(
            'delete from logs where id = $1 and project = $2 and counted_at is not null',
            [...[log, project.id]],
          );
          return null;
        }
        const kept = rows.filter(({ besides }) => besides !== '');
        const undone =
          kept.length > 0
            ? await undoDay(transaction, engine, { project, log, day: first.day, rows: kept })
            : ({ day: first.day, outcome: 'gone', ...viewsOf(rows) } as const);
        await transaction.query('delete from log_days where log = $1 and day = $2', [log, first.day]);
        // From here on nothing more is added to it.
        await transaction.query('update logs set undone_at = $2 where id = $1', [log, by.at]);
        await transaction.query(
          'delete from logs where id = $1 and not exists (select 1 from log_days where log = $1)',
          [log],
        );
        if (kept.length > 0) await lowerImportedDay(transaction, project, undone);
        await noteUndo(transaction, projectId, log, undone, by);
        return undone;
      }),
  };
}

export type ImportUndo = ReturnType<typeof importUndo>;

async function readNextDay(sql: Sql, project: CountedProject, log: number): Promise<DayRow[]> {
  return sql.query<DayRow>(
    `select d.day, d.human_views as "humanViews", d.ai_views as "aiViews", d.sums, cast(d.besides as text) as besides, d.visitors
     from log_days d join logs l on l.id = d.log
     where d.log = $1 and l.project = $2 and d.day = (select min(day) from log_days where log = $1) order by d.id`,
    [log, project.id],
  );
}

const viewsOf = (rows: readonly DayRow[]) => ({
  humanViews: rows.reduce((sum, row) => sum + row.humanViews, 0),
  aiViews: rows.reduce((sum, row) => sum + row.aiViews, 0),
});

interface Undoing {
  project: CountedProject;
  log: number;
  day: Day;
  rows: readonly DayRow[];
}

async function undoDay(sql: Sql, engine: CountingEngine, undoing: Undoing): Promise<UndoneLogDay> {
  const { project, log, day, rows } = undoing;
  const { humanViews, aiViews } = viewsOf(rows);
  await lowerBesides(sql, engine, undoing);
  const counts = await engine.readCounts(sql, project, day);
  const site = counts.find((row) => row.what === what.site);
  if (!site) {
    const nothing = humanViews + aiViews === 0;
    return { day, outcome: nothing ? 'whole' : 'gone', humanViews, aiViews };
  }
  const open = await findKnownDay(sql, project, day);
  const isSealed = open ? open.isSealed : project.sealedThrough !== null && day <= project.sealedThrough;
  const blocks = blocksOf(day, { isSealed });
  const isAll = site.humanViews <= humanViews && site.aiViews <= aiViews && !counts.some(isEvent);
  if (isAll) {
    if (open) await forgetVisitors(sql, engine, project, open, log);
    await engine.subtract(sql, project, blocks, counts);
    return { day, outcome: 'whole', humanViews, aiViews };
  }
  const changes = new Changes(counts);
  changes.addViews({ id: 0, human: humanViews, ai: aiViews });
  for (const row of rows)
    for (const views of unpackViews(row.sums)) if (views.id !== 0) changes.addViews(views);
  const isExact = open !== undefined && !open.isSealed && rows.every(({ visitors }) => visitors !== null);
  if (isExact) await takeVisitorsBack(sql, engine, { ...undoing, open, changes });
  if (open) await engine.removeViews(sql, project, open, log);
  await engine.subtract(sql, project, blocks, changes.list());
  return { day, outcome: isExact || humanViews + aiViews === 0 ? 'whole' : 'views', humanViews, aiViews };
}

const isEvent = (row: NameCount) => row.what === what.event || row.what === what.property;

async function forgetVisitors(
  sql: Sql,
  engine: CountingEngine,
  project: CountedProject,
  open: KnownDay,
  log: number,
): Promise<void> {
  const visitors = new Set<bigint>();
  for await (const views of engine.readViews(sql, project, open)) {
    for (let i = 0; i < views.visitors.length; i++) visitors.add(views.visitors[i] as bigint);
  }
  await engine.writeSeen(sql, project, open, new Map([...visitors].map((visitor) => [visitor, []])));
  await engine.removeViews(sql, project, open, log);
}

/** What is taken away from the counts of a day, and never more than is there. */
class Changes {
  readonly #counts = new Map<number, NameCount>();
  readonly #taken = new Map<number, NameCount>();

  constructor(counts: readonly NameCount[]) {
    for (const row of counts) this.#counts.set(row.what === what.site ? 0 : row.name, row);
  }

  addViews({ id, human, ai }: NamedViews): void {
    const taken = this.#of(id);
    if (!taken) return;
    taken.humanViews += human;
    taken.aiViews += ai;
  }

  /** Somebody is no visitor of the name any more. @param isLast nor of the other kind */
  addVisitor(id: number, kind: number, isLast: boolean): void {
    const taken = this.#of(id);
    if (!taken) return;
    if (kind === 1) taken.humanVisitors++;
    else taken.aiVisitors++;
    if (isLast) taken.visitors++;
  }

  list(): NameCount[] {
    return [...this.#taken].map(([id, taken]) => bounded(taken, this.#counts.get(id) as NameCount));
  }

  /** Undefined: nothing is counted under it any more. */
  #of(id: number): NameCount | undefined {
    const known = this.#taken.get(id);
    if (known) return known;
    const row = this.#counts.get(id);
    if (!row) return undefined;
    const taken = { ...row, humanVisitors: 0, aiVisitors: 0, visitors: 0, humanViews: 0, aiViews: 0 };
    this.#taken.set(id, taken);
    return taken;
  }
}

/** So that no more visitors are left than views, and no fewer than none. */
function bounded(taken: NameCount, row: NameCount): NameCount {
  const humanViews = left(row.humanViews, taken.humanViews);
  const aiViews = left(row.aiViews, taken.aiViews);
  const human = Math.min(left(row.humanVisitors, taken.humanVisitors), humanViews);
  const ai = Math.min(left(row.aiVisitors, taken.aiVisitors), aiViews);
  const all = Math.min(Math.max(left(row.visitors, taken.visitors), human, ai), human + ai);
  return {
    ...row,
    humanVisitors: row.humanVisitors - human,
    aiVisitors: row.aiVisitors - ai,
    visitors: row.visitors - all,
    humanViews: row.humanViews - humanViews,
    aiViews: row.aiViews - aiViews,
  };
}

const left = (there: number, taken: number) => Math.max(there - taken, 0);

interface TakingBack extends Undoing {
  open: KnownDay;
  changes: Changes;
}

/** What else the visitors of a log did on the day. */
class OtherViews {
  readonly #kinds = new Map<bigint, number>();
  readonly #paths = new Map<bigint, Set<number>>();

  add(visitor: bigint, kind: number, path: number): void {
    this.#kinds.set(visitor, (this.#kinds.get(visitor) ?? 0) | kind);
    const paths = this.#paths.get(visitor) ?? new Set();
    this.#paths.set(visitor, paths.add(path * 4 + kind));
  }

  has(visitor: bigint, kind: number): boolean {
    return ((this.#kinds.get(visitor) ?? 0) & kind) !== 0;
  }

  hasPath(visitor: bigint, kind: number, path: number): boolean {
    return this.#paths.get(visitor)?.has(path * 4 + kind) === true;
  }
}

/**
 * On an active day. Whoever came in no other way is no visitor any more. Whoever did, and as the same kind, stays a visitor of the
 * site and of what that one is always counted under; of pages only where others of its views were on them.
 */
async function takeVisitorsBack(sql: Sql, engine: CountingEngine, taking: TakingBack): Promise<void> {
  const { project, log, open, changes } = taking;
  const { own, others } = await divideViews(sql, engine, taking);
  const visitors = [...own.keys()];
  const seen = await engine.readSeen(sql, project, open, visitors);
  const pathOf = await readPaths(sql, project, seen.values());
  const followed = await Followed.read(sql, project, taking.rows);
  const kept = new Map<bigint, number[]>();
  for (const visitor of visitors) {
    const before = Array.from(seen.get(visitor) ?? []);
    const ownKinds = own.get(visitor) as number;
    const after = before.filter((sighting) => {
      const [name, kind] = [sighting >> 2, sighting & 3];
      if ((ownKinds & kind) === 0 || !pathOf.isOfView(name)) return true;
      if (!others.has(visitor, kind)) return false;
      const path = pathOf.path(name);
      return path === undefined || others.hasPath(visitor, kind, path);
    });
    kept.set(visitor, after);
    takeSightings({ changes, followed, visitor, before, after });
  }
  await engine.writeSeen(sql, project, open, kept);
  await engine.removeViews(sql, project, open, log);
}

async function divideViews(
  sql: Sql,
  engine: CountingEngine,
  { project, log, open }: TakingBack,
): Promise<{ own: Map<bigint, number>; others: OtherViews }> {
  const own = new Map<bigint, number>();
  for await (const views of engine.readViews(sql, project, open)) {
    if (views.log !== log) continue;
    for (let i = 0; i < views.visitors.length; i++) {
      const visitor = views.visitors[i] as bigint;
      own.set(visitor, (own.get(visitor) ?? 0) | (views.kinds[i] as number));
    }
  }
  const others = new OtherViews();
  for await (const views of engine.readViews(sql, project, open)) {
    if (views.log === log) continue;
    for (let i = 0; i < views.visitors.length; i++) {
      const visitor = views.visitors[i] as bigint;
      if (own.has(visitor)) others.add(visitor, views.kinds[i] as number, views.paths[i] as number);
    }
  }
  return { own, others };
}

function takeSightings({
  changes,
  followed,
  visitor,
  before,
  after,
}: {
  changes: Changes;
  followed: Followed;
  visitor: bigint;
  before: readonly number[];
  after: readonly number[];
}): void {
  const stays = new Set(after);
  const isSeenOn = (name: number) => stays.has(name * 4 + 1) || stays.has(name * 4 + 2);
  const lastTaken = new Map<number, number>();
  const gone = before.filter((sighting) => !stays.has(sighting));
  // A name that both kinds go from loses one visitor.
  for (const sighting of gone) lastTaken.set(sighting >> 2, sighting);
  for (const sighting of gone) {
    const [name, kind] = [sighting >> 2, sighting & 3];
    const isLast = !isSeenOn(name) && lastTaken.get(name) === sighting;
    changes.addVisitor(name, kind, isLast);
    if (name === 0) for (const id of followed.of(visitor, kind)) changes.addVisitor(id, kind, isLast);
  }
}

/** Numbers of what visitors counted under as soon as they counted on the site. */
class Followed {
  readonly #ids = new Map<string, readonly number[]>();

  of(visitor: bigint, kind: number): readonly number[] {
    return this.#ids.get(`${visitor} ${kind}`) ?? [];
  }

  static async read(sql: Sql, project: CountedProject, rows: readonly DayRow[]): Promise<Followed> {
    const followed = new Followed();
    const known = new Map<string, number | undefined>();
    const find = async (what: number, text: string) => {
      const key = `${what} ${text}`;
      if (!known.has(key))
        known.set(
          key,
          (await findName(sql, project, what, text)) ?? (await findName(sql, project, what, otherName)),
        );
      return known.get(key);
    };
    for (const { visitors } of rows) {
      const { sets, seen } = JSON.parse(visitors ?? '{"sets":[],"seen":[]}') as FollowedVisitors;
      const ids: number[][] = [];
      for (const set of sets) {
        const found: number[] = [];
        for (const [what, text] of set) {
          const id = await find(what, text);
          if (id !== undefined) found.push(id);
        }
        ids.push(found);
      }
      for (const [visitor, kind, set] of seen) {
        const key = `${visitor} ${kind}`;
        if (!followed.#ids.has(key)) followed.#ids.set(key, ids[set] ?? []);
      }
    }
    return followed;
  }
}

async function findName(
  sql: Sql,
  project: CountedProject,
  what: number,
  text: string,
): Promise<number | undefined> {
  const rows = await sql.query<{ id: number }>(
    'select id from names where project = $1 and what = $2 and parent = 0 and text = $3',
    [project.id, what, text],
  );
  return rows[0]?.id;
}

const pairs = new Set(pairNames.map((name) => what[name]));

/** Of which page names are. */
class PathsOfNames {
  readonly #what = new Map<number, number>();
  readonly #paths = new Map<number, number>();

  add({ id, what: thing, path }: { id: number; what: number; path: number | null }): void {
    this.#what.set(id, thing);
    if (thing === what.path) this.#paths.set(id, id);
    else if (pairs.has(thing)) this.#paths.set(id, path ?? -1);
  }

  /** Events have sightings of their own. */
  isOfView(name: number): boolean {
    const thing = this.#what.get(name);
    return thing !== what.event && thing !== what.property;
  }

  /** Undefined: it is of all pages. */
  path(name: number): number | undefined {
    return this.#paths.get(name);
  }
}

async function readPaths(
  sql: Sql,
  project: CountedProject,
  seen: Iterable<ArrayLike<number>>,
): Promise<PathsOfNames> {
  const ids = new Set<number>();
  for (const sightings of seen)
    for (let i = 0; i < sightings.length; i++) ids.add((sightings[i] as number) >> 2);
  const paths = new PathsOfNames();
  const names = await sql.query<{ id: number; what: number; path: number | null }>(
    `select n.id, n.what, (select p.id from names p
       where p.project = $1 and p.what = ${what.path} and p.parent = 0 and p.text = n.text) as path
     from names n where n.project = $1 and n.id ${sql.dialect.isOneOf('$2')}`,
    [project.id, [...ids]],
  );
  for (const name of names) paths.add(name);
  return paths;
}

async function lowerBesides(
  sql: Sql,
  engine: CountingEngine,
  { project, day, rows }: Undoing,
): Promise<void> {
  for (const row of rows) {
    const { dropped, tallies: sums, caps } = JSON.parse(row.besides) as Besides;
    for (const one of dropped) await lowerRow(sql, engine, project, 'dropped', { day, ...one });
    for (const { tally, group: subject, ...sum } of sums)
      await lowerRow(sql, engine, project, 'tallies', { day, tally: tallies[tally].number, subject, ...sum });
    for (const cap of caps) await lowerRow(sql, engine, project, 'name_caps', { day, ...cap });
  }
}

/** The last line of what is left is that of another log. */
async function lowerImportedDay(
  sql: Sql,
  project: CountedProject,
  { day, humanViews, aiViews }: UndoneLogDay,
): Promise<void> {
  await sql.query(
    `update imported_days set human_views = human_views - $3, ai_views = ai_views - $4,
       last_at = coalesce((select max(d.last_at) from log_days d join logs l on l.id = d.log
         where l.project = $1 and d.day = $2 and d.last_at > 0), last_at)
     where project = $1 and day = $2`,
    [project.id, day, humanViews, aiViews],
  );
  await sql.query(
    'delete from imported_days where project = $1 and day = $2 and human_views <= 0 and ai_views <= 0',
    [project.id, day],
  );
}

async function noteUndo(
  sql: Sql,
  projectId: string,
  log: number,
  undone: UndoneLogDay,
  { actor, at }: { actor: Actor; at: number },
): Promise<void> {
  const [project] = await sql.query<{ name: string }>(
    "select settings ->> 'name' as name from projects where public_id = $1",
    [projectId],
  );
  const entry: AuditEntry = {
    ...{ at, actor, action: 'logs.removed', projectId, subject: project?.name ?? projectId },
    changes: [`import ${log}: ${undone.humanViews + undone.aiViews} views`],
  };
  await addEntry(sql, entry);
}
