import type { Statement } from 'better-sqlite3';
import type { Count, Measure } from '../../../../../shared/reports/analytics.ts';
import { coverDays } from '../../../../counting/blocks.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { searchableText, wantedText } from '../../../../counting/names/name-search.ts';
import { type RowsBy, type RowsOf, rowsBy, type Selected, sumOf } from '../../../../counting/selection.ts';
import { what } from '../../../../counting/what.ts';
import { toClientRow } from '../../../counts/analytics-rows.ts';
import type {
  ClientCounts,
  ClientRow,
  CountOrder,
  CountQuery,
  CountReport,
  DroppedRow,
  EventQuery,
  EventReport,
  EventRow,
  LandingRow,
  NamedQuery,
  RowChoice,
} from '../../../counts/analytics-store.ts';
import type { RangeQuery } from '../../../counts/range-query.ts';
import { type PageOfRows, toPage } from '../../../page.ts';
import type { Connection } from '../../connection.ts';
import { type Counted, CountedNames } from '../counted-names.ts';

interface ProjectRow {
  id: number;
  sealed_through: number | null;
}

/** The days to sum up, of a project. */
interface BlockRange {
  project: number;
  /** JSON list of `{span, day}`. */
  blocks: string;
}

type PageOf<T> = T & { limit: number; offset: number };

/** What statements for rows take; each needs some of it. */
type RowValues = PageOf<BlockRange> & Record<string, number | string | null>;

/** A query of rows, with what they may be limited to. */
type Selecting = Omit<NamedQuery, 'filter'> & RowChoice & { filter?: Selected | undefined };

/** Columns of sums, and how rows of them are ordered. */
interface Form {
  sums: string;
  names: string;
  order: string;
}

const sums: Record<Measure, string> = {
  visitors: 'sum(c.human_visitors) as human, sum(c.ai_visitors) as ai, sum(c.visitors) as total',
  views: 'sum(c.human_views) as human, sum(c.ai_views) as ai, sum(c.human_views + c.ai_views) as total',
};

const orders: Record<CountOrder, string> = {
  total: 's.total desc',
  human: 's.human desc, s.total desc',
  ai: 's.ai desc, s.total desc',
  aiShare: '(s.ai + 1.0) / (s.human + 1) desc, s.total desc',
};

const ofEvents = {
  sums: `${sums.visitors}, sum(c.human_views) as humanEvents, sum(c.ai_views) as aiEvents,
    sum(c.human_views + c.ai_views) as events`,
  names: 'human, ai, total, humanEvents, aiEvents, events',
};

const ofClients: Form = {
  sums: 'sum(c.ai_visitors) as visitors, sum(c.ai_views) as views',
  names: 'visitors, views',
  order: 's.visitors desc',
};

const isInBlock = `c.project = @project and c.what = @what
    and c.span = b.value ->> 'span' and c.day = b.value ->> 'day'`;

// cross join: SQLite keeps this order, one seek per block, instead of reading all days of the project.
const selected = `
  from json_each(@blocks) b cross join counts c on ${isInBlock} and c.parent = @parent`;

/** A seek for each of the names and blocks. */
const selectedNames = `
  from (select distinct value from json_each(@names)) x
    cross join names o on o.project = @project and o.what = @what and o.parent = @parent and o.text = x.value
    cross join json_each(@blocks) b cross join counts c on ${isInBlock} and c.parent = @parent and c.name = o.id`;

/** A seek for each name that may have the text below it, and one for each block of those that do. */
const selectedAbove = `
  from names a cross join names n on n.project = @project and n.what = @what and n.parent = a.id and n.text = @text
    cross join json_each(@blocks) b cross join counts c on ${isInBlock} and c.parent = a.id and c.name = n.id
  where a.project = @project and a.what = @above and a.parent = 0`;

