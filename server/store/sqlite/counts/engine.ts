import { blocksOf } from '../../../counting/blocks.ts';
import { emptySum, kindBits, type Sum } from '../../../counting/sum.ts';
import type { Sql } from '../../../database/sql.ts';
import { belongingTo } from '../../../database/tables/tables.ts';
import {
  type CountedProject,
  type CountingEngine,
  findProject,
  type KeptViews,
  type NameCount,
} from '../../counting-engine.ts';
import { toNumbers } from '../../counts/visitors/visitor-keys.ts';
import type { ForgetProject } from '../../projects.ts';
import type { Connection } from '../connection.ts';
import { sqliteTables } from './count-tables.ts';
import { intoCounts, orAdd, sealedCounts, sumColumns } from './counts.ts';
import { nameNumbers } from './dictionary.ts';
import { pendingCounts } from './pending-counts.ts';
import { Seen } from './visitors/seen.ts';
import { bytesOfViews, unpackViews } from './visits/packed-views.ts';
import { visitSealing } from './visits/sealed-visits.ts';

/** Rows of a day that are deleted with one transaction: between two such, views are counted. */
const rowsPerStep = 2000;

/** What does not go with the project's row by itself. */
const removeCounts: ForgetProject = async (sql, project) => {
  for (const { name } of belongingTo('days', 'sqlite'))
    await sql.query(`delete from ${name} where day in (select id from days where project = $1)`, [project]);
  for (const name of ['days', ...belongingTo('projects', 'sqlite').map((table) => table.name)])
    await sql.query(`delete from ${name} where project = $1`, [project]);
};

/**
 * How SQLite counts. Only one transaction writes at a time.
 *
 * @param deleteForgotten deletes what is left of days without a salt
 */
