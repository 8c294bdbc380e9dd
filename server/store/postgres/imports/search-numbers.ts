import {
  isSameRows,
  type SearchDay,
  type SearchDaysQuery,
  type SearchNameRow,
  type SearchNamesOf,
  type SearchPeriod,
  type SearchRow,
  type SearchStore,
} from '../../search-store.ts';
import type { Database } from '../database.ts';

const numbers = 'clicks, impressions, positions, citations, pages';
const inRange = `project = (select id from projects where public_id = $1)
  and last_day >= coalesce($2::int, last_day) and first_day < coalesce($3::int, first_day + 1)`;

/** What search engines tell, as it was imported. */
export class SearchNumbersKeeper implements SearchStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  setPeriod(
    projectId: string,
    { tool, kind, from, to }: SearchPeriod,
    rows: SearchRow[],
  ): Promise<'added' | 'same' | 'replaced' | 'gone'> {
    return this.#database.transaction(async (db) => {
      // Whoever takes in the same at the same time waits.
      const [project] = await db.query<{ id: number }>(
        'select id from projects where public_id = $1 for no key update',
        [projectId],
      );
      if (!project) return 'gone';
      const place = [project.id, tool, kind, from, to];
      const ofPeriod = 'project = $1 and tool = $2 and kind = $3 and first_day = $4 and last_day = $5';
      const known = await db.query<SearchRow>(
        `select name, ${numbers} from search_numbers where ${ofPeriod}`,
        place,
      );
      if (isSameRows(known, rows)) return 'same';
      await db.query(`delete from search_numbers where ${ofPeriod}`, place);
      await db.query(
        `insert into search_numbers (project, tool, kind, first_day, last_day, name, ${numbers})
         select $1::int, $2::text, $3::text, $4::int, $5::int, name, ${numbers}
         from json_to_recordset($6::json) as r (name text, clicks bigint, impressions bigint, positions bigint,
           citations bigint, pages bigint)`,
        [...place, JSON.stringify(rows)],
      );
      return known.length > 0 ? 'replaced' : 'added';
    });
  }

  listPeriods({ projectId, from, to }: SearchDaysQuery): Promise<SearchPeriod[]> {
    return this.#database.query<SearchPeriod>(
      `select distinct tool, kind, first_day as "from", last_day as "to" from search_numbers where ${inRange}
       order by tool, kind, last_day, first_day`,
      [projectId, from, to],
    );
  }

  listDays({ projectId, from, to }: SearchDaysQuery): Promise<SearchDay[]> {
    return this.#database.query<SearchDay>(
      `select tool, last_day as day, ${numbers} from search_numbers
       where ${inRange} and kind = 'site' and first_day = last_day order by last_day, tool`,
      [projectId, from, to],
    );
  }

  listNames({ projectId, kind, chosen, limit, offset }: SearchNamesOf): Promise<SearchNameRow[]> {
    return this.#database.query<SearchNameRow>(
      `select n.tool, n.name, c."from", c."to", sum(clicks) as clicks, sum(n.citations) as citations,
         sum(case when positions is null then 0 else impressions end) as placed, sum(impressions) as impressions,
         sum(positions) as positions
       from json_to_recordset($3::json) as c (tool text, "from" int, "to" int, "isByDay" boolean)
         join search_numbers n on n.tool = c.tool and n.last_day between c."from" and c."to"
           and case when c."isByDay" then n.first_day = n.last_day
             else n.first_day = c."from" and n.last_day = c."to" end
       where n.project = (select id from projects where public_id = $1) and n.kind = $2
       group by n.tool, n.name, c."from", c."to"
       order by sum(clicks) desc, sum(n.citations) desc, sum(impressions) desc, n.name, n.tool limit $4 offset $5`,
      [projectId, kind, JSON.stringify(chosen), limit, offset],
    );
  }

  removeTool(projectId: string, tool: string): Promise<number> {
    return this.#database.transaction(async (db) => {
      const gone = await db.query<{ periods: number }>(
        `with gone as (
           delete from search_numbers
           where project = (select id from projects where public_id = $1) and tool = $2 returning kind, first_day, last_day)
         select count(distinct (kind, first_day, last_day)) as periods from gone`,
        [projectId, tool],
      );
      return gone[0]?.periods ?? 0;
    });
  }
}