const landings = `
  select a.text as source, n.text as path, visitors, views
  from (
    select c.parent, c.name, sum(c.human_visitors) as visitors, sum(c.human_views) as views
    from json_each(@sources) x
      cross join names a on a.project = @project and a.what = ${what.source} and a.parent = 0 and a.text = x.value
      cross join json_each(@blocks) b cross join counts c on ${isInBlock} and c.parent = a.id
    group by c.parent, c.name having sum(c.human_views) > 0
  ) s join names a on a.id = s.parent join names n on n.id = s.name
  where (@path is null or n.text = @path) and (@search is null or contains(n.text, @search))
  order by visitors desc, n.text, a.text limit @limit offset @offset`;

/** Reports; each reads one snapshot, while others write. */
export class Reports {
  readonly #db: Connection;
  readonly #names: CountedNames;
  readonly #project: Statement<[string], ProjectRow>;
  readonly #dayRange: Statement<[number], { first: Day | null; last: Day | null }>;
  readonly #totals: Record<Measure, Statement<[BlockRange & Counted], Count>>;
  readonly #dropped: Statement<[PageOf<{ projectId: string; from: Day; to: Day }>], DroppedRow>;
  readonly #prepared = new Map<string, Statement<[RowValues]>>();

  constructor(db: Connection) {
    this.#db = db;
    this.#names = new CountedNames(db);
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#dayRange = db.prepare(
      `select min(day) as first, max(day) as last from counts
       where project = ? and what = ${what.site} and parent = 0 and span = 1`,
    );
    this.#totals = perMeasure((measure) =>
      db.prepare(`select ${sums[measure]} ${selected} and c.name = @name`),
    );
    db.function('contains', { deterministic: true }, contains);
    this.#dropped = db.prepare(
      `select reason, family, sum(hits) as hits from dropped d join projects p on p.id = d.project
       where p.public_id = @projectId and day >= @from and day < @to
       group by reason, family order by hits desc, reason, family limit @limit offset @offset`,
    );
  }

  readCounts(query: CountQuery): CountReport {
    const { measure, dimension, order = 'total', filter = {} } = query;
    const form = { sums: sums[measure], names: 'human, ai, total', order: orders[order] };
    const nothing = { totals: { human: 0, ai: 0, total: 0 }, rows: [], hasMore: false };
    return this.#select(query, nothing, (range) => {
      return {
        totals: this.#totalsOf(range, measure, filter),
        ...toPage(this.#rowsOf<Count & { name: string }>(range, dimension, query, form), query),
      };
    });
  }

  readEvents({ event, ...query }: EventQuery): EventReport {
    const filter = event === undefined ? {} : { event };
    const form = { ...ofEvents, order: orders[query.order ?? 'total'] };
    const nothing = { totals: { human: 0, ai: 0, total: 0 }, rows: [], hasMore: false };
    return this.#select(query, nothing, (range) => {
      const totals = this.#totalsOf(range, 'visitors', filter);
      const by = event === undefined ? 'event' : 'property';
      return { totals, ...toPage(this.#rowsOf<EventRow>(range, by, { ...query, filter }, form), query) };
    });
  }

  readClients(query: NamedQuery): PageOfRows<ClientRow> {
    return this.#select(query, { rows: [], hasMore: false }, (range) => {
      const rows = this.#rowsOf<ClientCounts & { name: string }>(range, 'client', query, ofClients);
      return toPage(rows.map(toClientRow), query);
    });
  }

  readClientPaths(query: NamedQuery, client: string): PageOfRows<{ path: string } & ClientCounts> {
    const ofClient = { ...query, filter: { ...query.filter, client } };
    return this.#select(query, { rows: [], hasMore: false }, (range) => {
      const rows = this.#rowsOf<ClientCounts & { name: string }>(range, 'path', ofClient, ofClients);
      return toPage(
        rows.map(({ name, ...counts }) => ({ path: name, ...counts })),
        query,
      );
    });
  }

  readLandings(query: NamedQuery, sources: readonly string[]): PageOfRows<LandingRow> {
    return this.#select(query, { rows: [], hasMore: false }, (range) => {
      const values = {
        ...pageOf(query, range),
        what: what.sourcePath,
        sources: JSON.stringify(sources),
        path: query.filter?.path ?? null,
        search: query.search === undefined ? null : wantedText(query.search),
      };
      return toPage(this.#prepare(landings).all(values) as LandingRow[], query);
    });
  }

  readDropped({ projectId, from, to, limit, offset }: RangeQuery): PageOfRows<DroppedRow> {
    const range = { projectId, from: from ?? -1e9, to: to ?? 1e9 };
    return toPage(this.#dropped.all({ ...range, limit: limit + 1, offset }), { limit });
  }

  #totalsOf(range: BlockRange, measure: Measure, filter: Selected): Count {
    const counted = this.#names.find(range.project, sumOf(filter));
    const totals = counted && this.#totals[measure].get({ ...range, ...counted });
    return { human: totals?.human ?? 0, ai: totals?.ai ?? 0, total: totals?.total ?? 0 };
  }

  /** One row more than is wanted. */
  #rowsOf<Row>(range: BlockRange, by: RowsBy, query: Selecting, form: Form): Row[] {
    const { search, names, unevenFrom, filter = {} } = query;
    const rows = rowsBy(by, filter);
    const parent = this.#names.number(range.project, rows.under);
    if (parent === undefined) return [];
    const values = {
      ...pageOf(query, range),
      what: rows.what,
      parent,
      above: rows.above?.what ?? null,
      text: rows.above?.text ?? null,
      only: rows.only && JSON.stringify(rows.only),
      names: JSON.stringify(names ?? []),
      unevenFrom: unevenFrom ?? 0,
      search: search === undefined ? null : wantedText(search),
    };
    return this.#prepare(namedRows(form, rows, query)).all(values) as Row[];
  }

  /** At its first use: there are dozens of them. */
  #prepare(sql: string): Statement<[RowValues]> {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#db.prepare<[RowValues]>(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  /** Finds the blocks of the range and reads from them, all in one snapshot. */
  #select<T>({ projectId, from, to }: RangeQuery, nothing: T, read: (range: BlockRange) => T): T {
    return this.#db.transaction(() => {
      const project = this.#project.get(projectId);
      const counted = project && this.#dayRange.get(project.id);
      if (!project || counted?.first == null || counted.last == null) return nothing;
      const { sealed_through: sealedThrough } = project;
      const last = Math.max(counted.last, sealedThrough ?? counted.last);
      const start = Math.max(from ?? counted.first, counted.first);
      const end = Math.min(to ?? last + 1, last + 1);
      const blocks = coverDays(start, end, sealedThrough, { sealsAtOnce: true });
      return read({ project: project.id, blocks: JSON.stringify(blocks) });
    })();
  }
}

