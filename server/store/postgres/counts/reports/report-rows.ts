import type { Count } from '../../../../../shared/reports/analytics.ts';
import type { Block } from '../../../../counting/blocks.ts';
import { wantedText } from '../../../../counting/names/name-search.ts';
import type { NamedText, RowsOf } from '../../../../counting/selection.ts';
import { what } from '../../../../counting/what.ts';
import type { SqlValue } from '../../../../database/sql.ts';
import type { LandingRow, NamedQuery, RowChoice } from '../../../counts/analytics-store.ts';
import type { Queryable } from '../../queryable.ts';
import { type CountedProject, ofProject, placeOf } from '../counted-project.ts';
import { type Counted, findNumber } from '../names/counted-names.ts';
import { storable } from '../names/named-views.ts';
import { allCounts, pendingSums } from './pending.ts';

/** The blocks of a range, as read in one snapshot. */
export interface BlockRange {
  db: Queryable;
  project: CountedProject;
  blocks: Block[];
}

/** What is added up of a row `c` of counts, by the name of the sum, and how rows of sums are ordered. */
export interface Form {
  terms: Readonly<Record<string, string>>;
  order: string;
}

/** Sums by a number of a name, as a part of a statement. */
interface ByName {
  sql: string;
  values: SqlValue[];
}

export async function readTotals(
  range: BlockRange,
  { what, parent, name }: Counted,
  form: Form,
): Promise<Count> {
  const is = 'c.name = $7';
  const [totals] = await range.db.query<{ [sum in keyof Count]: number | null }>(
    `select ${addedUp(form)} from (
       ${blockRows(range, form, is)} union all ${pendingSums(range.project, sums(form), is)}) c`,
    [...placesOf(range), what, parent, name],
  );
  return { human: totals?.human ?? 0, ai: totals?.ai ?? 0, total: totals?.total ?? 0 };
}

/** The largest first; one row more than is wanted. */
export async function readRows<Row extends object>(
  range: BlockRange,
  rows: RowsOf,
  query: NamedQuery & RowChoice,
  form: Form,
): Promise<Row[]> {
  const byName = await (rows.above
    ? sumsAbove(range, rows.what, rows.above, form)
    : sumsBelow(range, rows, query.names, form));
  if (!byName) return [];
  const { values } = byName;
  const { order } = form;
  const add = (value: SqlValue) => `$${values.push(value)}`;
  const [limit, offset] = [add(query.limit + 1), add(query.offset)];
  const sql =
    query.unevenFrom === undefined
      ? byName.sql
      : `select * from (${byName.sql}) u where greatest(human, ai) >= ${add(query.unevenFrom)} and (ai = 0 or ai > human)`;
  const isWanted = [
    ...(query.search === undefined
      ? []
      : [`strpos(coalesce(n.searchable, n.text), ${add(wantedText(query.search))}) > 0`]),
    // Those below a name were read by their numbers.
    ...[rows.only, rows.above && query.names].flatMap((names) =>
      names ? [`n.text = any (${add(names.map(storable))}::text[])`] : [],
    ),
  ];
  // Only of those that may be on the page the name is looked up.
  const largest =
    isWanted.length > 0
      ? sql
      : `select * from (${sql}) s order by ${order} fetch first (${limit}::bigint + ${offset}::bigint) rows with ties`;
  return range.db.query<Row>(
    `select n.text as name, ${namesOf(form)} from (${largest}) s
       join names n on ${['n.project = $2', 'n.id = s.id', ...isWanted].join(' and ')}
     order by ${order}, n.text limit ${limit} offset ${offset}`,
    values,
  );
}

/** People by source and page. */
export async function readLandingRows(
  range: BlockRange,
  { filter, search, limit, offset }: NamedQuery,
  sources: readonly string[],
): Promise<LandingRow[]> {
  const { db, project } = range;
  const known = await db.query<{ id: number }>(
    `select id from names where project = $1 and what = ${what.source} and parent = 0
       and text_hash(text) in (select text_hash(x) from unnest($2::text[]) x)`,
    [project.id, sources],
  );
  return db.query<LandingRow>(
    `select a.text as source, n.text as path, visitors, views
     from (
       select c.parent, c.name, sum(c.human_visitors) as visitors, sum(c.human_views) as views
       from ${allCounts(project, `${isInBlock} and c.what = ${what.sourcePath} and c.parent = x.id`, `unnest($5::int[]) x (id) cross join ${blocks}`)} c
       group by c.parent, c.name having sum(c.human_views) > 0
     ) s join names a on a.project = $2 and a.id = s.parent join names n on n.project = $2 and n.id = s.name
       and ($6::text is null or n.text = $6) and ($7::text is null or strpos(coalesce(n.searchable, n.text), $7) > 0)
     order by visitors desc, n.text, a.text limit $8 offset $9`,
    [
      ...placesOf(range),
      known.map(({ id }) => id),
      filter?.path === undefined ? null : storable(filter.path),
      search === undefined ? null : wantedText(search),
      limit + 1,
      offset,
    ],
  );
}

