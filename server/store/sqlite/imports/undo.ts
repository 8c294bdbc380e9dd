import type { Sql } from '../../../database/sql.ts';
import { toNumbers } from '../../counts/visitors/sightings.ts';
import type { KeptViews, NameCount, UndoEngine } from '../../import-undo.ts';
import type { Connection } from '../connection.ts';
import { PendingCounts } from '../counts/pending-counts.ts';
import { Seen } from '../counts/visitors/seen.ts';
import { unpackViews } from '../counts/visits/packed-views.ts';

/** How SQLite keeps what an import added. */
export function sqliteUndo(db: Connection): UndoEngine {
  return {
    hold: async (sql, projectId) => {
      // Sorts all sightings into `seen`, and tells everybody who holds names or sightings in memory to read them again.
      new Seen(db).begin();
      new PendingCounts(db).merge();
      const [project] = await sql.query<{ id: number }>('select id from projects where public_id = $1', [
        projectId,
      ]);
      return project;
    },
    findDay: async (sql, project, day) => {
      const [row] = await sql.query<{ id: number; isSealed: number }>(
        `select id, forget_at is not null as "isSealed" from days where project = $1 and day = $2 and salt is not null`,
        [project.id, day],
      );
      return row && { id: row.id, isSealed: row.isSealed === 1 };
    },
    readCounts: async (sql, project, day) => {
      const kinds = await sql.query<{ what: number; parent: number }>(
        `select 0 as what, 0 as parent union select distinct what, parent from names where project = $1`,
        [project.id],
      );
      const rows: NameCount[] = [];
      for (const { what, parent } of kinds) {
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
    lower: async (sql, project, table, day, rows) => {
      for (const { key, by } of rows) {
        const keys = Object.keys(key).map((name, i) => `${name} = $${i + 3}`);
        const sums = Object.keys(by);
        const first = sums[0] as string;
        const from = keys.length + 3;
        const where = `where project = $1 and day = $2 and ${keys.join(' and ')}`;
        const set = sums.map((name, i) => `${name} = ${name} - $${from + i}`).join(', ');
        const place = [project.id, day, ...Object.values(key)];
        await sql.query(`update ${table} set ${set} ${where}`, [...place, ...Object.values(by)]);
        await sql.query(`delete from ${table} ${where} and ${first} <= 0`, place);
      }
    },
    readViews: (_sql, _project, { id }) => readViews(db, id),
    removeViews: async (sql, _project, day, log) => {
      await sql.query('delete from visit_views where day = $1 and log = $2', [day.id, log]);
    },
    readSeen: async (sql, _project, day, visitors) => {
      const seen = new Map<bigint, ArrayLike<number>>();
      for (const visitor of visitors) {
        const [row] = await sql.query<{ sightings: Buffer }>(
          'select sightings from seen where day = $1 and visitor = $2',
          [day.id, visitor],
        );
        if (row) seen.set(visitor, toNumbers(row.sightings));
      }
      return seen;
    },
    writeSeen: (sql, _project, day, seen) => writeSeen(sql, day.id, seen),
  };
}

function* readViews(db: Connection, day: number): Iterable<KeptViews> {
  const rows = db
    .prepare<[number], { log: number | null; views: Buffer }>(
      'select log, views from visit_views where day = ? order by number',
    )
    .all(day);
  for (const { log, views } of rows) {
    const { visitors, moments, paths } = unpackViews(views);
    yield { log, visitors, kinds: moments.map((moment) => moment & 3), paths };
  }
}

async function writeSeen(sql: Sql, day: number, seen: ReadonlyMap<bigint, readonly number[]>): Promise<void> {
  for (const [visitor, sightings] of seen) {
    if (sightings.length === 0)
      await sql.query('delete from seen where day = $1 and visitor = $2', [day, visitor]);
    else
      await sql.query('update seen set sightings = $3 where day = $1 and visitor = $2', [
        day,
        visitor,
        new Uint8Array(Uint32Array.from(sightings).buffer),
      ]);
  }
}
