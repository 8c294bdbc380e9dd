import type { Count } from '../../../../shared/reports/analytics.ts';
import { pageTest } from '../../../counting/condition.ts';
import { searchableText, wantedText } from '../../../counting/names/name-search.ts';
import { what } from '../../../counting/what.ts';
import type { ColumnType, Sql, SqlValue } from '../../../database/sql.ts';
import { toPage } from '../../page.ts';
import type { VisitCounts, VisitPagesQuery, VisitPagesReport } from '../analytics-store.ts';
import {
  addTo,
  type BlockRange,
  blocksIn,
  type OpenVisits,
  placeOf,
  type ReportTables,
  readBlocks,
} from '../count-tables.ts';
import { findMembers, findPages, type Member } from '../renamed.ts';
import { orders } from './counts.ts';

const sumNames = ['human', 'ai', 'total', 'singleHuman', 'singleAi', 'singleTotal'] as const;

type VisitSums = Record<(typeof sumNames)[number], number>;
type PageSums = VisitSums & { path: string };

const isSingle = `c.what = ${what.singlePage}`;
const termOf = (column: string, is: string) => `coalesce(sum(c.${column}) filter (where ${is}), 0)`;
/** Of visits, and of those of one page alone. */
const terms = [`not ${isSingle}`, isSingle].flatMap((is) =>
  ['human_visitors', 'ai_visitors', 'visitors'].map((column) => termOf(column, is)),
);
const sums = sumNames.map((name, i) => `cast(${terms[i]} as bigint) as "${name}"`).join(', ');
const columns = sumNames.map((name) => `"${name}"`).join(', ');
const addedUp = sumNames.map((name) => `cast(sum("${name}") as bigint) as "${name}"`).join(', ');

/** Of the kind and of visits of one page, whose names are others. */
interface Named {
  ids: number[];
  is(path: string): boolean;
}

/** Which pages of visits are read. */
interface Kind {
  kind: number;
  members: readonly Member[];
  named: Named | undefined;
}

