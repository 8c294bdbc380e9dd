import type { Count, Measure } from '../../../../../shared/reports/analytics.ts';
import { coverDays } from '../../../../counting/blocks.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { type RowsBy, rowsBy, type Selected, sumOf } from '../../../../counting/selection.ts';
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
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import { type CountedProject, findProject, ofProject, placeOf, preferHashes } from '../counted-project.ts';
import { findCounted } from '../names/counted-names.ts';
import { type BlockRange, type Form, readLandingRows, readRows, readTotals } from './report-rows.ts';

const terms: Record<Measure, Form['terms']> = {
  visitors: { human: 'c.human_visitors', ai: 'c.ai_visitors', total: 'c.visitors' },
  views: { human: 'c.human_views', ai: 'c.ai_views', total: 'c.human_views + c.ai_views' },
};

const orders: Record<CountOrder, string> = {
  total: 'total desc',
  human: 'human desc, total desc',
  ai: 'ai desc, total desc',
  aiShare: '(ai + 1)::float8 / (human + 1)::float8 desc, total desc',
};

const termsOfEvents: Form['terms'] = {
  ...terms.visitors,
  humanEvents: 'c.human_views',
  aiEvents: 'c.ai_views',
  events: 'c.human_views + c.ai_views',
};

const ofClients: Form = {
  terms: { visitors: 'c.ai_visitors', views: 'c.ai_views' },
  order: 'visitors desc',
};

/** Reports; each reads one snapshot, while others write. */
export class Reports {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  readCounts(query: CountQuery): Promise<CountReport> {
    const { measure, dimension, order = 'total', filter = {} } = query;
    const form = { terms: terms[measure], order: orders[order] };
    const nothing = { totals: { human: 0, ai: 0, total: 0 }, rows: [], hasMore: false };
    return this.#select(query, nothing, async (range) => {
      const counted = await findCounted(range.db, range.project.id, sumOf(filter));
      const totals = counted && (await readTotals(range, counted, form));
      const rows = await this.#rowsOf<Count & { name: string }>(range, dimension, query, form);
      return { totals: totals ?? nothing.totals, ...toPage(rows, query) };
    });
  }

  readEvents({ event, ...query }: EventQuery): Promise<EventReport> {
    const filter = event === undefined ? {} : { event };
    const order = orders[query.order ?? 'total'];
    const nothing = { totals: { human: 0, ai: 0, total: 0 }, rows: [], hasMore: false };
    return this.#select(query, nothing, async (range) => {
      const counted = await findCounted(range.db, range.project.id, sumOf(filter));
      const ofVisitors = { terms: terms.visitors, order };
      const totals = counted && (await readTotals(range, counted, ofVisitors));
      const by = event === undefined ? 'event' : 'property';
      const rows = await this.#rowsOf<EventRow>(
        range,
        by,
        { ...query, filter },
        { terms: termsOfEvents, order },
      );
      return { totals: totals ?? nothing.totals, ...toPage(rows, query) };
    });
  }

  readClients(query: NamedQuery): Promise<PageOfRows<ClientRow>> {
    return this.#select(query, { rows: [], hasMore: false }, async (range) => {
      const rows = await this.#rowsOf<ClientCounts & { name: string }>(range, 'client', query, ofClients);
      return toPage(rows.map(toClientRow), query);
    });
  }

  readClientPaths(query: NamedQuery, client: string): Promise<PageOfRows<{ path: string } & ClientCounts>> {
    const ofClient = { ...query, filter: { ...query.filter, client } };
    return this.#select(ofClient, { rows: [], hasMore: false }, async (range) => {
      const rows = await this.#rowsOf<ClientCounts & { name: string }>(range, 'path', ofClient, ofClients);
      return toPage(
        rows.map(({ name, ...counts }) => ({ path: name, ...counts })),
        query,
      );
    });
  }

  readLandings(query: NamedQuery, sources: readonly string[]): Promise<PageOfRows<LandingRow>> {
    return this.#select(query, { rows: [], hasMore: false }, async (range) =>
      toPage(await readLandingRows(range, query, sources), query),
    );
  }

  readDropped({ projectId, from, to, limit, offset }: RangeQuery): Promise<PageOfRows<DroppedRow>> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, projectId);
      if (!project) return { rows: [], hasMore: false };
      const rows = await db.query<DroppedRow>(
        `select reason, family, sum(hits) as hits from dropped d
         where ${ofProject('d', project)} and day >= coalesce($3, day) and day < coalesce($4, day + 1)
         group by reason, family order by hits desc, reason, family limit $5 offset $6`,
        [...placeOf(project), from, to, limit + 1, offset],
      );
      return toPage(rows, { limit });
    });
  }

  #rowsOf<Row extends object>(
    range: BlockRange,
    by: RowsBy,
    query: Omit<NamedQuery, 'filter'> & RowChoice & { filter?: Selected | undefined },
    form: Form,
  ): Promise<Row[]> {
    return readRows<Row>(range, rowsBy(by, query.filter ?? {}), query, form);
  }

  /** Finds the blocks of the range and reads from them, all in one snapshot. */
  #select<T>(query: NamedQuery, nothing: T, read: (range: BlockRange) => Promise<T>): Promise<T> {
    const { projectId, from, to } = query;
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, projectId);
      const counted = project && (await readDays(db, project));
      if (!project || !counted) return nothing;
      await preferHashes(db);
      const start = Math.max(from ?? counted.first, counted.first);
      const end = Math.min(to ?? counted.last + 1, counted.last + 1);
      return read({ db, project, blocks: coverDays(start, end, project.sealedThrough) });
    });
  }
}

/** The first and the last day with a count; where there is one shard, it alone is asked. */
export async function readDays(
  db: Queryable,
  project: CountedProject,
): Promise<{ first: Day; last: Day } | undefined> {
  const end = (order: string) =>
    `(select c.day from counts c where c.shard = $1 and c.project = $2 and c.span = 1 order by c.day ${order} limit 1)`;
  const pending = (end: string) =>
    `(select ${end}(p.day) from pending_counts p where p.shard = $1 and p.project = $2)`;
  const [days] = await db.query<{ first: Day | null; last: Day | null }>(
    project.shards.length === 1
      ? `select least(${end('asc')}, ${pending('min')}) as first, greatest(${end('desc')}, ${pending('max')}) as last`
      : 'select first, last from counted_days($1, $2)',
    placeOf(project),
  );
  return days && days.first !== null && days.last !== null
    ? { first: days.first, last: days.last }
    : undefined;
}
