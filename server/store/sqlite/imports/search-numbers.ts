import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../counting/calendar.ts';
import {
  isSameRows,
  type SearchDay,
  type SearchDaysQuery,
  type SearchNameRow,
  type SearchNamesOf,
  type SearchPeriod,
  type SearchRow,
} from '../../search-store.ts';
import type { Connection } from '../connection.ts';

type Range = { projectId: string; from: Day; to: Day };
type NamesQuery = Omit<SearchNamesOf, 'chosen'> & { chosen: string };

const ofProject = 'project = (select id from projects where public_id = @projectId)';
const ofPeriod =
  'project = @project and tool = @tool and kind = @kind and first_day = @from and last_day = @to';
const numbers = 'clicks, impressions, positions, citations, pages';

/** What search engines tell, as it was imported. */
export class SearchNumbersKeeper {
  readonly #db: Connection;
  readonly #project: Statement<[string], number>;
  readonly #rows: Statement<[SearchPeriod & { project: number }], SearchRow>;
  readonly #delete: Statement<[SearchPeriod & { project: number }]>;
  readonly #add: Statement<[SearchPeriod & SearchRow & { project: number }]>;
  readonly #periods: Statement<[Range], SearchPeriod>;
  readonly #days: Statement<[Range], SearchDay>;
  readonly #names: Statement<[NamesQuery], SearchNameRow>;
  readonly #toolPeriods: Statement<[{ projectId: string; tool: string }], number>;
  readonly #removeTool: Statement<[{ projectId: string; tool: string }]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare<[string], number>('select id from projects where public_id = ?').pluck();
    this.#rows = db.prepare(`select name, ${numbers} from search_numbers where ${ofPeriod} order by name`);
    this.#delete = db.prepare(`delete from search_numbers where ${ofPeriod}`);
    this.#add = db.prepare(
      `insert into search_numbers (project, tool, kind, first_day, last_day, name, ${numbers})
       values (@project, @tool, @kind, @from, @to, @name, @clicks, @impressions, @positions, @citations, @pages)`,
    );
    const inRange = `${ofProject} and last_day >= @from and first_day < @to`;
    this.#periods = db.prepare(
      `select distinct tool, kind, first_day as "from", last_day as "to" from search_numbers where ${inRange}
       order by tool, kind, last_day, first_day`,
    );
    this.#days = db.prepare(
      `select tool, last_day as day, ${numbers} from search_numbers
       where ${inRange} and kind = 'site' and first_day = last_day order by last_day, tool`,
    );
    this.#names = db.prepare(
      `with chosen as (
         select value ->> 'tool' as tool, value ->> 'from' as "from", value ->> 'to' as "to", value ->> 'isByDay' as by_day
         from json_each(@chosen)
       )
       select n.tool, n.name, c."from", c."to", sum(clicks) as clicks, sum(n.citations) as citations,
         sum(case when positions is null then 0 else impressions end) as placed, sum(impressions) as impressions,
         sum(positions) as positions
       from chosen c cross join search_numbers n on n.tool = c.tool and n.kind = @kind
         and n.last_day between c."from" and c."to"
         and iif(c.by_day, n.first_day = n.last_day, n.first_day = c."from" and n.last_day = c."to")
       where n.${ofProject}
       group by n.tool, n.name
       order by sum(clicks) desc, sum(n.citations) desc, sum(impressions) desc, n.name, n.tool limit @limit offset @offset`,
    );
    this.#toolPeriods = db
      .prepare<[{ projectId: string; tool: string }], number>(
        `select count(*) from (
           select distinct kind, first_day, last_day from search_numbers where ${ofProject} and tool = @tool)`,
      )
      .pluck();
    this.#removeTool = db.prepare(`delete from search_numbers where ${ofProject} and tool = @tool`);
  }

  setPeriod(
    projectId: string,
    period: SearchPeriod,
    rows: SearchRow[],
  ): 'added' | 'same' | 'replaced' | 'gone' {
    return this.#db
      .transaction(() => {
        const project = this.#project.get(projectId);
        if (project === undefined) return 'gone';
        const place = { ...period, project };
        const known = this.#rows.all(place);
        if (isSameRows(known, rows)) return 'same';
        this.#delete.run(place);
        for (const row of rows) this.#add.run({ ...place, ...row });
        return known.length > 0 ? 'replaced' : 'added';
      })
      .immediate();
  }

  listPeriods(query: SearchDaysQuery): SearchPeriod[] {
    return this.#periods.all(bounded(query));
  }

  listDays(query: SearchDaysQuery): SearchDay[] {
    return this.#days.all(bounded(query));
  }

  listNames({ chosen, ...query }: SearchNamesOf): SearchNameRow[] {
    return this.#names.all({ ...query, chosen: JSON.stringify(chosen) });
  }

  removeTool(projectId: string, tool: string): number {
    return this.#db
      .transaction(() => {
        const periods = this.#toolPeriods.get({ projectId, tool }) ?? 0;
        this.#removeTool.run({ projectId, tool });
        return periods;
      })
      .immediate();
  }
}

const bounded = ({ projectId, from, to }: SearchDaysQuery): Range => ({
  projectId,
  from: from ?? -1e9,
  to: to ?? 1e9,
});
