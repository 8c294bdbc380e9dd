import type { Count, Measure } from '../../../../shared/reports/analytics.ts';
import type { CombinedCount } from '../../../../shared/reports/replies.ts';
import { isNothing } from '../../../counting/cells/question.ts';
import { searchableText, wantedText } from '../../../counting/names/name-search.ts';
import {
  type NamedText,
  type RowsBy,
  type RowsOf,
  rowsBy,
  type Selected,
  sumOf,
} from '../../../counting/selection.ts';
import { splitClient, what } from '../../../counting/what.ts';
import type { Sql, SqlValue } from '../../../database/sql.ts';
import { type PageOfRows, toPage } from '../../page.ts';
import type {
  ClientCounts,
  ClientPathRow,
  ClientPathsQuery,
  ClientRow,
  CountOrder,
  CountQuery,
  CountReport,
  EventQuery,
  EventReport,
  EventRow,
  LandingRow,
  NamedQuery,
  RowChoice,
} from '../analytics-store.ts';
import {
  addTo,
  type BlockRange,
  blocksIn,
  findCounted,
  findNumber,
  findNumbers,
  placeOf,
  type ReportTables,
  readBlocks,
} from '../count-tables.ts';
import { findWanted, type Joined, readJoined } from '../renamed.ts';
import { toCount } from './combined.ts';

/** What is added up of a row `c` of counts, by the name of the sum. */
type Terms = Readonly<Record<string, string>>;

/** What is read of each row, and in which order. */
interface Form {
  terms: Terms;
  order: string;
  /** The same of a page that has several names, with its bounds; left out: no row is a page. */
  of?: (counts: CombinedCount) => { sums: Record<string, number | null>; bounds: object | undefined };
}

/** A query of rows, with what they may be limited to. */
type Selecting = Omit<ClientPathsQuery, 'filter'> & RowChoice & { filter?: Selected | undefined };

const terms: Record<Measure, Terms> = {
  visitors: { human: 'c.human_visitors', ai: 'c.ai_visitors', total: 'c.visitors' },
  views: { human: 'c.human_views', ai: 'c.ai_views', total: 'c.human_views + c.ai_views' },
};

const termsOfEvents: Terms = {
  ...terms.visitors,
  humanEvents: 'c.human_views',
  aiEvents: 'c.ai_views',
  events: 'c.human_views + c.ai_views',
};

const termsOfClients: Terms = { visitors: 'c.ai_visitors', views: 'c.ai_views' };

/** Of rows of sums. */
export const orders: Record<CountOrder, string> = {
  total: 'total desc',
  human: 'human desc, total desc',
  ai: 'ai desc, total desc',
  aiShare: 'cast(ai + 1 as double precision) / (human + 1) desc, total desc',
};

/** Sums by the number of a name, as a part of a statement. */
interface ByName {
  text: string;
  values: SqlValue[];
}

