import type { Statement } from 'better-sqlite3';
import type { Count, CountQuery, CountReport, Day, Measure } from '../store.ts';
import { coverDays } from './blocks.ts';
import type { Connection } from './connection.ts';
import { what } from './what.ts';

interface ProjectRow {
  id: number;
  sealed_through: number | null;
}

interface Range {
  project: number;
  what: number;
  blocks: string;
}

const sums: Record<Measure, string> = {
  visitors: 'sum(c.human_visitors) as human, sum(c.ai_visitors) as ai, sum(c.visitors) as total',
  views: 'sum(c.human_views) as human, sum(c.ai_views) as ai, sum(c.human_views + c.ai_views) as total',
};

// cross join: SQLite keeps this order, one seek per block, instead of reading all days of the project.
const countsOfBlocks = `
  from json_each(@blocks) b cross join counts c
    on c.project = @project and c.what = @what and c.parent = 0
    and c.span = b.value ->> 'span' and c.day = b.value ->> 'day'`;

/** Reports; each reads one snapshot, while others write. */
export class Reading {
  readonly #db: Connection;
  readonly #project: Statement<[string], ProjectRow>;
  readonly #dayRange: Statement<[number], { first: Day | null; last: Day | null }>;
  readonly #totals: Record<Measure, Statement<[Range], Count>>;
  readonly #rows: Record<
    Measure,
    Statement<[Range & { limit: number; offset: number }], Count & { name: string }>
  >;
  readonly #dropped: Statement<[string, Day, Day], { reason: string; hits: number }>;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#dayRange = db.prepare(
      `select min(day) as first, max(day) as last from counts
       where project = ? and what = ${what.site} and parent = 0 and span = 1`,
    );
    this.#totals = perMeasure((measure) => db.prepare(`select ${sums[measure]} ${countsOfBlocks}`));
    this.#rows = perMeasure((measure) =>
      db.prepare(
        `select n.text as name, human, ai, total
         from (select c.name, ${sums[measure]} ${countsOfBlocks} group by c.name) s join names n on n.id = s.name
         order by total desc, n.text limit @limit offset @offset`,
      ),
    );
    this.#dropped = db.prepare(
      `select reason, sum(hits) as hits from dropped d join projects p on p.id = d.project
       where p.public_id = ? and day >= ? and day < ? group by reason order by hits desc, reason`,
    );
  }

  readCounts(query: CountQuery): CountReport {
    return this.#db.transaction(() => this.#readCounts(query))();
  }

  #readCounts({ projectId, dimension, measure, from, to, limit, offset }: CountQuery): CountReport {
    const project = this.#project.get(projectId);
    const range = project && this.#dayRange.get(project.id);
    if (!project || range?.first == null || range.last == null) return emptyReport();
    const start = Math.max(from ?? range.first, range.first);
    const end = Math.min(to ?? range.last + 1, range.last + 1);
    const blocks = JSON.stringify(coverDays(start, end, project.sealed_through));
    const totals = this.#totals[measure].get({ project: project.id, what: what.site, blocks });
    const rows = this.#rows[measure].all({
      project: project.id,
      what: what[dimension],
      blocks,
      limit: limit + 1,
      offset,
    });
    return {
      totals: { human: totals?.human ?? 0, ai: totals?.ai ?? 0, total: totals?.total ?? 0 },
      rows: rows.slice(0, limit),
      hasMore: rows.length > limit,
    };
  }

  readDropped(projectId: string, from: Day | null, to: Day | null): { reason: string; hits: number }[] {
    return this.#dropped.all(projectId, from ?? -1e9, to ?? 1e9);
  }
}

function perMeasure<T>(make: (measure: Measure) => T): Record<Measure, T> {
  return { visitors: make('visitors'), views: make('views') };
}

function emptyReport(): CountReport {
  return { totals: { human: 0, ai: 0, total: 0 }, rows: [], hasMore: false };
}
