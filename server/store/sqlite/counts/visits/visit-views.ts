import { hasGoals } from '../../../../../shared/project/goals.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { DayGoals } from '../../../../counting/goal/day-goals.ts';
import { type Aims, noAims, parseAims, type StoredAims } from '../../../../counting/goal/goal.ts';
import { kindBits } from '../../../../counting/sum.ts';
import { DayVisits, type PageName, type PageSums } from '../../../../counting/visit.ts';
import { what } from '../../../../counting/what.ts';
import type { Connection } from '../../connection.ts';
import type { DayTable } from '../day-table.ts';
import { activeDays, keptDays, rowsAtATime, type VisitDay } from './active-days.ts';
import {
  bytesOfOrigins,
  bytesOfViews,
  type PackedOrigins,
  type PackedViews,
  unpackOrigins,
  unpackViews,
} from './packed-views.ts';

/** Keeps the views of active days. Used inside transactions. */
export function viewKeeper(db: Connection) {
  const append = db.prepare<[object]>(
    `insert into visit_views (day, number, human_views, ai_views, views, origins, view_values, log)
     select @day, coalesce(max(number), 0) + 1, @human, @ai, @views, @origins, @values, @log from visit_views where day = +@day`,
  );
  /** @param log that the views come from; null: they come another way */
  return (table: DayTable, log: number | null = null): void => {
    const { humanViews: human, aiViews: ai } = table.site;
    const views = table.views();
    if (views.visitors.length === 0) return;
    const origins = table.origins();
    append.run({
      ...{ day: table.row.id, human, ai, views: bytesOfViews(views) },
      origins: origins && bytesOfOrigins(origins),
      values: table.values(),
      log,
    });
  };
}

/** Of a day whose views are all known: what its visits add, by the numbers of paths. */
export interface MeasuredDay {
  day: Day;
  all: DayVisits['all'];
  sums: () => PageSums;
  nameOf: PageName;
  /** Undefined: the project has none, or had none as the day began. */
  goals: Pick<DayGoals, 'sums' | 'funnelSums' | 'sumsBy'> | undefined;
}

/** Visits of a day so far, and up to which row they are. */
export interface Progress {
  visits: DayVisits;
  /** Undefined: not read, or of some views the source is unknown. */
  goals: DayGoals | undefined;
  last: number;
  /** All of the rows, whether their visits are known or not. */
  views: number;
}

interface ViewsRow {
  number: number;
  human_views: number;
  ai_views: number;
  views: Buffer;
  origins: Buffer | null;
}

/** Works out the visits of days that are not sealed. */
export function openVisits(db: Connection) {
  const daysOf = activeDays(db);
  const readRows = db.prepare<[number, number, number], ViewsRow>(
    'select number, human_views, ai_views, views, origins from visit_views where day = ? and number > ? order by number limit +?',
  );
  const readAims = db.prepare<[number], StoredAims>(
    `select settings ->> '$.goals' as goals, settings ->> '$.funnels' as funnels,
       settings ->> '$.renamedPaths' as "renamedPaths" from projects where id = ?`,
  );
  const readName = db
    .prepare<[number, number], string>('select text from names where id = ? and what = ?')
    .pluck();
  const inCounts = (kind: number) =>
    `(select coalesce(sum(human_views + ai_views), 0) from counts
       where project = @project and what = ${kind} and parent = 0 and span = 1 and day = @day)`;
  /** How many views of a day are in no row up to the last that was read. */
  const countUnknown = db
    .prepare<[object], number>(
      `select ${inCounts(what.site)} - ${inCounts(what.visit)}
         - (select coalesce(sum(human_views + ai_views), 0) from visit_views where day = @id and number > @last)`,
    )
    .pluck();
  const nameBy = (thing: number) => (name: number) => readName.get(name, thing);
  const nameOf: PageName = nameBy(what.path);
  const names = {
    path: nameOf,
    event: nameBy(what.event),
    source: nameBy(what.source),
    country: nameBy(what.country),
  };

  /** Of the project's days in the range, from the first, inclusive, to the last, exclusive. */
  function* read(project: number, from: Day, to: Day, aims = noAims): Iterable<MeasuredDay> {
    for (const day of daysOf(project, from, to)) {
      const visits = readDay(project, day, begin(aims));
      if (visits) yield visits;
    }
  }

  /** Undefined: not all views of the day are known. @param begun from before, and nothing of it is other since */
  function readDay(project: number, { id, day }: VisitDay, begun: Progress): MeasuredDay | undefined {
    if (countUnknown.get({ project, id, day, last: begun.last }) !== begun.views) return undefined;
    while (addSome(id, begun));
    const { visits, goals } = begun;
    return { day, all: visits.all, sums: () => visits.sums(), nameOf, goals };
  }

  /** Those that the project has set. */
  function aimsOf(project: number): Aims {
    return parseAims(readAims.get(project));
  }

  function begin(aims: Aims): Progress {
    return {
      visits: new DayVisits(nameOf),
      goals: hasGoals(aims) ? new DayGoals(aims, names) : undefined,
      ...{ last: 0, views: 0 },
    };
  }

  /** Answers whether there may be more. */
  function addSome(day: number, progress: Progress): boolean {
    const rows = readRows.all(day, progress.last, rowsAtATime);
    for (const row of rows) addViews(progress, row);
    return rows.length === rowsAtATime;
  }

  return { read, readDay, daysOf, aimsOf, begin, addSome };
}

function addViews(progress: Progress, { number, human_views, ai_views, views, origins }: ViewsRow): void {
  const packed = unpackViews(views);
  progress.last = number;
  progress.views += human_views + ai_views;
  progress.visits.add(packed);
  if (progress.goals && origins) addToGoals(progress.goals, packed, unpackOrigins(origins));
  else if (human_views > 0) progress.goals = undefined;
}

function addToGoals(
  goals: DayGoals,
  { visitors, moments, paths }: PackedViews,
  { sources, countries }: PackedOrigins,
): void {
  for (let i = 0; i < visitors.length; i++) {
    const [visitor, moment, path] = [visitors[i] as bigint, moments[i] as number, paths[i] as number];
    const kind = moment & 3;
    const [source, country] = [sources[i] as number, countries[i] as number];
    if (kind === 0) goals.addEvent(visitor, moment >>> 2, path);
    else if (kind === kindBits.human) goals.addView(visitor, moment >>> 2, { path, source, country });
  }
}

/** Visitors of all days together: some 100 MB. */
const maxHeld = 200_000;

/** The visits of active days as far as they were read, with their visitors. */
export function keptVisits(db: Connection) {
  const open = openVisits(db);
  const kept = keptDays<Progress>(db, heldBy, maxHeld);
  return {
    aimsOf: open.aimsOf,
    read: (project: number, from: Day, to: Day, aims: Aims): MeasuredDay[] =>
      open.daysOf(project, from, to).flatMap((day) => {
        const of = { id: day.id, project, asked: JSON.stringify(aims) };
        const begin = () => open.begin(aims);
        return kept(of, begin, (progress) => open.readDay(project, day, progress)) ?? [];
      }),
  };
}

/** As visitors: what they did that is a step of a funnel takes an eighth of one. */
function heldBy({ visits, goals }: Progress): number {
  return visits.visitors + (goals?.deeds ?? 0) / 8;
}