/** Reports of names and what was counted under each; each reads one snapshot, while others write. */
export function countReports(sql: Sql, tables: ReportTables) {
  const { dialect } = sql;
  const blocks = blocksIn(sql, '$3');

  async function readTotals(range: BlockRange, measure: Measure, filter: Selected): Promise<Count> {
    const { project } = range;
    const counted = await findCounted(range.sql, tables, project, sumOf(filter));
    if (!counted) return nobody;
    const { what, parent, name } = counted;
    const is = 'c.what = $4 and c.parent = $5 and c.name = $6';
    const columns = columnsOf(terms[measure]);
    const waits = name > 0 || 'site';
    const [totals] = await range.sql.query<{ [sum in keyof Count]: number | null }>(
      `select ${addedUp(terms[measure])} from ${tables.counts(project, { from: blocks, is, columns, waits })} c`,
      [...placesOf(range), what, parent, name],
    );
    return { human: totals?.human ?? 0, ai: totals?.ai ?? 0, total: totals?.total ?? 0 };
  }

  /** The largest first; one row more than is wanted. */
  async function readRows<Row extends object>(
    range: BlockRange,
    by: RowsBy,
    query: Selecting,
    { terms, order, of }: Form,
  ): Promise<Row[]> {
    const rows = rowsBy(by, query.filter ?? {});
    const joined = by === 'path' ? await readPages(range, rows, query) : [];
    const byName = await (rows.above
      ? sumsAbove(range, rows.what, rows.above, terms)
      : sumsBelow(range, rows, query.names, terms, joined));
    if (!byName) return [];
    const { values } = byName;
    const given = addTo(values);
    const uneven = query.unevenFrom === undefined ? undefined : given(query.unevenFrom);
    const sums =
      uneven === undefined
        ? byName.text
        : `select * from (${byName.text}) u where (human >= ${uneven} or ai >= ${uneven}) and (ai = 0 or ai > human)`;
    const viewed = query.people === 'none' ? await viewedPages(range) : undefined;
    const isWanted = [
      ...(query.search === undefined ? [] : [tables.contains('n', given(wantedText(query.search)))]),
      // Those below a name were read by their numbers.
      ...[rows.only, rows.above && query.names].flatMap((names) =>
        names ? [`n.text ${dialect.isOneOf(given(names))}`] : [],
      ),
      ...(viewed
        ? [
            `not n.text ${dialect.isOneOf(given(viewed.renamed))}`,
            `n.text not in (select m.text from names m where m.project = $2 and m.id in (${viewed.ids}))`,
          ]
        : []),
    ];
    // Only of those that may be on the page the name is looked up.
    const largest =
      isWanted.length > 0 ? sums : tables.largest(sums, order, given(query.limit + 1 + query.offset));
    const own = `select n.text as name, ${namesOf(terms)} from (${largest}) s cross join names n
       where ${['n.project = $2', 'n.id = s.id', ...isWanted].join(' and ')}`;
    const page = `limit ${given(query.limit + 1)} offset ${given(query.offset)}`;
    if (!of || joined.length === 0)
      return range.sql.query<Row>(`${own} order by ${order}, n.text ${page}`, values);
    const only = [rows.only, query.names].flatMap((names) => (names ? [new Set(names)] : []));
    const wanted = wantedText(query.search ?? '');
    const shown = joined
      .filter(({ path }) => searchableText(path).includes(wanted) && only.every((names) => names.has(path)))
      .filter(({ path }) => !viewed?.renamed.includes(path))
      .map(({ path, bounds }) => ({
        name: path,
        isEmpty: isNothing(bounds.to),
        ...of(toCount(bounds, true)),
      }))
      .filter(({ isEmpty, sums }) => !isEmpty && isUneven(sums, query.unevenFrom));
    const types = Object.fromEntries(Object.keys(terms).map((name) => [name, 'bigint' as const]));
    const others = dialect.rows(given(JSON.stringify(shown.map(({ name, sums }) => ({ name, ...sums })))), {
      name: 'text',
      ...types,
    });
    const found = await range.sql.query<Row & { name: string }>(
      `select * from (${own} union all select name, ${namesOf(terms)} from ${others} j) p order by ${order}, name ${page}`,
      values,
    );
    const boundsOf = new Map(shown.map(({ name, bounds }) => [name, bounds]));
    return found.map((row) => {
      const bounds = boundsOf.get(row.name);
      return bounds ? { ...row, bounds } : row;
    });
  }

  /** Those with several names, or with another one now. */
  async function readPages(
    range: BlockRange,
    { what, under }: RowsOf,
    { filter = {} }: Selecting,
  ): Promise<Joined[]> {
    if (!range.project.renamed) return [];
    const parent = await findNumber(range.sql, tables, range.project, under);
    const [limit] = (['client', 'source', 'country'] as const).filter((name) => filter[name] !== undefined);
    const condition = limit && { name: limit, isNot: false, is: (value: string) => value === filter[limit] };
    return parent === undefined ? [] : readJoined(tables, range, { what, parent, condition });
  }

  /** Pages with a view by people; of those with another name now, that name. */
  async function viewedPages(range: BlockRange): Promise<{ ids: string; renamed: string[] }> {
    const pages = await readJoined(tables, range, { what: what.path, parent: 0 });
    const sums = tables.counts(range.project, {
      ...{ from: blocks, is: `c.what = ${what.path} and c.parent = 0`, columns: 'c.name, c.human_views' },
      names: `o.what = ${what.path} and o.parent = 0`,
    });
    return {
      ids: `select c.name from ${sums} c group by c.name having sum(c.human_views) > 0`,
      renamed: pages.flatMap(({ path, bounds }) => (bounds.from[3] > 0 ? [path] : [])),
    };
  }

  /** The views by people of each of these pages; none of those that are missing. */
  async function viewsByPeople(range: BlockRange, texts: readonly string[]): Promise<Map<string, number>> {
    const pages = await readJoined(tables, range, { what: what.path, parent: 0 });
    const renamed = pages.map(({ path, bounds }): [string, number] => [path, bounds.from[3]]);
    const byName = await sumsBelow(range, rowsBy('path', {}), texts, { human: 'c.human_views' }, []);
    if (!byName) return new Map(renamed);
    const found = await range.sql.query<{ text: string; human: number }>(
      `select n.text, s.human from (${byName.text}) s cross join names n where n.project = $2 and n.id = s.id`,
      byName.values,
    );
    return new Map([...found.map(({ text, human }): [string, number] => [text, human]), ...renamed]);
  }

  /** @param texts only these; undefined: all */
  async function sumsBelow(
    range: BlockRange,
    { what, under }: RowsOf,
    texts: readonly string[] | undefined,
    terms: Terms,
    joined: readonly Joined[],
  ): Promise<ByName | undefined> {
    const { project } = range;
    const parent = await findNumber(range.sql, tables, project, under);
    if (parent === undefined) return undefined;
    const ids = texts && (await findNumbers(range.sql, tables, project, { what, parent, texts }));
    const values: SqlValue[] = [...placesOf(range), what, parent];
    const given = addTo(values);
    const isNamed = [
      ...(ids ? [`c.name ${dialect.isOneOf(given([...ids.values()]))}`] : []),
      ...(joined.length > 0
        ? [`not c.name ${dialect.isOneOf(given(joined.flatMap((one) => one.ids)))}`]
        : []),
    ];
    const is = ['c.what = $4 and c.parent = $5', ...isNamed].join(' and ');
    const columns = `c.name as id, ${columnsOf(terms)}`;
    const names = 'o.what = $4 and o.parent = $5';
    return {
      text: `select id, ${addedUp(terms)} from ${tables.counts(project, { from: blocks, is, columns, names })} c group by id`,
      values,
    };
  }

  /** Of a pair, by the names under which it has this text. */
  async function sumsAbove(
    range: BlockRange,
    pair: number,
    above: NamedText,
    terms: Terms,
  ): Promise<ByName | undefined> {
    const { project } = range;
    const found = await range.sql.query<{ parent: number; name: number }>(
      `select n.parent, n.id as name from names a cross join names n
       where a.project = $1 and a.what = $3 and a.parent = 0
         and n.project = $1 and n.what = $2 and n.parent = a.id and ${tables.isText('n.text', '$4')}`,
      [project.id, pair, above.what, above.text],
    );
    if (found.length === 0) return undefined;
    const names = dialect.rows('$5', { parent: 'int', name: 'int' });
    const from = `(select b.span, b.day, a.parent, a.name from ${names} a cross join ${blocks} b)`;
    const is = 'c.what = $4 and c.parent = x.parent and c.name = x.name';
    const columns = `c.parent as id, ${columnsOf(terms)}`;
    return {
      text: `select id, ${addedUp(terms)} from ${tables.counts(project, { from, is, columns })} c group by id`,
      values: [...placesOf(range), pair, JSON.stringify(found)],
    };
  }

  /** Those on pages with several names, or with another one now, by sources with their numbers. */
  async function joinLandings(range: BlockRange, sources: ReadonlyMap<string, number>) {
    const landings: (LandingRow & Pick<Joined, 'ids'>)[] = [];
    if (!range.project.renamed) return landings;
    for (const [source, parent] of sources) {
      const condition = { name: 'source' as const, isNot: false, is: (value: string) => value === source };
      for (const { path, ids, bounds } of await readJoined(tables, range, {
        ...{ what: what.sourcePath, parent, condition },
      })) {
        const [visitors, , , views] = bounds.from;
        const of = { visitors: { from: visitors, to: bounds.to[0] }, views: { from: views, to: views } };
        if (views > 0)
          landings.push({
            source,
            path,
            ids,
            visitors,
            views,
            bounds: visitors < bounds.to[0] ? of : undefined,
          });
      }
    }
    return landings;
  }

  return {
    readCounts(query: CountQuery): Promise<CountReport> {
      const { measure, dimension, order = 'total', filter = {} } = query;
      const of: Form['of'] = ({ [measure]: { bounds, ...sums } }) => ({ sums, bounds });
      const form = { terms: terms[measure], order: orders[order], of };
      return readBlocks(sql, tables, query, { totals: nobody, ...noRows }, async (range) => ({
        totals: await readTotals(range, measure, filter),
        ...toPage(await readRows<Count & { name: string }>(range, dimension, query, form), query),
      }));
    },

    /** By the order asked for, then total descending, then name; a property's is that of `joinProperty`. */
    readEvents({ event, ...query }: EventQuery): Promise<EventReport> {
      const filter = event === undefined ? {} : { event };
      const by = event === undefined ? 'event' : 'property';
      const form = { terms: termsOfEvents, order: orders[query.order ?? 'total'] };
      return readBlocks(sql, tables, query, { totals: nobody, ...noRows }, async (range) => ({
        totals: await readTotals(range, 'visitors', filter),
        ...toPage(await readRows<EventRow>(range, by, { ...query, filter }, form), query),
      }));
    },

    /**
     * By visitors descending, then name and proof: a client that proved itself at times has two rows. Of one path
     * proofs are not kept: they are null.
     */
    readClients(query: NamedQuery): Promise<PageOfRows<ClientRow>> {
      return readBlocks(sql, tables, query, noRows, async (range) => {
        const rows = await readRows<ClientCounts & { name: string }>(range, 'client', query, ofClients);
        return toPage(rows.map(toClientRow), query);
      });
    },

    /** What one AI client read, with whatever proof: by visitors descending, then path. */
    readClientPaths(query: ClientPathsQuery, client: string): Promise<PageOfRows<ClientPathRow>> {
      return readBlocks(sql, tables, query, noRows, async (range) => {
        const names = await findWanted(range, query.pages);
        const ofClient = { ...query, names, filter: { ...query.filter, client } };
        const rows = await readRows<ClientCounts & { name: string }>(range, 'path', ofClient, ofClients);
        const views =
          query.people &&
          (await viewsByPeople(
            range,
            rows.map(({ name }) => name),
          ));
        return toPage(
          rows.map(({ name, ...counts }) => ({
            ...{ path: name, ...counts },
            ...(views && { humanViews: views.get(name) ?? 0 }),
          })),
          query,
        );
      });
    },

    /** People who came from one of these sources, by the page they came to: by visitors descending, then path and source. */
    readLandings(query: NamedQuery, sources: readonly string[]): Promise<PageOfRows<LandingRow>> {
      return readBlocks(sql, tables, query, noRows, async (range) => {
        const { project } = range;
        const named = { what: what.source, parent: 0, texts: sources };
        const known = await findNumbers(range.sql, tables, project, named);
        const pages = await findWanted(range, query.pages);
        const values = [...placesOf(range), what.sourcePath, [...known.values()]];
        const given = addTo(values);
        const isWanted = [
          ...(query.filter?.path === undefined ? [] : [`n.text = ${given(query.filter.path)}`]),
          ...(pages ? [`n.text ${dialect.isOneOf(given(pages))}`] : []),
          ...(query.search === undefined ? [] : [tables.contains('n', given(wantedText(query.search)))]),
        ];
        const joined = await joinLandings(range, known);
        const wanted = wantedText(query.search ?? '');
        const path = query.filter?.path;
        const only = pages || path !== undefined ? new Set(pages ?? [path]) : undefined;
        const shown = joined.filter(
          (one) => (only?.has(one.path) ?? true) && searchableText(one.path).includes(wanted),
        );
        const from = `(select b.span, b.day, a.value as parent from ${dialect.list('$5', 'int')} a cross join ${blocks} b)`;
        const ids = joined.flatMap((one) => one.ids);
        const isNamed = ids.length > 0 ? ` and not c.name ${dialect.isOneOf(given(ids))}` : '';
        const is = `c.what = $4 and c.parent = x.parent${isNamed}`;
        const columns = `c.parent, c.name, ${columnsOf(termsOfPeople)}`;
        const rows = await range.sql.query<LandingRow>(
          `select * from (select a.text as source, n.text as path, visitors, views
           from (
             select parent, name, ${addedUp(termsOfPeople)} from ${tables.counts(project, { from, is, columns })} c
             group by parent, name having sum(views) > 0
           ) s cross join names a cross join names n
           where ${['a.project = $2', 'a.id = s.parent', 'n.project = $2', 'n.id = s.name', ...isWanted].join(' and ')}
           union all select source, path, visitors, views from ${dialect.rows(given(JSON.stringify(shown)), landingColumns)} j) p
           order by visitors desc, path, source limit ${given(query.limit + 1)} offset ${given(query.offset)}`,
          values,
        );
        const boundsOf = new Map(shown.map((one) => [`${one.source} ${one.path}`, one.bounds]));
        return toPage(
          rows.map((row) => {
            const bounds = boundsOf.get(`${row.source} ${row.path}`);
            return bounds ? { ...row, bounds } : row;
          }),
          query,
        );
      });
    },
  };
}

