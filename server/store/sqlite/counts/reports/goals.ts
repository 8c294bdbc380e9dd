import type { Statement } from 'better-sqlite3';
import { hasGoals } from '../../../../../shared/project/goals.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { conversionKinds, type GoalSum } from '../../../../counting/goal/goal.ts';
import { wantedText } from '../../../../counting/names/name-search.ts';
import { what } from '../../../../counting/what.ts';
import {
  coverMeasured,
  type KnownGoals,
  measureGoal,
  type PeopleOfDay,
  toFunnelRows,
  toGoalRows,
} from '../../../counts/goal-rows.ts';
import type {
  ConversionQuery,
  ConversionReport,
  FunnelRow,
  GoalRow,
  GoalsQuery,
} from '../../../counts/goals-report.ts';
import type { RangeQuery } from '../../../counts/range-query.ts';
import { type PageOfRows, toPage } from '../../../page.ts';
import type { Connection } from '../../connection.ts';
import { CountedNames } from '../counted-names.ts';
import { KeptVisits } from '../visits/kept-visits.ts';
import type { MeasuredDay } from '../visits/visit-views.ts';
import { contains } from './reports.ts';

interface ProjectRow {
  id: number;
  sealed_through: Day | null;
}

interface Range {
  project: number;
  from: Day;
  to: Day;
}

interface Read extends KnownGoals {
  /** Days that are not sealed. */
  open: MeasuredDay[];
}

type OpenGoals = NonNullable<MeasuredDay['goals']>;

const nothing = { people: 0, conversions: 0, measured: 0, unmeasured: [] };

/** Reports of goals; each reads one snapshot. */
export class Goals {
  readonly #db: Connection;
  readonly #open: KeptVisits;
  readonly #names: CountedNames;
  readonly #project: Statement<[string], ProjectRow>;
  readonly #site: Statement<[Range], PeopleOfDay>;
  readonly #reached: Statement<[Range], KnownGoals['reached'][number]>;
  readonly #rows: Statement<[object], ConversionReport['rows'][number]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#open = KeptVisits.of(db);
    this.#names = new CountedNames(db);
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    const isInRange = 'c.span = 1 and c.day >= @from and c.day < @to';
    const people = 'c.day, c.human_visitors as people, c.human_views as views';
    this.#site = db.prepare(
      `select ${people} from counts c where c.project = @project and c.what = ${what.site} and c.parent = 0 and ${isInRange}
       order by c.day`,
    );
    // cross join: SQLite keeps this order, one seek for the goals and one for each funnel.
    this.#reached = db.prepare(
      `select k.what, k.under, n.text, ${people}
       from (
         select ${what.goal} as what, 0 as parent, null as under
         union all select ${what.funnelStep}, id, text from names where project = @project and what = ${what.funnel} and parent = 0
       ) k cross join counts c on c.project = @project and c.what = k.what and c.parent = k.parent and ${isInRange}
         join names n on n.id = c.name`,
    );
    db.function('contains', { deterministic: true }, contains);
    // cross join: SQLite keeps this order, one seek per block.
    this.#rows = db.prepare(
      `select name, sum(people) as people, sum(conversions) as conversions from (
         select n.text as name, iif(n.parent = 0, s.visitors, 0) as people, iif(n.parent = 0, 0, s.visitors) as conversions
         from (
           select c.name, sum(c.human_visitors) as visitors
           from json_each(@blocks) b cross join (select @reached as what, @goal as parent union all select @began, 0) k
             cross join counts c on c.project = @project and c.what = k.what and c.parent = k.parent
               and c.span = b.value ->> 'span' and c.day = b.value ->> 'day'
           group by c.name) s join names n on n.id = s.name
         union all
         select value ->> 0, value ->> 1, value ->> 2 from json_each(@open))
       where @search is null or contains(name, @search)
       group by name having sum(conversions) > 0
       order by conversions desc, people desc, name limit @limit offset @offset`,
    );
  }

  readGoals(query: GoalsQuery): PageOfRows<GoalRow> {
    return this.#db.transaction(() => {
      const project = this.#project.get(query.projectId);
      return project
        ? toGoalRows(
            this.#read(project, query, (goals) => goals.sums()),
            query,
          )
        : { rows: [], hasMore: false };
    })();
  }

  readFunnels(query: GoalsQuery): PageOfRows<FunnelRow> {
    return this.#db.transaction(() => {
      const project = this.#project.get(query.projectId);
      return project
        ? toFunnelRows(
            this.#read(project, query, (goals) => goals.funnelSums()),
            query,
          )
        : { rows: [], hasMore: false };
    })();
  }

  readConversions(query: ConversionQuery): ConversionReport {
    return this.#db.transaction(() => {
      const project = this.#project.get(query.projectId);
      if (!project) return { totals: nothing, rows: [], hasMore: false };
      const known = this.#read(project, query, (goals) => goals.sums());
      const totals = measureGoal(query.goal, known);
      const isMeasured = (day: Day) => !totals.unmeasured.includes(day);
      const { reached, began } = conversionKinds[query.by];
      const rows = this.#rows.all({
        project: project.id,
        blocks: JSON.stringify(coverMeasured(known, totals.unmeasured, project.sealed_through)),
        ...{ reached, began },
        // No name has this number.
        goal: this.#names.number(project.id, { what: what.goal, text: query.goal }) ?? -1,
        open: JSON.stringify(
          known.open.filter(({ day }) => isMeasured(day)).flatMap((day) => openRows(day, query)),
        ),
        search: query.search === undefined ? null : wantedText(query.search),
        ...{ limit: query.limit + 1, offset: query.offset },
      });
      return { totals, ...toPage(rows, query) };
    })();
  }

  #read(
    { id: project }: ProjectRow,
    { from, to }: RangeQuery,
    sumsOf: (goals: OpenGoals) => GoalSum[],
  ): Read {
    const range = { project, from: from ?? -1e9, to: to ?? 1e9 };
    const aims = this.#open.aimsOf(project);
    const open = hasGoals(aims) ? this.#open.read(project, range.from, range.to, aims) : [];
    const reached = open.flatMap(({ day, goals }) =>
      (goals ? sumsOf(goals) : []).map(({ sum, ...named }) => ({
        ...named,
        day,
        people: sum.humanVisitors,
        views: sum.humanViews,
      })),
    );
    return { aims, open, site: this.#site.all(range), reached: [...reached, ...this.#reached.all(range)] };
  }
}

/** As `[name, people, conversions]`. */
function openRows({ goals }: MeasuredDay, { goal, by }: ConversionQuery): (string | number)[][] {
  const { reached, began } = conversionKinds[by];
  return [...(goals?.sumsBy(by) ?? [])].flatMap(({ what, under, text, sum }) => {
    if (what === began) return [[text, sum.humanVisitors, 0]];
    return what === reached && under === goal ? [[text, 0, sum.humanVisitors]] : [];
  });
}
