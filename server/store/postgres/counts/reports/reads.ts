import { type Block, coverDays } from '../../../../counting/blocks.ts';
import type { Day } from '../../../../counting/calendar.ts';
import {
  type CountedDays,
  findReadDays,
  neverRead,
  type Question,
  type ReadDays,
} from '../../../../counting/read-days.ts';
import { what } from '../../../../counting/what.ts';
import type { ReadPathsQuery, ReadsQuery } from '../../../counts/analytics-store.ts';
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import { type CountedProject, findProject, ofProject, placeOf } from '../counted-project.ts';
import { findNumber } from '../names/counted-names.ts';
import { allCounts, pendingCounts } from './pending.ts';
import { readDays } from './reports.ts';

/** What reads are counts of: of paths by any AI client, or by one. */
interface Kind {
  db: Queryable;
  project: CountedProject;
  what: number;
  parent: number;
}

interface NamedPage {
  since: Day | null;
  name: number;
}

/** Says when AI clients read pages. */
export class Reads {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  findReads({ projectId, client, pages }: ReadsQuery): Promise<ReadDays[]> {
    const nothing = pages.map(() => neverRead);
    return this.#read<ReadDays[]>(projectId, client, nothing, async (kind, days) => {
      const names = await findNames(
        kind,
        pages.map(({ path }) => path),
      );
      const known = pages.flatMap(({ path, since }, i) => {
        const name = names.get(path);
        return name === undefined ? [] : [{ i, since, name }];
      });
      const found = await follow(kind, known, days);
      const byPage = new Map(known.map(({ i }, place) => [i, found[place]]));
      return pages.map((_, i) => byPage.get(i) ?? neverRead);
    });
  }

  listReadPaths({ projectId, client, from }: ReadPathsQuery): Promise<string[]> {
    return this.#read<string[]>(projectId, client, [], async (kind, days) => {
      const blocks = coverDays(Math.max(from, days.from), days.to, days.sealedThrough);
      const rows = await kind.db.query<{ path: string }>(
        `select n.text as path from names n where n.project = $2 and n.id in (
           select c.name from ${allCounts(
             kind.project,
             'c.span = b.span and c.day = b.day and c.what = $5 and c.parent = $6 and c.ai_views > 0',
             'unnest($3::smallint[], $4::int[]) b (span, day)',
           )} c)`,
        [...placeOf(kind.project), ...columnsOf(blocks), kind.what, kind.parent],
      );
      return rows.map(({ path }) => path);
    });
  }

  /** All in one snapshot. */
  #read<T>(
    projectId: string,
    client: string | null,
    nothing: T,
    read: (kind: Kind, days: CountedDays) => Promise<T>,
  ): Promise<T> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, projectId);
      const counted = project && (await readDays(db, project));
      if (!project || !counted) return nothing;
      const parent =
        client === null ? 0 : await findNumber(db, project.id, { what: what.client, text: client });
      if (parent === undefined) return nothing;
      const kind = { db, project, what: client === null ? what.path : what.clientPath, parent };
      const { sealedThrough } = project;
      return read(kind, { from: counted.first, to: counted.last + 1, sealedThrough });
    });
  }
}

async function findNames(
  { db, project, what, parent }: Kind,
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ text: string; id: number }>(
    `select n.text, n.id from unnest($4::text[]) w (text) join names n
       on n.project = $1 and n.what = $2 and n.parent = $3 and text_hash(n.text) = text_hash(w.text) and n.text = w.text`,
    [project.id, what, parent, paths],
  );
  return new Map(rows.map(({ text, id }) => [text, id]));
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

/** Lateral and with a limit: one search in the index for each question. */
async function answer(
  { db, project, what, parent }: Kind,
  pages: readonly NamedPage[],
  questions: readonly Question[],
): Promise<boolean[]> {
  const asked = 'unnest($3::smallint[], $4::int[], $5::int[]) with ordinality q (span, day, name, place)';
  const isRead =
    'c.span = q.span and c.day = q.day and c.what = $6 and c.parent = $7 and c.name = q.name and c.ai_views > 0';
  const found = `${ofProject('c', project)} and ${isRead}`;
  const pending = `select q.place from ${asked} join ${pendingCounts(project)} c on ${isRead}`;
  const rows = await db.query<{ place: number }>(
    project.shards.length === 1
      ? `select q.place from ${asked} cross join lateral (select 1 from counts c where ${found} limit 1) hit
         union ${pending}`
      : `select q.place from ${asked} join counts c on ${found} union ${pending}`,
    [
      ...placeOf(project),
      ...columnsOf(questions),
      questions.map(({ page }) => pages[page]?.name as number),
      what,
      parent,
    ],
  );
  const hits = new Set(rows.map(({ place }) => place));
  return questions.map((_, i) => hits.has(i + 1));
}

function columnsOf(blocks: readonly Block[]): [number[], Day[]] {
  return [blocks.map(({ span }) => span), blocks.map(({ day }) => day)];
}