/** Pages on which visits began, or ended; each report reads one snapshot. */
export function visitReports(sql: Sql, tables: ReportTables) {
  const { dialect } = sql;
  const blocks = blocksIn(sql, '$3');

  /** Of sealed days. */
  async function readTotals(range: BlockRange, { kind, named }: Kind): Promise<VisitSums> {
    const { project } = range;
    const values = [...placesOf(range), named ? kind : what.visit];
    let is = `c.what in ($4, ${what.singlePage}) and c.parent = 0`;
    if (named) {
      values.push(named.ids);
      is += ` and c.name ${dialect.isOneOf('$5')}`;
    }
    const counts = tables.counts(project, { from: blocks, is, waits: false });
    const [totals] = await range.sql.query<VisitSums>(`select ${sums} from ${counts} c`, values);
    return totals as VisitSums;
  }

  /** Pages that are asked for; undefined: all. */
  async function findNamed(
    range: BlockRange,
    { kind, members }: Omit<Kind, 'named'>,
    { filter, pages }: VisitPagesQuery,
  ): Promise<Named | undefined> {
    const path = filter?.path;
    if (pages) {
      const is = pageTest(pages, range.project.renamed);
      const names = await findPages(range, [kind, what.singlePage]);
      return { is, ids: names.flatMap((one) => (is(one.path) ? [one.id] : [])) };
    }
    if (path === undefined) return undefined;
    const isNamed = `what in ($2, ${what.singlePage}) and parent = 0 and ${tables.isText('text', '$3')}`;
    const names = await range.sql.query<{ id: number }>(
      `select id from names where project = $1 and ${isNamed}`,
      [range.project.id, kind, path],
    );
    const moved = new Map(members.map((one) => [one.id, one.path]));
    const own = names.map(({ id }) => id).filter((id) => !moved.has(id));
    const ids = [...own, ...[...moved].flatMap(([id, to]) => (to === path ? [id] : []))];
    return { is: (name) => name === path, ids };
  }

  /** Of all days; one row more than is wanted. */
  async function readRows(
    range: BlockRange,
    { kind, members, named, open }: Kind & { open: readonly PageSums[] },
    { search, order = 'total', limit, offset }: VisitPagesQuery,
  ): Promise<PageSums[]> {
    const { project } = range;
    const wanted = search === undefined ? undefined : wantedText(search);
    const isOf = (path: string) =>
      (wanted === undefined || searchableText(path).includes(wanted)) && (named?.is(path) ?? true);
    const values = [...placesOf(range), kind, JSON.stringify(open.filter(({ path }) => isOf(path)))];
    const given = addTo(values);
    const isWanted = [
      ...(named ? [`n.id ${dialect.isOneOf(given(named.ids))}`] : []),
      ...(wanted === undefined ? [] : [tables.contains('n', given(wanted))]),
    ];
    const is = `c.what in ($4, ${what.singlePage}) and c.parent = 0`;
    const counts = tables.counts(project, { from: blocks, is, waits: false });
    const renamed = members.map(({ id, path }) => ({ id, path, wanted: isOf(path) ? 1 : 0 }));
    const others = dialect.rows(given(JSON.stringify(renamed)), { id: 'int', path: 'text', wanted: 'int' });
    return range.sql.query<PageSums>(
      // Added up in a table of its own, as the names of the sums are also names of columns of the rows.
      `select * from (
         select path, ${addedUp} from (
           select coalesce(m.path, n.text) as path, ${columns}
           from (select c.name, ${sums} from ${counts} c group by c.name) s
             cross join names n left join ${others} m on m.id = n.id
           where ${['n.project = $2', 'n.id = s.name', `(m.wanted = 1 or (m.id is null ${isWanted.map((one) => `and ${one}`).join(' ')}))`].join(' and ')}
           union all
           select path, ${columns} from ${dialect.rows('$5', openColumns)} o) x
         group by path) p
       where total > 0 order by ${orders[order]}, path limit ${given(limit + 1)} offset ${given(offset)}`,
      values,
    );
  }

  return {
    readVisitPages(query: VisitPagesQuery): Promise<VisitPagesReport> {
      return readBlocks(sql, tables, query, noVisits, async (range) => {
        const { sums, unmeasured } = await tables.openVisits(range.sql, range.project, range, query.of);
        const kind = what[query.of];
        const { renamed } = range.project;
        const members = await findMembers(range, [kind, what.singlePage]);
        const named = await findNamed(range, { kind, members }, query);
        const pages = pagesOf(sums, kind, renamed).filter(({ path }) => named?.is(path) ?? true);
        const totals = await readTotals(range, { kind, members, named });
        for (const page of pages) add(totals, named ? page : { ...page, ...nobody });
        if (!named) for (const sum of sums) if (sum.what === what.visit) add(totals, toSums(sum));
        const rows = await readRows(range, { kind, members, named, open: pages }, query);
        return {
          totals: toVisitCounts(totals),
          ...toPage(
            rows.map(({ path, ...sums }) => ({ path, ...toVisitCounts(sums) })),
            query,
          ),
          unmeasured,
        };
      });
    },
  };
}

const openColumns: Record<string, ColumnType> = {
  path: 'text',
  ...Object.fromEntries(sumNames.map((name) => [name, 'bigint'])),
};

/** `$1` to `$3`. */
function placesOf({ project, blocks }: BlockRange): SqlValue[] {
  return [...placeOf(project), JSON.stringify(blocks)];
}

const nobody: Count = { human: 0, ai: 0, total: 0 };
const noSums: VisitSums = { ...nobody, singleHuman: 0, singleAi: 0, singleTotal: 0 };

/** Of days that are not sealed. */
function pagesOf(
  sums: readonly OpenVisits[],
  kind: number,
  renamed: ((path: string) => string) | null,
): PageSums[] {
  const pages = new Map<string, PageSums>();
  for (const sum of sums) {
    if (sum.what !== kind && sum.what !== what.singlePage) continue;
    const path = renamed?.(sum.text) ?? sum.text;
    const page = pages.get(path) ?? { path, ...noSums };
    pages.set(path, page);
    add(page, toSums(sum));
  }
  return [...pages.values()];
}

function toSums({ what: of, human_visitors, ai_visitors, visitors }: OpenVisits): VisitSums {
  return of === what.singlePage
    ? { ...noSums, singleHuman: human_visitors, singleAi: ai_visitors, singleTotal: visitors }
    : { ...noSums, human: human_visitors, ai: ai_visitors, total: visitors };
}

function add(to: VisitSums, more: VisitSums): void {
  for (const name of sumNames) to[name] += more[name];
}

function toVisitCounts({ human, ai, total, ...single }: VisitSums): VisitCounts {
  const { singleHuman, singleAi, singleTotal } = single;
  return { human, ai, total, singlePage: { human: singleHuman, ai: singleAi, total: singleTotal } };
}

const noVisits: VisitPagesReport = {
  ...{ totals: toVisitCounts(noSums), rows: [], hasMore: false },
  unmeasured: [],
};
