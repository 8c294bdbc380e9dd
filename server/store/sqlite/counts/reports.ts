import type { Statement } from 'better-sqlite3';
import { coverDays } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { searchableText, wantedText } from '../../../counting/name-search.ts';
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
import type { Connection } from '../connection.ts';

interface ProjectRow {
  id: number;
  sealed_through: number | null;
}

/** The counts to sum up. */
interface Selection {
  project: number;
  what: number;
  parent: number;
  /** JSON list of `{span, day}`. */
  blocks: string;
}

type PageOf<T> = T & { limit: number; offset: number };
type NamedPage = PageOf<Selection> & { search?: string };
type ClientRow = ClientCounts & { name: string };

const sums: Record<Measure, string> = {
  visitors: 'sum(c.human_visitors) as human, sum(c.ai_visitors) as ai, sum(c.visitors) as total',
  views: 'sum(c.human_views) as human, sum(c.ai_views) as ai, sum(c.human_views + c.ai_views) as total',
};
const clientSums = 'sum(c.ai_visitors) as visitors, sum(c.ai_views) as views';

// cross join: SQLite keeps this order, one seek per block, instead of reading all days of the project.
const selected = `
  from json_each(@blocks) b cross join counts c
    on c.project = @project and c.what = @what and c.parent = @parent
    and c.span = b.value ->> 'span' and c.day = b.value ->> 'day'`;

/** Reports; each reads one snapshot, while others write. */
export class Reports {
  readonly #db: Connection;
  readonly #project: Statement<[string], ProjectRow>;
  readonly #dayRange: Statement<[number], { first: Day | null; last: Day | null }>;
  readonly #totals: Record<Measure, Statement<[Selection], Count>>;
  readonly #rows = new Map<string, Statement<[NamedPage], Count & { name: string }>>();
  readonly #clients: Statement<[NamedPage], ClientRow>;
  readonly #foundClients: Statement<[NamedPage], ClientRow>;
  readonly #findClient: Statement<[number, string], { id: number }>;
  readonly #dropped: Statement<[PageOf<{ projectId: string; from: Day; to: Day }>], DroppedRow>;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#dayRange = db.prepare(
      `select min(day) as first, max(day) as last from counts
       where project = ? and what = ${what.site} and parent = 0 and span = 1`,
    );
    this.#totals = perMeasure((measure) => db.prepare(`select ${sums[measure]} ${selected}`));
    db.function('contains', { deterministic: true }, contains);
    this.#clients = db.prepare(namedRows(clientSums, 'visitors, views', 's.visitors desc'));
    this.#foundClients = db.prepare(namedRows(clientSums, 'visitors, views', 's.visitors desc', isFound));
    this.#findClient = db.prepare(
      `select id from names where project = ? and what = ${what.client} and parent = 0 and text = ?`,
    );
    this.#dropped = db.prepare(
      `select reason, family, sum(hits) as hits from dropped d join projects p on p.id = d.project
       where p.public_id = @projectId and day >= @from and day < @to
       group by reason, family order by hits desc, reason, family limit @limit offset @offset`,
    );
  }

  readCounts(query: CountQuery): CountReport {
    const { measure, dimension } = query;
    return this.#select(
      query,
      { totals: { human: 0, ai: 0, total: 0 }, rows: [], hasMore: false },
      (range) => {
        const totals = this.#totals[measure].get({ ...range, what: what.site, parent: 0 });
        const rows = this.#rowsOf(query).all(pageOf(query, { ...range, what: what[dimension], parent: 0 }));
        return {
          totals: { human: totals?.human ?? 0, ai: totals?.ai ?? 0, total: totals?.total ?? 0 },
          ...toPage(rows, query),
        };
      },
    );
  }

  readClients(query: NamedQuery): Page<SeenClient & ClientCounts> {
    return this.#select(query, { rows: [], hasMore: false }, (range) => {
      const rows = this.#clientsOf(query).all(pageOf(query, { ...range, what: what.clientProof, parent: 0 }));
      return toPage(
        rows.map(({ name, ...counts }) => ({ ...splitClient(name), ...counts })),
        query,
      );
    });
  }

  readClientPaths(query: NamedQuery, client: string): Page<{ path: string } & ClientCounts> {
    return this.#select(query, { rows: [], hasMore: false }, (range) => {
      const parent = this.#findClient.get(range.project, client)?.id;
      if (parent === undefined) return { rows: [], hasMore: false };
      const rows = this.#clientsOf(query).all(pageOf(query, { ...range, what: what.clientPath, parent }));
      return toPage(
        rows.map(({ name, ...counts }) => ({ path: name, ...counts })),
        query,
      );
    });
  }

  readDropped({ projectId, from, to, limit, offset }: RangeQuery): Page<DroppedRow> {
    const range = { projectId, from: from ?? -1e9, to: to ?? 1e9 };
    return toPage(this.#dropped.all({ ...range, limit: limit + 1, offset }), { limit });
  }

  /** Prepared at its first use: there are sixteen of them. */
  #rowsOf({
    measure,
    order = 'total',
    search,
  }: CountQuery): Statement<[NamedPage], Count & { name: string }> {
    const key = `${measure} ${order} ${search !== undefined}`;
    let statement = this.#rows.get(key);
    if (!statement) {
      const where = search === undefined ? '' : isFound;
      statement = this.#db.prepare(namedRows(sums[measure], 'human, ai, total', orders[order], where));
      this.#rows.set(key, statement);
    }
    return statement;
  }

  #clientsOf({ search }: NamedQuery): Statement<[NamedPage], ClientRow> {
    return search === undefined ? this.#clients : this.#foundClients;
  }

  /** Finds the blocks of the range and reads from them, all in one snapshot. */
  #select<T>(
    { projectId, from, to }: RangeQuery,
    nothing: T,
    read: (range: Pick<Selection, 'project' | 'blocks'>) => T,
  ): T {
    return this.#db.transaction(() => {
      const project = this.#project.get(projectId);
      const counted = project && this.#dayRange.get(project.id);
      if (!project || counted?.first == null || counted.last == null) return nothing;
      const start = Math.max(from ?? counted.first, counted.first);
      const end = Math.min(to ?? counted.last + 1, counted.last + 1);
      return read({
        project: project.id,
        blocks: JSON.stringify(coverDays(start, end, project.sealed_through)),
      });
    })();
  }
}

const orders: Record<CountOrder, string> = {
  total: 's.total desc',
  human: 's.human desc, s.total desc',
  ai: 's.ai desc, s.total desc',
  aiShare: '(s.ai + 1.0) / (s.human + 1) desc, s.total desc',
};

const isFound = 'where contains(n.text, @search)';

/** Sums by name, the largest first. */
function namedRows(columns: string, totals: string, orderedBy: string, where = ''): string {
  return `select n.text as name, ${totals} from (select c.name, ${columns} ${selected} group by c.name) s
    join names n on n.id = s.name ${where} order by ${orderedBy}, n.text limit @limit offset @offset`;
}

/** LIKE knows the case of ASCII letters only. */
function contains(name: unknown, wanted: unknown): number {
  return searchableText(String(name)).includes(String(wanted)) ? 1 : 0;
}

/** One row more than is wanted tells whether there are more. */
function pageOf(query: NamedQuery, selection: Selection): NamedPage {
  const { limit, offset, search } = query;
  return {
    ...selection,
    limit: limit + 1,
    offset,
    ...(search !== undefined && { search: wantedText(search) }),
  };
}

function perMeasure<T>(make: (measure: Measure) => T): Record<Measure, T> {
  return { visitors: make('visitors'), views: make('views') };
}
