import type { Statement } from 'better-sqlite3';
import { coverDays } from '../../../../counting/blocks.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { wantedText } from '../../../../counting/names/name-search.ts';
import { what } from '../../../../counting/what.ts';
import { type FlatVisits, noVisits, toVisitCounts } from '../../../counts/analytics-rows.ts';
import type { CountOrder, VisitPagesQuery, VisitPagesReport } from '../../../counts/analytics-store.ts';
import { toPage } from '../../../page.ts';
import type { Connection } from '../../connection.ts';
import { KeptVisits } from '../visits/kept-visits.ts';
import { namedVisits } from '../visits/sealed-visits.ts';
import type { MeasuredDay } from '../visits/visit-views.ts';
import { contains } from './reports.ts';

interface ProjectRow {
  id: number;
  sealed_through: Day | null;
}

interface Values {
  project: number;
  /** What pages are counted by. */
  what: number;
  /** JSON lists: of `{span, day}`, and of what sealed days do not have, `[what, path, human, ai, total]`. */
  blocks: string;
  open: string;
  /** The only one that is asked for. */
  path: string | null;
}

const orders: Record<CountOrder, string> = {
  total: 'total desc',
  human: 'human desc, total desc',
  ai: 'ai desc, total desc',
  aiShare: '(ai + 1.0) / (human + 1) desc, total desc',
};

/** cross join: SQLite keeps this order, one seek per block. */
const sums = `
  select n.text as path, s.* from (
    select c.what, c.name, sum(c.human_visitors) as h, sum(c.ai_visitors) as a, sum(c.visitors) as t
    from json_each(@blocks) b cross join (select @what as what union all select ${what.singlePage} union all select ${what.visit}) k
      cross join counts c on c.project = @project and c.what = k.what and c.parent = 0
        and c.span = b.value ->> 'span' and c.day = b.value ->> 'day'
    group by c.what, c.name) s join names n on n.id = s.name
  union all
  select value ->> 1, value ->> 0, null, value ->> 2, value ->> 3, value ->> 4 from json_each(@open)`;

/** Sums of what is so, under these names. */
const sumsOf = (is: string, human: string, ai: string, total: string) =>
  `coalesce(sum(iif(${is}, h, 0)), 0) as ${human}, coalesce(sum(iif(${is}, a, 0)), 0) as ${ai},
   coalesce(sum(iif(${is}, t, 0)), 0) as ${total}`;

const single = sumsOf(`what = ${what.singlePage}`, 'singleHuman', 'singleAi', 'singleTotal');

/** Reports of the pages on which visits began and ended; each reads one snapshot. */
export class VisitPages {
  readonly #db: Connection;
  readonly #open: KeptVisits;
  readonly #project: Statement<[string], ProjectRow>;
  readonly #views: Statement<[{ project: number; from: Day; to: Day }], { day: Day; isMeasured: 0 | 1 }>;
  readonly #totals: Statement<[Values], Omit<FlatVisits, 'path'>>;

  constructor(db: Connection) {
    this.#db = db;
    this.#open = KeptVisits.of(db);
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#views = db.prepare(
      `select s.day, s.human_views + s.ai_views = coalesce((
         select sum(v.human_views + v.ai_views) from counts v
         where v.project = @project and v.what = ${what.visit} and v.parent = 0 and v.span = 1 and v.day = s.day), 0) as isMeasured
       from counts s where s.project = @project and s.what = ${what.site} and s.parent = 0 and s.span = 1
         and s.day >= @from and s.day < @to order by s.day`,
    );
    this.#totals = db.prepare(
      `select ${sumsOf(`what = iif(@path is null, ${what.visit}, @what)`, 'human', 'ai', 'total')}, ${single}
       from (${sums}) where @path is null or path = @path`,
    );
    db.function('contains', { deterministic: true }, contains);
  }

  readVisitPages(query: VisitPagesQuery): VisitPagesReport {
    return this.#db.transaction(() => {
      const project = this.#project.get(query.projectId);
      const range = { from: query.from ?? -1e9, to: query.to ?? 1e9 };
      const days = project ? this.#views.all({ project: project.id, ...range }) : [];
      if (!project || days.length === 0) return noVisits;
      const aims = this.#open.aimsOf(project.id);
      const open = this.#open.read(project.id, range.from, range.to, aims);
      const isOpen = new Set(open.map(({ day }) => day));
      const first = (days[0] as { day: Day }).day;
      const end = (days.at(-1) as { day: Day }).day + 1;
      const values = {
        project: project.id,
        what: what[query.of],
        blocks: JSON.stringify(coverDays(first, end, project.sealed_through, { sealsAtOnce: true })),
        open: JSON.stringify(open.flatMap(rowsOf)),
        path: query.filter?.path ?? null,
      };
      return {
        totals: toVisitCounts(this.#totals.get(values) as Omit<FlatVisits, 'path'>),
        ...toPage(this.#rows(values, query), query),
        unmeasured: days
          .filter(({ day, isMeasured }) => !isMeasured && !isOpen.has(day))
          .map(({ day }) => day),
      };
    })();
  }

  #rows(values: Values, { order = 'total', search, limit, offset }: VisitPagesQuery) {
    const rows = this.#db.prepare<[object], FlatVisits>(
      `select path, ${sumsOf('what = @what', 'human', 'ai', 'total')}, ${single} from (${sums})
       where what <> ${what.visit} and (@path is null or path = @path) and (@search is null or contains(path, @search))
       group by path having total > 0 order by ${orders[order]}, path limit @limit offset @offset`,
    );
    const found = rows.all({
      ...values,
      ...{ search: search === undefined ? null : wantedText(search) },
      ...{ limit: limit + 1, offset },
    });
    return found.map(({ path, ...counts }) => ({ path, ...toVisitCounts(counts) }));
  }
}

function rowsOf(day: MeasuredDay): (number | string)[][] {
  return [...namedVisits(day)].map(({ what, text, sum }) => [
    what,
    text,
    sum.humanVisitors,
    sum.aiVisitors,
    sum.visitors,
  ]);
}
