import type { Statement } from 'better-sqlite3';
import type { DroppedTally } from '../store.ts';
import { kindBits, type ViewColumns } from './columns.ts';
import type { Connection } from './connection.ts';
import { Dictionary, type Name } from './dictionary.ts';
import { Seen } from './seen.ts';
import { joinClient, type What, what } from './what.ts';

export interface Delta {
  name: Name;
  humanVisitors: number;
  aiVisitors: number;
  visitors: number;
  humanViews: number;
  aiViews: number;
}

interface DayCounts {
  row: number;
  project: number;
  day: number;
  deltas: Map<number, Delta>;
}

export const site: Name = { id: 0, what: what.site, parent: 0 };

/** Adds to the sums of a thing in a block of days: project, what, parent, span, first day, name, and the five sums. */
export const addCountsSql = `
  insert into counts (project, what, parent, span, day, name,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do update set
    human_visitors = human_visitors + excluded.human_visitors,
    ai_visitors = ai_visitors + excluded.ai_visitors,
    visitors = visitors + excluded.visitors,
    human_views = human_views + excluded.human_views,
    ai_views = ai_views + excluded.ai_views`;

/** Adds to a day's tally: day, reason, family, hits, project. */
export const addDroppedSql = `
  insert into dropped (project, day, reason, family, hits)
  select id, ?, ?, ?, ? from projects where public_id = ?
  on conflict do update set hits = hits + excluded.hits`;

/** Counts batches of views, each in one transaction; the one writer of `seen`, `names` and `counts`. */
export class Counting {
  readonly #dictionary: Dictionary;
  readonly #seen: Seen;
  readonly #findDay: Statement<[string, number], { id: number; project: number; salt: Buffer | null }>;
  readonly #addCounts: Statement<number[]>;
  readonly #addDropped: Statement<[number, string, string, number, string]>;
  readonly #count: (views: ViewColumns, dropped: DroppedTally[]) => number[];

  constructor(db: Connection) {
    this.#dictionary = new Dictionary(db);
    this.#seen = new Seen(db);
    this.#findDay = db.prepare(
      `select d.id, d.project, d.salt from days d join projects p on p.id = d.project
       where p.public_id = ? and d.day = ?`,
    );
    this.#addCounts = db.prepare(addCountsSql);
    this.#addDropped = db.prepare(addDroppedSql);
    const transaction = db.transaction(this.#countAll.bind(this));
    this.#count = transaction.immediate.bind(transaction);
  }

  /** Answers the indexes of the views whose day is not open. */
  count(views: ViewColumns, dropped: DroppedTally[]): number[] {
    try {
      return this.#count(views, dropped);
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  forget(): void {
    this.#dictionary.forget();
    this.#seen.forget();
  }

  #countAll(views: ViewColumns, dropped: DroppedTally[]): number[] {
    const days = new Map<string, DayCounts | null>();
    const refused: number[] = [];
    for (let i = 0; i < views.day.length; i++) {
      const day = this.#openDay(
        days,
        views.projects[views.project[i] as number] as string,
        views.day[i] as number,
      );
      if (day) this.#countOne(day, views, i);
      else refused.push(i);
    }
    for (const day of days.values()) if (day) this.#write(day);
    for (const tally of dropped) {
      this.#addDropped.run(tally.day, tally.reason, tally.family, tally.hits, tally.projectId);
    }
    return refused;
  }

  #openDay(days: Map<string, DayCounts | null>, projectId: string, day: number): DayCounts | null {
    const key = `${projectId} ${day}`;
    const known = days.get(key);
    if (known !== undefined) return known;
    const found = this.#findDay.get(projectId, day);
    const counts = found?.salt ? { row: found.id, project: found.project, day, deltas: new Map() } : null;
    days.set(key, counts);
    return counts;
  }

  #countOne(day: DayCounts, views: ViewColumns, i: number): void {
    const visitor = views.visitor[i] as bigint;
    const kind = views.kind[i] as number;
    const traits = views.traits[views.trait[i] as number];
    if (!traits) throw new Error(`View ${i} of the batch has no traits.`);
    const path = views.path[i] as string;
    const source = views.source[i];
    const country = views.country[i];
    const client = views.client[i];
    const name = (...of: [What, string, number?]) => this.#dictionary.get(day.project, day.row, ...of);

    const before = this.#seen.add(day.row, visitor, site.id, kind);
    add(day, site, kind, before);
    // These follow from the address and the user agent, as the visitor does: whoever is new here is new there.
    add(day, name('device', traits.device), kind, before);
    add(day, name('browser', traits.browser), kind, before);
    add(day, name('system', traits.system), kind, before);
    if (country) add(day, name('country', country), kind, before);

    this.#countNamed(day, name('path', path), visitor, kind);
    if (source) this.#countNamed(day, name('source', source), visitor, kind);
    if (client) {
      const named = name('client', client.name);
      this.#countNamed(day, named, visitor, kind);
      this.#countNamed(day, name('clientProof', joinClient(client)), visitor, kind);
      this.#countNamed(day, name('clientPath', path, named.id), visitor, kind);
    }
  }

  #countNamed(day: DayCounts, name: Name, visitor: bigint, kind: number): void {
    add(day, name, kind, this.#seen.add(day.row, visitor, name.id, kind));
  }

  #write(day: DayCounts): void {
    for (const { name, ...delta } of day.deltas.values()) {
      this.#addCounts.run(
        day.project,
        name.what,
        name.parent,
        1,
        day.day,
        name.id,
        delta.humanVisitors,
        delta.aiVisitors,
        delta.visitors,
        delta.humanViews,
        delta.aiViews,
      );
    }
  }
}

export function emptyDelta(name: Name): Delta {
  return { name, humanVisitors: 0, aiVisitors: 0, visitors: 0, humanViews: 0, aiViews: 0 };
}

function add(day: DayCounts, name: Name, kind: number, before: number): void {
  let delta = day.deltas.get(name.id);
  if (!delta) {
    delta = emptyDelta(name);
    day.deltas.set(name.id, delta);
  }
  addView(delta, kind, before);
}

/** One more view; and a visitor, if none of this kind (or of any kind, for the total) was seen before. */
export function addView(delta: Delta, kind: number, before: number): void {
  const isNew = (before & kind) === 0 ? 1 : 0;
  if (kind === kindBits.human) {
    delta.humanViews++;
    delta.humanVisitors += isNew;
  } else {
    delta.aiViews++;
    delta.aiVisitors += isNew;
  }
  if (before === 0) delta.visitors++;
}
