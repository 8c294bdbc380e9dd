import { pairNames } from '../../shared/reports/pairs.ts';
import { pathCounters } from '../counting/counter.ts';
import { what } from '../counting/what.ts';
import type { Sql, SqlValue } from '../database/sql.ts';
import {
  addToOthers,
  type CountedProject,
  type CountingEngine,
  type CountTables,
  findProject,
  type Held,
  placeOf,
} from './counting-engine.ts';
import { forgetPages } from './counts/day-cells.ts';
import { forgetImports } from './import-undo.ts';

/** A path that views were counted under, with the number from which listing continues. */
export interface ListedPath {
  id: number;
  path: string;
}

/** The path that the counts of another go to; null: name and counts are deleted. */
export interface PathMove {
  from: string;
  to: string | null;
}

const pathThings = ['path', 'entry', 'exit', 'singlePage', 'goalPath', ...pairNames] as const;

export const pathKinds = `(${pathThings.map((name) => what[name])})`;

/** Lists what a project's paths are called. */
export function pathLists(sql: Sql, tables: CountTables) {
  return {
    /** After this number, in its order; a path may come more than once. */
    list: (projectId: string, after: number, limit: number): Promise<ListedPath[]> =>
      sql.query<ListedPath>(
        `select n.id, n.text as path from names n join projects p on p.id = n.project
         where p.public_id = $1 and n.what in ${pathKinds} and n.id > $2 order by n.id limit $3`,
        [projectId, after, limit],
      ),

    /** Other paths, by text after this one: what sums that are no views name. */
    async listCounted(projectId: string, after: string, limit: number): Promise<string[]> {
      const project = await findProject(sql, tables, projectId);
      if (!project) return [];
      const rows = await sql.query<{ name: string }>(
        `select t.name from tallies t where ${tables.ofProject('t', project)} and t.tally in (${pathCounters}) and t.name > $3
         union
         select name from search_numbers where project = $2 and kind = 'page' and name > $3
         union
         select path from faults where project = $2 and path > $3
         order by name limit $4`,
        [...placeOf(project), after, limit],
      );
      return rows.map(({ name }) => name);
    },
  };
}

/** Changes under which paths it was counted. */
export function paths(sql: Sql, engine: CountingEngine) {
  return {
    /**
     * Adds counts of all days to those of other paths, for the site, for each AI client and for counters that name paths. A
     * visitor of several of them is one visitor where the day's visitors are still known, and several on other days. Answers
     * false where there is no such project.
     */
    move: (projectId: string, moves: readonly PathMove[]): Promise<boolean> =>
      sql.transaction(async (transaction) => {
        const project = await engine.hold(transaction, projectId);
        if (!project) return false;
        const real = new Map<string, PathMove>();
        for (const move of moves)
          if (move.from !== move.to && !real.has(move.from)) real.set(move.from, move);
        if (real.size === 0) return true;
        const held = { sql: transaction, engine, project };
        const list = JSON.stringify([...real.values()]);
        await forgetImports(transaction, project);
        await moveCounters(held, list);
        await moveSearchNumbers(transaction, project, list);
        // Where the counts went, faults are found anew.
        await transaction.query(
          `delete from faults where project = $1 and path ${sql.dialect.isOneOf('$2')}`,
          [project.id, [...real.keys()]],
        );
        const changed = [...real.values()].flatMap(({ from, to }) => (to === null ? [from] : [from, to]));
        await forgetPages(transaction, project, new Set(changed));
        const targets = await findTargets(held, real);
        if (targets.size === 0) return true;
        await engine.moveNames(transaction, project, targets);
        await transaction.query(`delete from names where project = $1 and id ${sql.dialect.isOneOf('$2')}`, [
          project.id,
          [...targets.keys()],
        ]);
        return true;
      }),
  };
}

export type PathStore = ReturnType<typeof pathLists> & ReturnType<typeof paths>;

/** A list of moves as `m`, with types, so that SQLite makes an index of it. */
const asTable = (sql: Sql, moves: string) =>
  `with m as materialized (select cast("from" as text) as "from", cast("to" as text) as "to"
    from ${sql.dialect.rows(moves, { from: 'text', to: 'text' })} x)`;

/** Sums that are no views. */
async function moveCounters({ sql, engine, project }: Held, moves: string): Promise<void> {
  const first = asTable(sql, '$3');
  const values: SqlValue[] = [...placeOf(project), moves];
  const isMoved = `${engine.ofProject('t', project)} and t.tally in (${pathCounters})`;
  const where = `${isMoved} and m."to" is not null`;
  const from = 'join m on m."from" = t.name';
  await addToOthers(sql, engine, { table: 'tallies', to: { name: 'm."to"' }, from, where, first }, values);
  await sql.query(
    `${first} delete from tallies as t where ${isMoved} and t.name in (select "from" from m)`,
    values,
  );
}

const searchSums = ['clicks', 'impressions', 'positions', 'citations'];

/** The numbers of pages from search engines. */
async function moveSearchNumbers(sql: Sql, project: CountedProject, moves: string): Promise<void> {
  const first = asTable(sql, '$2');
  const values = [project.id, moves];
  const place = 'project, tool, kind, first_day, last_day';
  const isPage = `s.project = $1 and s.kind = 'page'`;
  const added = searchSums.map((sum) => `${sum} = n.${sum} + excluded.${sum}`).join(', ');
  await sql.query(
    `${first} insert into search_numbers as n (${place}, name, ${searchSums.join(', ')}, pages)
     select ${place}, m."to", ${searchSums.map((sum) => `sum(${sum})`).join(', ')}, null
     from search_numbers s join m on m."from" = s.name where ${isPage} and m."to" is not null
     group by ${place}, m."to" on conflict (${place}, name) do update set ${added}`,
    values,
  );
  await sql.query(
    `${first} delete from search_numbers as s where ${isPage} and s.name in (select "from" from m)`,
    values,
  );
}

/** The names to move, each with the one to move it to. */
async function findTargets(
  { sql, engine, project }: Held,
  moves: ReadonlyMap<string, PathMove>,
): Promise<Map<number, number | null>> {
  const found = await sql.query<{ id: number; what: number; parent: number; text: string }>(
    `select id, what, parent, text from names
     where project = $1 and what in ${pathKinds} and text ${sql.dialect.isOneOf('$2')} order by id`,
    [project.id, [...moves.keys()]],
  );
  const named = found.flatMap(({ text, ...name }) => {
    const to = moves.get(text)?.to ?? null;
    return to === null ? [] : [{ ...name, text: to }];
  });
  const ids = await engine.findOrAddNames(sql, project, named);
  const targets = new Map(named.map(({ id }, i) => [id, ids[i] as number]));
  return new Map(found.map(({ id }) => [id, targets.get(id) ?? null]));
}