export function sqliteEngine(
  db: Connection,
  deleteForgotten: () => Promise<unknown> = async () => undefined,
): CountingEngine {
  return {
    ...sqliteTables,
    calendarColumns: ['sealed_through'],
    forgetProject: [removeCounts],
    holdDays: (sql, projectId) => findProject(sql, sqliteTables, projectId),
    hold: (sql, projectId) => {
      // Sorts all visitor keys into `seen`, and has all processes read names and visitor keys again.
      new Seen(db).begin();
      pendingCounts(db).merge();
      return findProject(sql, sqliteTables, projectId);
    },
    openDay: async (sql, { id, sealedThrough }, day, { salt, forgetAt }) => {
      const isSealed = sealedThrough !== null && day <= sealedThrough;
      await sql.query(
        'insert into days (project, day, salt, forget_at) values ($1, $2, $3, $4) on conflict do nothing',
        [id, day, salt, isSealed ? forgetAt : null],
      );
      const [row] = await sql.query<{ id: number; salt: Uint8Array | null }>(
        'select id, salt from days where project = $1 and day = $2',
        [id, day],
      );
      return row?.salt ? { id: row.id, day, salt: row.salt } : deleteForgotten;
    },
    findNames: async (_sql, { id }, names) => {
      const { find } = nameNumbers(db);
      return names.map(({ what, parent, text }) => find(id, what, parent, text));
    },
    findOrAddNames: async (_sql, { id }, names) => {
      const { findOrAdd } = nameNumbers(db);
      return names.map(({ what, parent, text }) => findOrAdd(id, what, parent, text));
    },
    forgetSome: async (sql, project, kinds, before) => {
      const forget = sealedCounts(db);
      const all = kinds === 'site' ? [site] : await listKinds(sql, project);
      for (const kind of all) {
        const place = [project.id, kind.what, kind.parent];
        const [oldest] = await sql.query<{ day: number | null }>(
          `select min(day) as day from counts where project = $1 and what = $2 and parent = $3 and span = 1 and day < $4`,
          [...place, before],
        );
        const day = oldest?.day ?? null;
        if (day === null) continue;
        const [last] = await sql.query<{ name: number }>(
          `select name from counts where project = $1 and what = $2 and parent = $3 and span = 1 and day = $4
           order by name limit 1 offset ${rowsPerStep - 1}`,
          [...place, day],
        );
        forget({ project: project.id, ...kind, day, last: last?.name ?? Number.MAX_SAFE_INTEGER });
        return true;
      }
      return false;
    },
    forgetDay: async (sql, project, day) => {
      const forget = sealedCounts(db);
      for (const kind of [site, ...(await listKinds(sql, project))])
        forget({ project: project.id, ...kind, day, last: Number.MAX_SAFE_INTEGER });
    },
    // Of days that an import has open, whose visits would be counted when it ends.
    forgetViews: async (sql, { id }, before) => {
      await sql.query(
        'delete from visit_views where day in (select id from days where project = $1 and day < $2)',
        [id, before],
      );
    },
    forgetNames: async (sql, project) => {
      for (const { what, parent } of await listKinds(sql, project)) {
        const ofKind = 'project = $1 and what = $2 and parent = $3';
        // Each sealed day is in a block of the greatest span. Under the names of a pair there are none.
        await sql.query(
          `delete from names where ${ofKind}
             and id not in (select name from counts where ${ofKind} and span = 256)
             and id not in (select name from counts where ${ofKind} and span = 1 and day > $4)
             ${parent === 0 ? 'and id not in (select parent from names where project = $1)' : ''}`,
          [project.id, what, parent, project.sealedThrough],
        );
      }
    },
    moveNames: async (_sql, project, targets) => {
      moveSeen(db, project.id, targets);
      moveVisits(db, project.id, targets);
      moveCounts(db, project.id, targets);
    },
    sealVisits: async (_sql, project, day) => {
      visitSealing(db).seal(project.id, day, day);
    },
    forgetDays: async (sql, days) => {
      await sql.query(`update days set salt = null where id ${sql.dialect.isOneOf('$1')}`, [days]);
    },
    reopenDay: async (sql, { id }, day, salt) => {
      // What is left of a forgotten day is deleted by its number, and its place is another's.
      await sql.query(
        'update days set day = -1000000000 - id where project = $1 and day = $2 and salt is null',
        [id, day],
      );
      await sql.query(
        'insert into days (project, day, salt) values ($1, $2, $3) on conflict do update set forget_at = null',
        [id, day, salt],
      );
    },
    readCounts: async (sql, project, day) => {
      const rows: NameCount[] = [];
      for (const { what, parent } of [site, ...(await listKinds(sql, project))]) {
        rows.push(
          ...(await sql.query<NameCount>(
            `select what, parent, name, human_visitors as "humanVisitors", ai_visitors as "aiVisitors", visitors,
               human_views as "humanViews", ai_views as "aiViews"
             from counts where project = $1 and what = $2 and parent = $3 and span = 1 and day = $4`,
            [project.id, what, parent, day],
          )),
        );
      }
      return rows;
    },
    subtract: async (sql, project, blocks, counts) => {
      for (const { span, day } of blocks) {
        for (const row of counts) {
          const place = [project.id, row.what, row.parent, span, day, row.name];
          await sql.query(
            `update counts set human_visitors = human_visitors - $7, ai_visitors = ai_visitors - $8, visitors = visitors - $9,
               human_views = human_views - $10, ai_views = ai_views - $11
             where project = $1 and what = $2 and parent = $3 and span = $4 and day = $5 and name = $6`,
            [...place, row.humanVisitors, row.aiVisitors, row.visitors, row.humanViews, row.aiViews],
          );
          await sql.query(
            `delete from counts where project = $1 and what = $2 and parent = $3 and span = $4 and day = $5 and name = $6
               and human_views <= 0 and ai_views <= 0`,
            place,
          );
        }
      }
    },
    readViews: (_sql, _project, { id }) => readViews(db, id),
    removeViews: async (sql, _project, day, log) => {
      await sql.query('delete from visit_views where day = $1 and log = $2', [day.id, log]);
    },
    readSeen: async (sql, _project, day, visitors) => {
      const seen = new Map<bigint, ArrayLike<number>>();
      for (const visitor of visitors) {
        const [row] = await sql.query<{ visitorKeys: Buffer }>(
          'select sightings as visitorKeys from seen where day = $1 and visitor = $2',
          [day.id, visitor],
        );
        if (row) seen.set(visitor, toNumbers(row.visitorKeys));
      }
      return seen;
    },
    writeSeen: (sql, _project, day, seen) => writeSeen(sql, day.id, seen),
  };
}

interface Kind {
  what: number;
  parent: number;
}

const site: Kind = { what: 0, parent: 0 };

function listKinds(sql: Sql, { id }: CountedProject): Promise<Kind[]> {
  return sql.query<Kind>(
    'select distinct what, parent from names where project = $1 order by what desc, parent',
    [id],
  );
}