/** Sums by name, the largest first. */
function namedRows({ sums, names, order }: Form, { above, only }: RowsOf, query: Selecting): string {
  const byName = above
    ? `select a.id as name, ${sums} ${selectedAbove} group by a.id`
    : `select c.name, ${sums} ${query.names ? selectedNames : selected} group by c.name`;
  const wanted = [
    ...(query.unevenFrom === undefined
      ? []
      : ['max(s.human, s.ai) >= @unevenFrom and (s.ai = 0 or s.ai > s.human)']),
    ...(query.search === undefined ? [] : ['contains(n.text, @search)']),
    ...(only ? ['n.text in (select value from json_each(@only))'] : []),
    ...(query.names && above ? ['n.text in (select value from json_each(@names))'] : []),
  ];
  return `select n.text as name, ${names} from (${byName}) s join names n on n.id = s.name
    ${wanted.length > 0 ? `where ${wanted.join(' and ')}` : ''} order by ${order}, n.text limit @limit offset @offset`;
}

/** LIKE knows the case of ASCII letters only. */
export function contains(name: unknown, wanted: unknown): number {
  return searchableText(String(name)).includes(String(wanted)) ? 1 : 0;
}

/** One row more than is wanted tells whether there are more. */
function pageOf(
  { limit, offset }: Pick<NamedQuery, 'limit' | 'offset'>,
  range: BlockRange,
): PageOf<BlockRange> {
  return { ...range, limit: limit + 1, offset };
}

function perMeasure<T>(make: (measure: Measure) => T): Record<Measure, T> {
  return { visitors: make('visitors'), views: make('views') };
}
