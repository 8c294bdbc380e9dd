import type { Statement } from 'better-sqlite3';
import { hasGoals } from '../../../../../shared/project/goals.ts';
import type { Day } from '../../../../counting/calendar.ts';
import { DayGoals } from '../../../../counting/goal/day-goals.ts';
import { type Aims, noAims, parseAims, type StoredAims } from '../../../../counting/goal/goal.ts';
import { kindBits } from '../../../../counting/sum.ts';
import { DayVisits, type PageName, type PageSums } from '../../../../counting/visit.ts';
import { what } from '../../../../counting/what.ts';
import type { Connection } from '../../connection.ts';
import type { DayTable } from '../day-table.ts';
import {
  bytesOfOrigins,
  bytesOfViews,
  type PackedOrigins,
  type PackedViews,
  unpackOrigins,
  unpackViews,
} from './packed-views.ts';

/** Keeps the views of active days. Used inside transactions. */
export class VisitViews {
  readonly #append: Statement<[Appended]>;

  constructor(db: Connection) {
    this.#append = db.prepare(
      `insert into visit_views (day, number, human_views, ai_views, views, origins, view_values, log)
       select @day, coalesce(max(number), 0) + 1, @human, @ai, @views, @origins, @values, @log from visit_views where day = +@day`,
    );
  }

  /** @param log that the views come from; null: they come another way */
  add(table: DayTable, log: number | null = null): void {
    const { humanViews: human, aiViews: ai } = table.site;
    const views = table.views();
    if (views.visitors.length === 0) return;
    const origins = table.origins();
    this.#append.run({
      ...{ day: table.row.id, human, ai, views: bytesOfViews(views) },
      origins: origins && bytesOfOrigins(origins),
      values: table.values(),
      log,
    });
  }
}

interface Appended {
  day: number;
  human: number;
  ai: number;
  views: Uint8Array;
  origins: Uint8Array | null;
  values: Uint8Array;
  log: number | null;
}

/** Days by their rows, some of which may have no views. */
export interface VisitDay {
  id: number;
  day: Day;
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

/** How many views of a day are in no row up to the last that was read. */
interface UnknownQuery extends VisitDay {
  project: number;
  last: number;
}

/** Some 16,000 views of a busy server. */
const rowsAtATime = 64;

/** Works out the visits of days that are not sealed. */
export class OpenVisits {
  readonly #days: Statement<[number, Day, Day], VisitDay>;
  readonly #rows: Statement<[number, number, number], ViewsRow>;
  readonly #aims: Statement<[number], StoredAims>;
  readonly #name: Statement<[number, number], string>;
  readonly #unknown: Statement<[UnknownQuery], number>;

