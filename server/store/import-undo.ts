import { counters } from '../../shared/reports/counters.ts';
import { pairNames } from '../../shared/reports/pairs.ts';
import { blocksOf } from '../counting/blocks.ts';
import type { Day } from '../counting/calendar.ts';
import { otherName } from '../counting/names/name-cap.ts';
import { what } from '../counting/what.ts';
import type { Sql } from '../database/sql.ts';
import { program } from '../process/program.ts';
import { type Actor, type AuditEntry, addEntry } from './admin/audit.ts';
import {
  type CountedProject,
  type CountingEngine,
  findKnownDay,
  type Held,
  type KnownDay,
  lowerRow,
  type NameCount,
} from './counting-engine.ts';
import { type Besides, type FollowedVisitors, type NamedViews, unpackViews } from './counts/import-record.ts';
import { firstDay } from './page.ts';
import { StoreError } from './store-error.ts';

/** A log that was imported. */
export interface ImportedLog {
  id: number;
  /** As last read; empty: not known. */
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
 * that its visitors and visits are indistinguishable and stay; `gone`: the project keeps no counts of the day any more.
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
            ? await undoDay({ sql: transaction, engine, project, log, day: first.day, rows: kept })
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

/**
 * What logs added is recorded by days and by names: once the counts of days after this one move to others, it cannot be taken
 * back.
 *
 * @throws StoreError as `undoBegun`
 */
export async function forgetImports(sql: Sql, { id }: CountedProject, after = firstDay): Promise<void> {
  const logs = `(select l.id from logs l join log_days d on d.log = l.id where l.project = $1 and d.day > $2)`;
  const [begun] = await sql.query<{ id: number; projectId: string }>(
    `select l.id, p.public_id as "projectId" from logs l join projects p on p.id = l.project
     where l.undone_at is not null and l.id in ${logs} order by l.id limit 1`,
    [id, after],
  );
  if (begun) throw undoBegun(begun.projectId, begun.id);
  await sql.query(`update logs set counted_at = null where id in ${logs}`, [id, after]);
  await sql.query(
    `delete from log_days where log in (select id from logs where project = $1 and counted_at is null)`,
    [id],
  );
}

/** Without its records an import that is taken back in part could neither go on nor be counted again. */
export function undoBegun(projectId: string, log: number): StoreError {
  const command = `${program} import --undo ${log} --project ${projectId}`;
  return new StoreError(
    'unfinished',
    `Import ${log} is taken back in part. Go on with that first: "${command}".`,
  );
}

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

interface Undoing extends Held {
  log: number;
  day: Day;
  rows: readonly DayRow[];
}

async function undoDay(undoing: Undoing): Promise<UndoneLogDay> {
  const { sql, engine, project, log, day, rows } = undoing;
  const { humanViews, aiViews } = viewsOf(rows);
  await lowerBesides(undoing);
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
    if (open) await forgetVisitors(undoing, open);
    await engine.subtract(sql, project, blocks, counts);
    await sql.query('delete from cells where project = $1 and day = $2', [project.id, day]);
    return { day, outcome: 'whole', humanViews, aiViews };
  }
  const changes = new Changes(counts);
  changes.addViews({ id: 0, human: humanViews, ai: aiViews });
  for (const row of rows)
    for (const views of unpackViews(row.sums)) if (views.id !== 0) changes.addViews(views);
  const isExact = open !== undefined && !open.isSealed && rows.every(({ visitors }) => visitors !== null);
  if (isExact) await takeVisitorsBack({ ...undoing, open, changes });
  if (open) await engine.removeViews(sql, project, open, log);
  await engine.subtract(sql, project, blocks, changes.list());
  // What of it was the log's is not known any more.
  if (!isExact) await sql.query('delete from cells where project = $1 and day = $2', [project.id, day]);
  return { day, outcome: isExact || humanViews + aiViews === 0 ? 'whole' : 'views', humanViews, aiViews };
}

const isEvent = (row: Pick<NameCount, 'what'>) => row.what === what.event || row.what === what.property;