function moveCounts(db: Connection, project: number, targets: ReadonlyMap<number, number | null>): void {
  db.exec('create temp table moved (id integer primary key, target integer) strict');
  const add = db.prepare('insert into moved values (?, ?)');
  for (const [id, target] of targets) add.run(id, target);
  const kinds = db
    .prepare<[], Kind>('select distinct what, parent from moved join names using (id) order by what, parent')
    .all();
  // cross join: SQLite keeps this order, one pass over the counts of a kind.
  const copy = db.prepare(
    `${intoCounts} select c.project, c.what, c.parent, c.span, c.day, m.target, ${sumColumns}
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
  db.exec('drop table moved');
}

function* readViews(db: Connection, day: number): Iterable<KeptViews> {
  const rows = db
    .prepare<[number], { log: number | null; views: Buffer; view_values: Buffer | null }>(
      'select log, views, view_values from visit_views where day = ? order by number',
    )
    .all(day);
  for (const { log, views, view_values: values } of rows) {
    const { visitors, moments, paths } = unpackViews(views);
    yield {
      ...{ log, visitors, paths, values },
      kinds: moments.map((moment) => moment & 3),
      moments: moments.map((moment) => moment >>> 2),
    };
  }
}

async function writeSeen(sql: Sql, day: number, seen: ReadonlyMap<bigint, readonly number[]>): Promise<void> {
  for (const [visitor, visitorKeys] of seen) {
    if (visitorKeys.length === 0)
      await sql.query('delete from seen where day = $1 and visitor = $2', [day, visitor]);
    else
      await sql.query('update seen set sightings = $3 where day = $1 and visitor = $2', [
        day,
        visitor,
        new Uint8Array(Uint32Array.from(visitorKeys).buffer),
      ]);
  }
}

interface ViewsRow {
  day: number;
  number: number;
  views: Buffer;
}

/** Views of active days, after paths were moved to others. @param targets by name; null: none */
function moveVisits(db: Connection, project: number, targets: ReadonlyMap<number, number | null>): void {
  if (targets.size === 0) return;
  const rows = db.prepare<[number], ViewsRow>(
    `select day, number, views from visit_views where day in (select id from days where project = ?)`,
  );
  const write = db.prepare('update visit_views set views = ? where day = ? and number = ?');
  for (const { day, number, views } of rows.all(project)) {
    const packed = unpackViews(views);
    if (!packed.paths.some((path) => targets.has(path))) continue;
    for (const [i, path] of packed.paths.entries()) packed.paths[i] = targetOf(path, targets);
    write.run(bytesOfViews(packed), day, number);
  }
}

/** 0 is no name. */
function targetOf(path: number, targets: ReadonlyMap<number, number | null>): number {
  const target = targets.get(path);
  return target === undefined ? path : (target ?? 0);
}

interface OpenDay {
  id: number;
  day: number;
  forget_at: number | null;
}

interface SeenRow {
  visitor: bigint;
  visitorKeys: Buffer;
}

const rowsAtATime = 5_000;

/**
 * Moves visitor keys of active days after names were moved to others: a visitor of several names that become one is counted
 * once.
 *
 * @param targets by name; null: none
 */
export function moveSeen(db: Connection, project: number, targets: ReadonlyMap<number, number | null>): void {
  if (targets.size === 0) return;
  const days = db.prepare<[number], OpenDay>(
    'select id, day, forget_at from days where project = ? and salt is not null',
  );
  // The name was counted as several, of which each is a row until they are added up.
  const subtract = db.prepare(
    `${intoCounts} select project, what, parent, ?, ?, id, -?, -?, -?, 0, 0 from names where id = ? and project = ?
     ${orAdd}`,
  );
  for (const day of days.all(project)) {
    for (const [name, { humanVisitors, aiVisitors, visitors }] of rewrite(db, day.id, targets)) {
      for (const { span, day: start } of blocksOf(day.day, { isSealed: day.forget_at !== null }))
        subtract.run(span, start, humanVisitors, aiVisitors, visitors, name, project);
    }
  }
}

/** Answers by how much the visitors of names are too many when they are added up. */
function rewrite(db: Connection, day: number, targets: ReadonlyMap<number, number | null>): Map<number, Sum> {
  const some = db
    .prepare<[number, bigint, number], SeenRow>(
      'select visitor, sightings as visitorKeys from seen where day = ? and visitor >= ? order by visitor limit ?',
    )
    .safeIntegers();
  const write = db.prepare('update seen set sightings = ? where day = ? and visitor = ?');
  const tooMany = new Map<number, Sum>();
  let next = -(2n ** 63n);
  for (;;) {
    const rows = some.all(day, next, rowsAtATime);
    for (const { visitor, visitorKeys } of rows) {
      const moved = moveVisitorKeys(toNumbers(visitorKeys), targets, tooMany);
      if (moved) write.run(new Uint8Array(moved.buffer), day, visitor);
    }
    const end = rows.at(-1);
    if (!end || rows.length < rowsAtATime) return tooMany;
    next = end.visitor + 1n;
  }
}

/** Undefined: none of them is moved. */
function moveVisitorKeys(
  visitorKeys: Uint32Array,
  targets: ReadonlyMap<number, number | null>,
  tooMany: Map<number, Sum>,
): Uint32Array<ArrayBuffer> | undefined {
  if (!visitorKeys.some((visitorKey) => targets.has(Math.floor(visitorKey / 4)))) return undefined;
  const kinds = new Map<number, number>();
  for (const visitorKey of visitorKeys) {
    const name = Math.floor(visitorKey / 4);
    const target = targets.has(name) ? targets.get(name) : name;
    if (target === null || target === undefined) continue;
    const before = kinds.get(target);
    const seen = visitorKey & 3;
    kinds.set(target, (before ?? 0) | seen);
    if (before !== undefined) addTwice(tooMany, target, before & seen);
  }
  return Uint32Array.from(kinds, ([name, seen]) => name * 4 + seen);
}

function addTwice(tooMany: Map<number, Sum>, name: number, kinds: number): void {
  const sum = tooMany.get(name) ?? emptySum();
  tooMany.set(name, sum);
  sum.visitors++;
  if ((kinds & kindBits.human) !== 0) sum.humanVisitors++;
  if ((kinds & kindBits.ai) !== 0) sum.aiVisitors++;
}