const nobody: Count = { human: 0, ai: 0, total: 0 };
const noRows = { rows: [], hasMore: false };
const ofClients: Form = {
  terms: termsOfClients,
  order: 'visitors desc',
  of: ({ visitors, views }) => ({
    sums: { visitors: visitors.ai, views: views.ai },
    bounds: visitors.bounds && { visitors: visitors.bounds.ai, views: { from: views.ai, to: views.ai } },
  }),
};
const landingColumns = { source: 'text', path: 'text', visitors: 'bigint', views: 'bigint' } as const;
const termsOfPeople: Terms = { visitors: 'c.human_visitors', views: 'c.human_views' };

const isUneven = ({ human, ai }: Record<string, number | null>, from = 0) =>
  from === 0 || ((Number(human) >= from || Number(ai) >= from) && (ai === 0 || Number(ai) > Number(human)));

/** `$1` to `$3`. */
function placesOf({ project, blocks }: BlockRange): SqlValue[] {
  return [...placeOf(project), JSON.stringify(blocks)];
}

function columnsOf(terms: Terms): string {
  return Object.entries(terms)
    .map(([name, term]) => `${term} as "${name}"`)
    .join(', ');
}

/** As whole numbers: PostgreSQL has others for sums of such, with which everything takes longer. */
function addedUp(terms: Terms): string {
  return Object.keys(terms)
    .map((name) => `cast(sum("${name}") as bigint) as "${name}"`)
    .join(', ');
}

function namesOf(terms: Terms): string {
  return Object.keys(terms)
    .map((name) => `"${name}"`)
    .join(', ');
}

/** Of names with their proofs or, where they are of one path, without. */
function toClientRow({ name, visitors, views }: ClientCounts & { name: string }): ClientRow {
  const { name: client, proof = null } = splitClient(name);
  return { name: client, proof, visitors, views };
}