async function forgetVisitors({ sql, engine, project, log }: Undoing, open: KnownDay): Promise<void> {
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

/**
 * On an active day. A visitor without other views is removed. One with other views of the same kind stays a visitor of
 * the site and of the names that go with it; of pages only where its other views were on them.
 */
async function takeVisitorsBack(taking: TakingBack): Promise<void> {
  const { sql, engine, project, log, open, changes } = taking;
  const { own, others } = await divideViews(taking);
  const visitors = [...own.keys()];
  const seen = await engine.readSeen(sql, project, open, visitors);
  const { events, pages } = await readPages(sql, project, seen.values());
  const followed = await readFollowed(taking);
  const kept = new Map<bigint, number[]>();
  for (const visitor of visitors) {
    const before = Array.from(seen.get(visitor) ?? []);
    const ownKinds = own.get(visitor) as number;
    const after = before.filter((visitorKey) => {
      const [name, kind] = [visitorKey >> 2, visitorKey & 3];
      if ((ownKinds & kind) === 0 || events.has(name)) return true;
      const page = pages.get(name);
      return others.get(visitor)?.has(page === undefined ? -kind : page * 4 + kind) === true;
    });
    kept.set(visitor, after);
    takeVisitorKeys(changes, before, after, (kind) => followed.get(`${visitor} ${kind}`) ?? []);
  }
  await engine.writeSeen(sql, project, open, kept);
  await engine.removeViews(sql, project, open, log);
}

/** The kinds of views that visitors have of the log; and what else these did on the day: `-kind`, and `page * 4 + kind`. */
async function divideViews({ sql, engine, project, log, open }: TakingBack) {
  const own = new Map<bigint, number>();
  for await (const views of engine.readViews(sql, project, open)) {
    if (views.log !== log) continue;
    for (let i = 0; i < views.visitors.length; i++) {
      const visitor = views.visitors[i] as bigint;
      own.set(visitor, (own.get(visitor) ?? 0) | (views.kinds[i] as number));
    }
  }
  const others = new Map<bigint, Set<number>>();
  for await (const views of engine.readViews(sql, project, open)) {
    if (views.log === log) continue;
    for (let i = 0; i < views.visitors.length; i++) {
      const visitor = views.visitors[i] as bigint;
      if (!own.has(visitor)) continue;
      const kind = views.kinds[i] as number;
      const done = others.get(visitor) ?? new Set();
      others.set(visitor, done.add(-kind).add((views.paths[i] as number) * 4 + kind));
    }
  }
  return { own, others };
}

/** @param followedBy what a visitor of a kind counted under as soon as it counted on the site */
function takeVisitorKeys(
  changes: Changes,
  before: readonly number[],
  after: readonly number[],
  followedBy: (kind: number) => readonly number[],
): void {
  const stays = new Set(after);
  const isSeenOn = (name: number) => stays.has(name * 4 + 1) || stays.has(name * 4 + 2);
  const gone = before.filter((visitorKey) => !stays.has(visitorKey));
  // A name that both kinds go from loses one visitor.
  const lastTaken = new Map(gone.map((visitorKey) => [visitorKey >> 2, visitorKey]));
  for (const visitorKey of gone) {
    const [name, kind] = [visitorKey >> 2, visitorKey & 3];
    const isLast = !isSeenOn(name) && lastTaken.get(name) === visitorKey;
    for (const id of name === 0 ? [0, ...followedBy(kind)] : [name]) changes.addVisitor(id, kind, isLast);
  }
}

/** Numbers of what visitors counted under as soon as they counted on the site, by visitor and kind. */
async function readFollowed({ sql, engine, project, rows }: Undoing) {
  const followed = new Map<string, readonly number[]>();
  for (const { visitors } of rows) {
    const { sets, seen } = JSON.parse(visitors ?? '{"sets":[],"seen":[]}') as FollowedVisitors;
    const named = sets
      .flat()
      .flatMap(([what, own]) => [own, otherName].map((text) => ({ what, text, parent: 0 })));
    const names = [...new Map(named.map((name) => [`${name.what} ${name.text}`, name])).values()];
    const ids = await engine.findNames(sql, project, names);
    const idOf = new Map(names.map(({ what, text }, i) => [`${what} ${text}`, ids[i]]));
    const numbers = sets.map((set) =>
      set.flatMap(([what, text]) => idOf.get(`${what} ${text}`) ?? idOf.get(`${what} ${otherName}`) ?? []),
    );
    for (const [visitor, kind, set] of seen) {
      const key = `${visitor} ${kind}`;
      if (!followed.has(key)) followed.set(key, numbers[set] ?? []);
    }
  }
  return followed;
}

const pairs = new Set(pairNames.map((name) => what[name]));

/** Of which page names are, where they are of one; and those of events, which have visitor keys of their own. */
async function readPages(sql: Sql, project: CountedProject, seen: Iterable<ArrayLike<number>>) {
  const ids = new Set(
    [...seen].flatMap((visitorKeys) => Array.from(visitorKeys, (visitorKey) => visitorKey >> 2)),
  );
  const names = await sql.query<{ id: number; what: number; path: number | null }>(
    `select n.id, n.what, (select p.id from names p
       where p.project = $1 and p.what = ${what.path} and p.parent = 0 and p.text = n.text) as path
     from names n where n.project = $1 and n.id ${sql.dialect.isOneOf('$2')}`,
    [project.id, [...ids]],
  );
  const isOfPage = (kind: number) => kind === what.path || pairs.has(kind);
  return {
    events: new Set(names.filter(isEvent).map(({ id }) => id)),
    pages: new Map(names.filter((name) => isOfPage(name.what)).map(({ id, path }) => [id, path ?? -1])),
  };
}

async function lowerBesides({ sql, engine, project, day, rows }: Undoing): Promise<void> {
  for (const row of rows) {
    const { dropped, tallies: sums, caps } = JSON.parse(row.besides) as Besides;
    for (const one of dropped) await lowerRow(sql, engine, project, 'dropped', { day, ...one });
    for (const { tally, group: subject, ...sum } of sums)
      await lowerRow(sql, engine, project, 'tallies', {
        day,
        tally: counters[tally].number,
        subject,
        ...sum,
      });
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