  constructor(db: Connection) {
    this.#days = db.prepare(
      'select id, day from days where project = ? and salt is not null and day >= +? and day < +? order by day',
    );
    this.#rows = db.prepare(
      'select number, human_views, ai_views, views, origins from visit_views where day = ? and number > ? order by number limit +?',
    );
    this.#aims = db.prepare(
      `select settings ->> '$.goals' as goals, settings ->> '$.funnels' as funnels,
         settings ->> '$.renamedPaths' as "renamedPaths" from projects where id = ?`,
    );
    this.#name = db
      .prepare<[number, number], string>('select text from names where id = ? and what = ?')
      .pluck();
    const inCounts = (kind: number) =>
      `(select coalesce(sum(human_views + ai_views), 0) from counts
         where project = @project and what = ${kind} and parent = 0 and span = 1 and day = @day)`;
    this.#unknown = db
      .prepare<[UnknownQuery], number>(
        `select ${inCounts(what.site)} - ${inCounts(what.visit)}
           - (select coalesce(sum(human_views + ai_views), 0) from visit_views where day = @id and number > @last)`,
      )
      .pluck();
  }

  /** Of the project's days in the range, from the first, inclusive, to the last, exclusive. */
  *read(project: number, from: Day, to: Day, aims = noAims): Iterable<MeasuredDay> {
    for (const day of this.daysOf(project, from, to)) {
      const visits = this.readDay(project, day, this.begin(aims));
      if (visits) yield visits;
    }
  }

  /** Those that are not sealed. */
  daysOf(project: number, from: Day, to: Day): VisitDay[] {
    return this.#days.all(project, from, to);
  }

  /** Undefined: not all views of the day are known. @param begun from before, and nothing of it is other since */
  readDay(project: number, { id, day }: VisitDay, begun: Progress): MeasuredDay | undefined {
    if (this.#unknown.get({ project, id, day, last: begun.last }) !== begun.views) return undefined;
    while (this.addSome(id, begun));
    const { visits, goals } = begun;
    return { day, all: visits.all, sums: () => visits.sums(), nameOf: this.#nameOf, goals };
  }

  /** Those that the project has set. */
  aimsOf(project: number): Aims {
    return parseAims(this.#aims.get(project));
  }

  begin(aims: Aims): Progress {
    return {
      visits: new DayVisits(this.#nameOf),
      goals: hasGoals(aims) ? new DayGoals(aims, this.#names) : undefined,
      ...{ last: 0, views: 0 },
    };
  }

  /** Answers whether there may be more. */
  addSome(day: number, progress: Progress): boolean {
    const rows = this.#rows.all(day, progress.last, rowsAtATime);
    for (const row of rows) addViews(progress, row);
    return rows.length === rowsAtATime;
  }

  readonly #nameOf: PageName = (path) => this.#name.get(path, what.path);

  readonly #names = {
    path: this.#nameOf,
    event: (event: number) => this.#name.get(event, what.event),
    source: (source: number) => this.#name.get(source, what.source),
    country: (country: number) => this.#name.get(country, what.country),
  };
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

/** Dropped when unused for so long, as are sealed days. */
const keptMs = 60_000;
/** Visitors of all days together: some 100 MB. */
const maxHeld = 200_000;

interface Kept {
  project: number;
  progress: Progress;
  /** What they were looked at for. */
  aims: string;
  /** A process that moves paths becomes the one that counted last. */
  holder: number | undefined;
  end: NodeJS.Timeout;
}

/**
 * The visits of active days as far as they were read, with their visitors: a report goes on from there, as a busy day has views
 * by the million.
 */
export class KeptVisits extends OpenVisits {
  /** By the numbers of days, the last that was asked for at the end. */
  readonly #days = new Map<number, Kept>();
  readonly #holder: Statement<[], number>;

  constructor(db: Connection) {
    super(db);
    this.#holder = db.prepare<[], number>('select holder from seen_holder').pluck();
  }

  override read(project: number, from: Day, to: Day, aims: Aims): MeasuredDay[] {
    return this.daysOf(project, from, to).flatMap((day) => {
      const kept = this.#take(project, day.id, aims);
      const measured = this.readDay(project, day, kept.progress);
      this.#keep(day.id, kept);
      return measured ?? [];
    });
  }

  /** Anew where anything but new views may be different. Where reading fails nothing is kept. */
  #take(project: number, day: number, aims: Aims): Omit<Kept, 'end'> {
    const known = this.#days.get(day);
    if (known) this.#forget(day, known);
    const now = { project, aims: JSON.stringify(aims), holder: this.#holder.get() };
    const isSame = known?.aims === now.aims && known.holder === now.holder;
    return { ...now, progress: isSame ? known.progress : this.begin(aims) };
  }

  /** In place of days of other projects, if need be, but not of the same one, whose reports read both. */
  #keep(day: number, kept: Omit<Kept, 'end'>): void {
    const isOfSame = ([, { project }]: [number, Kept]) => project === kept.project;
    const others = [...this.#days].filter((each) => !isOfSame(each));
    let free = maxHeld - heldBy(kept) - sumOf([...this.#days].filter(isOfSame));
    if (free < 0) return;
    free -= sumOf(others);
    for (const [oldest, each] of others) {
      if (free >= 0) break;
      free += heldBy(each);
      this.#forget(oldest, each);
    }
    this.#days.set(day, { ...kept, end: setTimeout(() => this.#days.delete(day), keptMs).unref() });
  }

  #forget(day: number, { end }: Kept): void {
    clearTimeout(end);
    this.#days.delete(day);
  }
}

/** As visitors: what they did that is a step of a funnel takes an eighth of one. */
function heldBy({ progress: { visits, goals } }: Pick<Kept, 'progress'>): number {
  return visits.visitors + (goals?.deeds ?? 0) / 8;
}

const sumOf = (days: [number, Kept][]) => days.reduce((sum, [, kept]) => sum + heldBy(kept), 0);
