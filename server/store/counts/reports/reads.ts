import { coverDays } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import {
  type CountedDays,
  findReadDays,
  neverRead,
  type Question,
  type ReadDays,
} from '../../../counting/read-days.ts';
import { what } from '../../../counting/what.ts';
import type { Sql } from '../../../database/sql.ts';
import type { ReadPathsQuery, ReadsQuery } from '../analytics-store.ts';
import {
  blocksIn,
  type CountedProject,
  findNumber,
  findNumbers,
  findProject,
  placeOf,
  type ReportTables,
} from '../count-tables.ts';
import { findMembers } from '../renamed.ts';

/** What reads are counts of: of paths by any AI client, or by one. */
interface Kind {
  sql: Sql;
  project: CountedProject;
  what: number;
  parent: number;
}

interface NamedPage {
  since: Day | null;
  name: number;
}

/** Of a page under all of its names. */
function joinReads(all: readonly ReadDays[]): ReadDays {
  const end = (name: keyof ReadDays, of: 'min' | 'max') => {
    const days = all.flatMap((reads) => reads[name] ?? []);
    return days.length === 0 ? null : Math[of](...days);
  };
  return { first: end('first', 'min'), last: end('last', 'max'), since: end('since', 'min') };
}

/** When AI clients read pages. */
export function readReports(sql: Sql, tables: ReportTables) {
  const { dialect } = sql;

  /** All in one snapshot. */
  function read<T>(
    projectId: string,
    client: string | null,
    nothing: T,
    read: (kind: Kind, days: CountedDays) => Promise<T>,
  ): Promise<T> {
    return sql.snapshot(async (sql) => {
      const project = await findProject(sql, tables, projectId);
      const counted = project && (await tables.findDays(sql, project));
      if (!project || !counted) return nothing;
      const named = client === null ? null : { what: what.client, text: client };
      const parent = await findNumber(sql, tables, project, named);
      if (parent === undefined) return nothing;
      const kind = { sql, project, what: client === null ? what.path : what.clientPath, parent };
      return read(kind, {
        from: counted.first,
        to: counted.last + 1,
        sealedThrough: project.sealedThrough,
      });
    });
  }

  async function follow(kind: Kind, pages: readonly NamedPage[], days: CountedDays): Promise<ReadDays[]> {
    const asking = findReadDays(
      pages.map(({ since }) => since),
      days,
    );
    let step = asking.next();
    while (!step.done) step = asking.next(await answer(kind, pages, step.value));
    return step.value;
  }

  /** One search in the index for each question. */
  async function answer(
    { sql, project, what, parent }: Kind,
    pages: readonly NamedPage[],
    questions: readonly Question[],
  ): Promise<boolean[]> {
    const from = dialect.rows('$3', { place: 'int', span: 'int', day: 'int', name: 'int' });
    const is = 'c.what = $4 and c.parent = $5 and c.name = x.name and c.ai_views > 0';
    const rows = await sql.query<{ place: number }>(
      `select place from ${tables.counts(project, { from, is, columns: 'x.place' })} c`,
      [
        ...placeOf(project),
        JSON.stringify(
          questions.map(({ page, span, day }, place) => ({ place, span, day, name: pages[page]?.name })),
        ),
        ...[what, parent],
      ],
    );
    const answers = questions.map(() => false);
    for (const { place } of rows) answers[place] = true;
    return answers;
  }

  return {
    /** For each of the pages; those that nobody knows were never read. */
    findReads({ projectId, client, pages }: ReadsQuery): Promise<ReadDays[]> {
      const nothing = pages.map(() => neverRead);
      return read<ReadDays[]>(projectId, client, nothing, async (kind, days) => {
        const texts = pages.map(({ path }) => path);
        const names = await findNumbers(kind.sql, tables, kind.project, { ...kind, texts });
        const members = Map.groupBy(await findMembers(kind, [kind.what], kind.parent), ({ path }) => path);
        const known = pages.flatMap(({ path, since }, i) => {
          const name = names.get(path);
          const ids = members.get(path)?.map(({ id }) => id) ?? (name === undefined ? [] : [name]);
          return ids.map((name) => ({ i, since, name }));
        });
        const found = await follow(kind, known, days);
        const byPage = Map.groupBy(known.keys(), (place) => known[place]?.i);
        return pages.map((_, i) =>
          joinReads((byPage.get(i) ?? []).map((place) => found[place] ?? neverRead)),
        );
      });
    },

    /** Which paths an AI client read from a day on; in no particular order. */
    listReadPaths({ projectId, client, from }: ReadPathsQuery): Promise<string[]> {
      return read<string[]>(projectId, client, [], async ({ sql, project, what, parent }, days) => {
        const blocks = coverDays(Math.max(from, days.from), days.to, days.sealedThrough);
        const is = 'c.what = $4 and c.parent = $5 and c.ai_views > 0';
        const names = 'o.what = $4 and o.parent = $5';
        const counts = tables.counts(project, { from: blocksIn(sql, '$3'), is, columns: 'c.name', names });
        const rows = await sql.query<{ path: string }>(
          `select n.text as path from (select distinct c.name from ${counts} c) s cross join names n
           where n.project = $2 and n.id = s.name`,
          [...placeOf(project), JSON.stringify(blocks), what, parent],
        );
        return [...new Set(rows.map(({ path }) => project.renamed?.(path) ?? path))];
      });
    },
  };
}