/** @param names only these; undefined: all */
async function sumsBelow(
  range: BlockRange,
  { what, under }: RowsOf,
  names: readonly string[] | undefined,
  form: Form,
): Promise<ByName | undefined> {
  const parent = await findNumber(range.db, range.project.id, under);
  if (parent === undefined) return undefined;
  const ids = names && (await findNumbers(range, { what, parent }, names));
  const is = ids ? 'c.name = any ($7::int[])' : 'true';
  // Few of the numbers that wait are of this kind, and each is looked up once they are added up.
  return {
    sql: `select id, ${addedUp(form)} from (
        ${blockRows(range, form, is)}
        union all
        select w.* from (${pendingSums(range.project, sums(form), is)}) w
          join names o on o.project = $2 and o.id = w.id and o.what = $5 and o.parent = $6) c group by id`,
    values: [...placesOf(range), what, parent, ...(ids ? [ids] : [])],
  };
}

async function findNumbers(
  { db, project }: BlockRange,
  { what, parent }: Pick<Counted, 'what' | 'parent'>,
  names: readonly string[],
): Promise<number[]> {
  const found = await db.query<{ id: number }>(
    `select id from names where project = $1 and what = $2 and parent = $3
       and text_hash(text) in (select text_hash(x) from unnest($4::text[]) x) and text = any ($4)`,
    [project.id, what, parent, names.map(storable)],
  );
  return found.map(({ id }) => id);
}

/** Of a pair, by the names under which it has this text. */
async function sumsAbove(
  range: BlockRange,
  pair: number,
  above: NamedText,
  form: Form,
): Promise<ByName | undefined> {
  const found = await range.db.query<{ parent: number; id: number }>(
    `select n.parent, n.id from names a join names n
       on n.project = $1 and n.what = $2 and n.parent = a.id and text_hash(n.text) = text_hash($4)
     where a.project = $1 and a.what = $3 and a.parent = 0`,
    [range.project.id, pair, above.what, storable(above.text)],
  );
  if (found.length === 0) return undefined;
  return {
    sql: `select c.parent as id, ${sums(form)} from ${allCounts(
      range.project,
      `${isInBlock} and c.what = $5 and c.parent = x.parent and c.name = x.name`,
      `unnest($6::int[], $7::int[]) x (parent, name) cross join ${blocks}`,
    )} c group by c.parent`,
    values: [...placesOf(range), pair, found.map(({ parent }) => parent), found.map(({ id }) => id)],
  };
}

/**
 * By the number of the name: one search in the index for each block. Whoever asks adds them up, in one step with what waits, as
 * a year has a hundred thousand of them.
 */
function blockRows({ project }: BlockRange, { terms }: Form, is = 'true'): string {
  const columns = Object.entries(terms).map(([name, term]) => `${term} as "${name}"`);
  return `
     select c.name as id, ${columns} from ${blocks}
       join counts c on ${ofProject('c', project)} and ${isInBlock} and c.what = $5 and c.parent = $6 and ${is}`;
}

/** As whole numbers, as sums of such are numerics, with which everything takes longer. */
function sums({ terms }: Form): string {
  return Object.entries(terms)
    .map(([name, term]) => `sum(${term})::bigint as "${name}"`)
    .join(', ');
}

function addedUp({ terms }: Form): string {
  return Object.keys(terms)
    .map((name) => `sum("${name}")::bigint as "${name}"`)
    .join(', ');
}

function namesOf({ terms }: Form): string {
  return Object.keys(terms)
    .map((name) => `"${name}"`)
    .join(', ');
}

const blocks = 'unnest($3::smallint[], $4::int[]) b (span, day)';
const isInBlock = 'c.span = b.span and c.day = b.day';

/** `$1` to `$4`. */
function placesOf({ project, blocks }: BlockRange): SqlValue[] {
  return [...placeOf(project), blocks.map(({ span }) => span), blocks.map(({ day }) => day)];
}
