import type { Statement } from 'better-sqlite3';
import { coverDays } from '../../../../counting/blocks.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { wantedText } from '../../../../counting/names/name-search.ts';
import { orderOfNames } from '../../../../counting/visit.ts';
import { what } from '../../../../counting/what.ts';
import { type FlatVisits, noVisits, toVisitCounts } from '../../../counts/analytics-rows.ts';
import type { CountOrder, VisitPagesQuery, VisitPagesReport } from '../../../counts/analytics-store.ts';
import { toPage } from '../../../page.ts';
import type { Connection } from '../../connection.ts';
import { KeptVisits } from '../visits/kept-visits.ts';
import { addOpen, addPage, openPages, type VisitSums } from '../visits/open-pages.ts';
import { Largest } from './largest.ts';
import { contains } from './reports.ts';

interface ProjectRow {
  id: number;
  sealed_through: Day | null;
}

interface Sealed {
  project: number;
  /** What pages are counted by. */
  what: number;
  /** A JSON list of `{span, day}`. */
  blocks: string;
  /** The only one that is asked for. */
  path: string | null;
}

type SealedPages = Sealed & { search: string | null };

const orders: Record<CountOrder, { sql: string; size: (page: FlatVisits) => number }> = {
  total: { sql: 'total desc', size: ({ total }) => total },
  human: { sql: 'human desc, total desc', size: ({ human }) => human },
  ai: { sql: 'ai desc, total desc', size: ({ ai }) => ai },
  aiShare: {
    sql: '(ai + 1.0) / (human + 1) desc, total desc',
    size: ({ human, ai }) => (ai + 1) / (human + 1),
  },
};

/** cross join: SQLite keeps this order, one seek per block. */
const sealed = (kind: string) =>
  `from json_each(@blocks) b cross join (select ${kind} as what union all select ${what.singlePage}) k
     cross join counts c on c.project = @project and c.what = k.what and c.parent = 0
       and c.span = b.value ->> 'span' and c.day = b.value ->> 'day'`;

/** Sums of what is so, under these names. */
const sumsOf = (is: string, human: string, ai: string, total: string) =>
  `coalesce(sum(iif(${is}, c.human_visitors, 0)), 0) as ${human}, coalesce(sum(iif(${is}, c.ai_visitors, 0)), 0) as ${ai},
   coalesce(sum(iif(${is}, c.visitors, 0)), 0) as ${total}`;

const isSingle = `c.what = ${what.singlePage}`;
const visitSums = `${sumsOf(`not ${isSingle}`, 'human', 'ai', 'total')}, ${sumsOf(isSingle, 'singleHuman', 'singleAi', 'singleTotal')}`;

const sealedPages = `
  select path, sum(human) as human, sum(ai) as ai, sum(total) as total,
    sum(singleHuman) as singleHuman, sum(singleAi) as singleAi, sum(singleTotal) as singleTotal
  from (select n.text as path, s.* from (select c.name, ${visitSums} ${sealed('@what')} group by c.name) s join names n on n.id = s.name)
  where (@path is null or path = @path) and (@search is null or contains(path, @search))
  group by path`;

/** Reports of the pages on which visits began and ended; each reads one snapshot. */
export class VisitPages {
  readonly #db: Connection;
  readonly #open: KeptVisits;
  readonly #project: Statement<[string], ProjectRow>;
  readonly #views: Statement<[{ project: number; from: Day; to: Day }], { day: Day; isMeasured: 0 | 1 }>;
  readonly #totals: Statement<[Sealed], VisitSums>;
  readonly #sealedPages: Statement<[SealedPages], FlatVisits>;

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
      `select ${visitSums} ${sealed(`iif(@path is null, ${what.visit}, @what)`)}
       where @path is null or c.name in (
         select id from names where project = @project and what in (@what, ${what.singlePage}) and parent = 0 and text = @path)`,
    );
    db.function('contains', { deterministic: true }, contains);
    this.#sealedPages = db.prepare(sealedPages);
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
        path: query.filter?.path ?? null,
      };
      const isWanted = ({ path }: FlatVisits) => values.path === null || path === values.path;
      const pages = openPages(open, query.of).filter(isWanted);
      const totals = this.#totals.get(values) as VisitSums;
      addOpen(totals, pages, values.path === null ? open : undefined);
      return {
        totals: toVisitCounts(totals),
        ...toPage(this.#rows(values, pages, query), query),
        unmeasured: days
          .filter(({ day, isMeasured }) => !isMeasured && !isOpen.has(day))
          .map(({ day }) => day),
      };
    })();
  }

  /** One row more than is wanted. */
  #rows(values: Sealed, open: readonly FlatVisits[], query: VisitPagesQuery) {
    const { order = 'total', search, limit, offset } = query;
    const wanted = search === undefined ? null : wantedText(search);
    const asked = { ...values, search: wanted };
    const found =
      open.length === 0
        ? this.#firstSealed(order).all({ ...asked, limit: limit + 1, offset })
        : this.#merge(asked, open, order, offset + limit + 1).slice(offset);
    return found.map(({ path, ...counts }) => ({ path, ...toVisitCounts(counts) }));
  }

  #firstSealed(order: CountOrder): Statement<[SealedPages & { limit: number; offset: number }], FlatVisits> {
    // Added up in a table of its own: beside the rows themselves, their names would stand for those and not for the sums.
    return this.#db.prepare(
      `select * from (${sealedPages}) where total > 0 order by ${orders[order].sql}, path limit @limit offset @offset`,
    );
  }

  /** The first pages of sealed and open days together. */
  #merge(asked: SealedPages, open: readonly FlatVisits[], order: CountOrder, count: number): FlatVisits[] {
    const { search } = asked;
    const isWanted = ({ path }: FlatVisits) => search === null || contains(path, search) === 1;
    const pages = new Map(open.filter(isWanted).map((page) => [page.path, page]));
    const largest = new Largest(count, orderBy(orders[order].size));
    for (const page of this.#sealedPages.iterate(asked)) {
      const known = pages.get(page.path);
      if (known) addPage(known, page);
      else if (page.total > 0) largest.add(page);
    }
    for (const page of pages.values()) if (page.total > 0) largest.add(page);
    return largest.rows();
  }
}

function orderBy(size: (page: FlatVisits) => number) {
  return (one: FlatVisits, other: FlatVisits) =>
    size(other) - size(one) || other.total - one.total || orderOfNames(one.path, other.path);
}
