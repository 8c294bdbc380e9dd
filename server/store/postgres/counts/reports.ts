import { type Block, coverDays } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { wantedText } from '../../../counting/name-search.ts';
import type { SeenClient } from '../../../counting/view.ts';
import { splitClient, what } from '../../../counting/what.ts';
import type {
  ClientCounts,
  Count,
  CountOrder,
  CountQuery,
  CountReport,
  DroppedRow,
  Measure,
  NamedQuery,
  Page,
  RangeQuery,
} from '../../analytics-store.ts';
import { toPage } from '../../page.ts';
import type { Database } from '../database.ts';
import type { Session } from '../session.ts';
import { type CountedProject, findProject, ofProject, placeOf } from './counted-project.ts';

/** The blocks of a range, as read in one snapshot. */
interface Range {
  session: Session;
  project: CountedProject;
  blocks: Block[];
}

/** What the rows are of. */
interface Kind {
  what: number;
  parent: number;
}

/** Columns of sums, and how rows of them are ordered. */
interface Form {
  sums: string;
  names: string;
  order: string;
}

type ClientRow = ClientCounts & { name: string };

const sums: Record<Measure, string> = {
  visitors: 'sum(c.human_visitors) as human, sum(c.ai_visitors) as ai, sum(c.visitors) as total',
  views: 'sum(c.human_views) as human, sum(c.ai_views) as ai, sum(c.human_views + c.ai_views) as total',
};

const orders: Record<CountOrder, string> = {
  total: 'total desc',
  human: 'human desc, total desc',
  ai: 'ai desc, total desc',
  aiShare: '(ai + 1)::float8 / (human + 1)::float8 desc, total desc',
};

const ofClients: Form = {
  sums: 'sum(c.ai_visitors) as visitors, sum(c.ai_views) as views',
  names: 'visitors, views',
  order: 'visitors desc',
};

/** Reports; each reads one snapshot, while others write. */
export class Reports {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  readCounts(query: CountQuery): Promise<CountReport> {
    const { measure, dimension, order = 'total' } = query;
    const nothing = { totals: { human: 0, ai: 0, total: 0 }, rows: [], hasMore: false };
    return this.#select(query, nothing, async (range) => {
      const totals = await readTotals(range, measure);
      const form = { sums: sums[measure], names: 'human, ai, total', order: orders[order] };
      const kind = { what: what[dimension], parent: 0 };
      return {
        totals,
        ...toPage(await readNamed<Count & { name: string }>(range, kind, query, form), query),
      };
    });
  }

  readClients(query: NamedQuery): Promise<Page<SeenClient & ClientCounts>> {
    return this.#select(query, { rows: [], hasMore: false }, async (range) => {
      const kind = { what: what.clientProof, parent: 0 };
      const rows = await readNamed<ClientRow>(range, kind, query, ofClients);
      return toPage(
        rows.map(({ name, ...counts }) => ({ ...splitClient(name), ...counts })),
        query,
      );
    });
  }

  readClientPaths(query: NamedQuery, client: string): Promise<Page<{ path: string } & ClientCounts>> {
    return this.#select(query, { rows: [], hasMore: false }, async (range) => {
      const parent = await findName(
        range.session,
        range.project.id,
        { what: what.client, parent: 0 },
        client,
      );
      if (parent === undefined) return { rows: [], hasMore: false };
      const rows = await readNamed<ClientRow>(range, { what: what.clientPath, parent }, query, ofClients);
      return toPage(
        rows.map(({ name, ...counts }) => ({ path: name, ...counts })),
        query,
      );
    });
  }

  readDropped({ projectId, from, to, limit, offset }: RangeQuery): Promise<Page<DroppedRow>> {
    return this.#database.snapshot(async (session) => {
      const project = await findProject(session, projectId);
      if (!project) return { rows: [], hasMore: false };
      const rows = await session.query<DroppedRow>(
        `select reason, family, sum(hits) as hits from dropped d
         where ${ofProject('d', project)} and day >= coalesce($3, day) and day < coalesce($4, day + 1)
         group by reason, family order by hits desc, reason, family limit $5 offset $6`,
        [...placeOf(project), from, to, limit + 1, offset],
      );
      return toPage(rows, { limit });
    });
  }

  /** Finds the blocks of the range and reads from them, all in one snapshot. */
  #select<T>(
    { projectId, from, to }: RangeQuery,
    nothing: T,
    read: (range: Range) => Promise<T>,
  ): Promise<T> {
    return this.#database.snapshot(async (session) => {
      const project = await findProject(session, projectId);
      const counted = project && (await readDays(session, project));
      if (!project || !counted) return nothing;
      const start = Math.max(from ?? counted.first, counted.first);
      const end = Math.min(to ?? counted.last + 1, counted.last + 1);
      return read({ session, project, blocks: coverDays(start, end, project.sealedThrough) });
    });
  }
}

