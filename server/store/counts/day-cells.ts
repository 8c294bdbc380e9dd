import { setImmediate as nextTurn } from 'node:timers/promises';
import { usualMinimumGroup } from '../../../shared/project/project.ts';
import { parseSections } from '../../../shared/project/sections.ts';
import type { Day } from '../../counting/calendar.ts';
import {
  type ClosedCells,
  type Closing,
  closeCells,
  type PackedCells,
  sumsOfViews,
  withoutPages,
} from '../../counting/cells/cells.ts';
import type { DayViews } from '../../counting/cells/day-views.ts';
import { type GoalSum, parseAims, type StoredAims } from '../../counting/goal/goal.ts';
import type { Renamed } from '../../counting/page/renamed.ts';
import { what } from '../../counting/what.ts';
import type { Sql } from '../../database/sql.ts';

/** Views with their values, which are left out of those that are not known. */
export interface ValuedViews {
  views: DayViews;
  humanViews: number;
  aiViews: number;
}

export interface CellsRow extends PackedCells {
  humanViews: number;
  aiViews: number;
}

/** Of a project `$1` and a day `$2`. */
export const keptCellsSql =
  'select human_views as "humanViews", ai_views as "aiViews", site, pages from cells where project = $1 and day = $2';
/** Of the columns in their order. */
export const keepCellsSql = `insert into cells (project, day, human_views, ai_views, site, pages) values ($1, $2, $3, $4, $5, $6)
  on conflict (project, day) do update set human_views = excluded.human_views, ai_views = excluded.ai_views,
    site = excluded.site, pages = excluded.pages`;

interface RenamedProject {
  id: number;
  renamed: Renamed | null;
}

/** What a closed day has of sections, and of goals by device, as counts. */
export function sumsOfCells({ sections, devices }: Pick<ClosedCells, 'sections' | 'devices'>): GoalSum[] {
  const ofSections = [...sections].map(
    ([text, [humanVisitors, aiVisitors, visitors, humanViews, aiViews]]) => ({
      ...{ what: what.section, under: null, text },
      sum: { humanVisitors, aiVisitors, visitors, humanViews, aiViews },
    }),
  );
  return [...ofSections, ...devices];
}

/** Columns of a project's row that say what it asks of the views of a day. */
export const askedSettings =
  "settings ->> 'minimumGroup' as least, settings ->> 'sections' as sections, settings ->> 'goals' as goals";

export interface AskedSettings extends Pick<StoredAims, 'goals'> {
  least: string | number | null;
  sections: string | null;
}

/** What a project asks of the views of a day. */
export function toAsked(
  settings: AskedSettings | undefined,
  of: Pick<Closing, 'nameOf' | 'renamed'>,
): Omit<Closing, 'before'> {
  return {
    ...of,
    least: Number(settings?.least ?? usualMinimumGroup),
    sections: parseSections(settings?.sections).map(({ path }) => path),
    goals: parseAims(settings).goals,
  };
}

async function readAsked(db: Sql, { id: project, renamed }: RenamedProject, views: DayViews) {
  const [settings] = await db.query<AskedSettings>(`select ${askedSettings} from projects where id = $1`, [
    project,
  ]);
  const names = await findPaths(db, project, views);
  return toAsked(settings, { nameOf: (path) => names.get(path), renamed });
}

/** Hits are answered between the steps. */
async function finish<T>(steps: Generator<void, T>): Promise<T> {
  let step = steps.next();
  for (; !step.done; step = steps.next()) await nextTurn();
  return step.value;
}

/** `sumsOfCells` of an active day, of which nothing is kept. */
export async function readCellSums(
  db: Sql,
  project: RenamedProject,
  { views }: ValuedViews,
): Promise<GoalSum[]> {
  return sumsOfCells(await finish(sumsOfViews(views, await readAsked(db, project, views))));
}

/**
 * Keeps what closing makes of the views of a day, besides what the day has already; in its transaction. Answers
 * `sumsOfCells`.
 */
export async function keepCells(
  db: Sql,
  project: RenamedProject,
  day: Day,
  { views, humanViews, aiViews }: ValuedViews,
): Promise<GoalSum[]> {
  if (views.size === 0) return [];
  const [before] = await db.query<CellsRow>(keptCellsSql, [project.id, day]);
  const closed = await finish(closeCells(views, { ...(await readAsked(db, project, views)), before }));
  await db.query(keepCellsSql, [
    ...[project.id, day, (before?.humanViews ?? 0) + humanViews, (before?.aiViews ?? 0) + aiViews],
    ...[closed.site, closed.pages],
  ]);
  return sumsOfCells(closed);
}

/** The names of the paths of views, and of events among them, by their numbers. */
export async function findPaths(db: Sql, project: number, views: DayViews): Promise<Map<number, string>> {
  const found = await db.query<{ id: number; text: string }>(
    `select n.id, n.text from names n where n.project = $1 and n.id ${db.dialect.isOneOf('$2')}`,
    [project, [...views.paths(), ...views.events.keys()]],
  );
  return new Map(found.map(({ id, text }) => [id, text]));
}

/** Of closed days, what was kept of pages whose views are counted elsewhere now. */
export async function forgetPages(
  db: Sql,
  { id: project, renamed }: RenamedProject,
  paths: ReadonlySet<string>,
): Promise<void> {
  const rows = await db.query<{ day: Day }>('select day from cells where project = $1 order by day', [
    project,
  ]);
  for (const { day } of rows) {
    const [row] = await db.query<{ pages: Uint8Array }>(
      'select pages from cells where project = $1 and day = $2',
      [project, day],
    );
    const left = row && withoutPages(row.pages, paths, renamed);
    if (left)
      await db.query('update cells set pages = $3 where project = $1 and day = $2', [project, day, left]);
  }
}