/** The first and the last day with a count; where there is one shard, it alone is asked. */
export async function readDays(
  session: Session,
  project: CountedProject,
): Promise<{ first: Day; last: Day } | undefined> {
  const end = (order: string) =>
    `(select c.day from counts c where c.shard = $1 and c.project = $2 and c.span = 1 order by c.day ${order} limit 1)`;
  const [days] = await session.query<{ first: Day | null; last: Day | null }>(
    project.shards.length === 1
      ? `select ${end('asc')} as first, ${end('desc')} as last`
      : 'select first, last from counted_days($1, $2)',
    placeOf(project),
  );
  return days && days.first !== null && days.last !== null
    ? { first: days.first, last: days.last }
    : undefined;
}

export async function findName(
  session: Session,
  project: number,
  { what, parent }: Kind,
  text: string,
): Promise<number | undefined> {
  const [name] = await session.query<{ id: number }>(
    `select id from names
     where project = $1 and what = $2 and parent = $3 and text_hash(text) = text_hash($4) and text = $4`,
    [project, what, parent, text],
  );
  return name?.id;
}

async function readTotals(range: Range, measure: Measure): Promise<Count> {
  const [totals] = await range.session.query<{ [sum in keyof Count]: number | null }>(
    `select ${sums[measure]} ${selected(range)}`,
    valuesOf(range, { what: what.site, parent: 0 }),
  );
  return { human: totals?.human ?? 0, ai: totals?.ai ?? 0, total: totals?.total ?? 0 };
}

/** Sums by name, the largest first; one row more than is wanted. */
async function readNamed<Row extends object>(
  range: Range,
  kind: Kind,
  { limit, offset, search }: NamedQuery,
  { sums, names, order }: Form,
): Promise<Row[]> {
  const values = [...valuesOf(range, kind), limit + 1, offset];
  const byName = `select c.name as id, ${sums} ${selected(range)} group by c.name`;
  const page = `order by ${order}, n.text limit $7 offset $8`;
  if (search === undefined) {
    // Only of those that may be on the page the name is looked up.
    const largest = `select * from (${byName}) s order by ${order} fetch first ($7::bigint + $8::bigint) rows with ties`;
    return range.session.query<Row>(
      `select n.text as name, ${names} from (${largest}) s join names n on n.project = $2 and n.id = s.id ${page}`,
      values,
    );
  }
  return range.session.query<Row>(
    `select n.text as name, ${names} from (${byName}) s
       join names n on n.project = $2 and n.id = s.id and strpos(coalesce(n.searchable, n.text), $9) > 0 ${page}`,
    [...values, wantedText(search)],
  );
}

/** One search in the index for each block. */
function selected({ project }: Range): string {
  return `from unnest($3::smallint[], $4::int[]) b (span, day) join counts c
    on ${ofProject('c', project)} and c.span = b.span and c.day = b.day and c.what = $5 and c.parent = $6`;
}

function valuesOf({ project, blocks }: Range, { what, parent }: Kind) {
  const spans = blocks.map(({ span }) => span);
  const days = blocks.map(({ day }) => day);
  return [...placeOf(project), spans, days, what, parent];
}
