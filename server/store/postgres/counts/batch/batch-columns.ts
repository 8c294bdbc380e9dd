import { blocksOf } from '../../../../counting/blocks.ts';
import { countedThings, type RowKind, things } from '../../../../counting/count-view.ts';
import type { NameCap } from '../../../../counting/names/name-cap.ts';
import { type KindBit, kindBits } from '../../../../counting/sum.ts';
import { parentOf, what } from '../../../../counting/what.ts';
import type { SqlValue } from '../../../../database/sql.ts';
import type { NamedViews as NamedViewCount, RecordedCap } from '../../../counts/import-record.ts';
import {
  type BatchDay,
  CounterSums,
  cellsPerView,
  momentCell,
  rowKindOf,
  type ViewTable,
  ViewValues,
} from '../../../counts/view-table.ts';
import { bigintArray, halvesArray, intArray, intsOf } from '../arrays.ts';
import { bucketOf, shardCount, shardOf } from '../counted-project.ts';
import type { CounterAddition } from '../counter-rows.ts';
import type { OpenDayRow } from '../day-rows.ts';
import { type NamedViews, namesPerView, storable } from '../names/named-views.ts';
import { type KnownVisitorKeys, VisitorColumns } from './visitor-columns.ts';

/** Views of a name on a day. */
interface ViewSum {
  day: number;
  shard: number;
  what: number;
  parent: number;
  name: number;
  human: number;
  ai: number;
}

interface Capped {
  day: number;
  shard: number;
  what: number;
  cap: NameCap;
  kind: KindBit;
  client: string;
  views: number;
}

const rememberedBy = (kind: RowKind) =>
  countedThings[kind].filter((thing) => !thing.followsVisitor).map((thing) => thing.what);
const remembered = {
  view: rememberedBy('view'),
  event: rememberedBy('event'),
  property: rememberedBy('property'),
};
const following = things.filter((thing) => thing.followsVisitor).map((thing) => thing.what);

/** Room for a number of a name. */
const namesPerKey = 2 ** 29;

/** What a batch adds, as the columns that `count_traced_batch` takes (functions/count_traced_batch.sql has their meaning). */
export class BatchColumns {
  /** By ascending number. */
  readonly days: OpenDayRow[];
  readonly #views: ViewTable;
  readonly #named: NamedViews;
  readonly #dayPlaces: Map<OpenDayRow, number>;
  readonly #visitors: VisitorColumns;
  readonly #visits: VisitColumns;
  readonly #hasGoals: (view: number) => boolean;
  readonly #sums = new Map<number, ViewSum>();
  readonly #capped = new Map<string, Capped>();
  /** By day and shard. */
  readonly #besides = new Map<number, { day: number; shard: number; sums: CounterSums }>();

  /**
   * @param days of the batch, in its order
   * @param known what is left out, as the database has it
   */
  constructor(
    views: ViewTable,
    named: NamedViews,
    indexes: readonly number[],
    days: readonly Pick<BatchDay, 'hasGoals'>[],
    known?: KnownVisitorKeys,
  ) {
    this.#views = views;
    this.#hasGoals = (view) => days[views.cells[view * cellsPerView] as number]?.hasGoals === true;
    this.#named = named;
    const rows = new Set(indexes.map((view) => named.rowOf(view) as OpenDayRow));
    this.days = [...rows].sort((a, b) => a.id - b.id);
    this.#dayPlaces = new Map(this.days.map((row, i) => [row, i]));
    this.#visitors = new VisitorColumns(views, this.days, known);
    this.#visits = new VisitColumns(views);
    for (const view of indexes) this.#add(view, named.rowOf(view) as OpenDayRow);
  }

  /** Views by people and AI clients of a day, by its place. */
  siteViews(place: number): { human: number; ai: number } {
    const sites = [...this.#sums.values()].filter(({ day, name }) => day === place && name === 0);
    return {
      human: sites.reduce((sum, { human }) => sum + human, 0),
      ai: sites.reduce((sum, { ai }) => sum + ai, 0),
    };
  }

  /** Views by name of a day, by its place. */
  namedViews(place: number): NamedViewCount[] {
    return [...this.#sums.values()]
      .filter(({ day }) => day === place)
      .map(({ name, human, ai }) => ({ id: name, human, ai }));
  }

  /** Views of a day, by its place, that counted under no name of their own. */
  cappedViews(place: number): RecordedCap[] {
    return [...this.#capped.values()]
      .filter(({ day }) => day === place)
      .map(({ what, cap, kind, client, views }) => ({ what, cap, kind, client, views }));
  }

  /** What the views add to besides. */
  counters(): CounterAddition[] {
    return [...this.#besides.values()].flatMap(({ day, shard, sums }) => {
      const row = this.days[day] as OpenDayRow;
      return sums.sums().map(({ group, name, ...sum }) => ({
        ...sum,
        group: storable(group),
        name: storable(name),
        place: day + 1,
        shard,
        project: row.project,
        day: row.day,
      }));
    });
  }

  /** As `count_traced_batch` takes them. */
  values(): SqlValue[] {
    return [
      ...this.#dayColumns(),
      ...this.#blockColumns(),
      ...this.#visitors.values(),
      ...this.#countColumns(),
      ...this.#cappedColumns(),
      ...this.#visits.values(),
    ];
  }

  /** As `count_grouped_batch` takes them. */
  grouped(): SqlValue[] {
    return [
      ...this.#dayColumns(),
      intArray(this.days.map(({ day }) => day)),
      ...this.#visitors.grouped(),
      ...this.#groupedCounts(),
      ...this.#cappedColumns(),
      ...this.#visits.values(),
      ...this.traces(),
    ];
  }

  /** As both take them. */
  traces(): SqlValue[] {
    return this.#visits.traces();
  }

  /** After the database has all of it, for good. */
  remember(): void {
    this.#visitors.remember();
  }

  #add(view: number, row: OpenDayRow): void {
    const day = this.#dayPlaces.get(row) as number;
    const visitor = this.#visitors.placeOf(view, day);
    const kind = this.#views.cells[view * cellsPerView + 1] as KindBit;
    const bucket = bucketOf(row, this.#views.visitors[view] as bigint);
    const at = view * namesPerView;
    const rowKind = rowKindOf(this.#views, view);
    const isView = rowKind === 'view';
    if (isView) {
      this.#visitors.seeSite(visitor, kind, () =>
        following.map((thing) => this.#named.ids[at + thing] as number),
      );
    }
    if (isView || (rowKind === 'event' && kind === kindBits.human && this.#hasGoals(view)))
      this.#addToVisit(view, day, shardOf(row.project, bucket), kind);
    // A day with nothing but events has a sum of its site, too.
    this.#addTo(row, day, bucket, what.site, 0, 0, kind, isView ? 1 : 0);
    for (const thing of remembered[rowKind]) {
      const name = this.#named.ids[at + thing] as number;
      if (name < 0) continue;
      this.#visitors.see(visitor, name, kind);
      const above = parentOf[thing];
      const parent = above === undefined ? 0 : (this.#named.ids[at + above] as number);
      this.#addTo(row, day, bucket, thing, parent, name, kind);
    }
    for (const thing of isView ? following : []) {
      const name = this.#named.ids[at + thing] as number;
      if (name >= 0) this.#addTo(row, day, bucket, thing, 0, name, kind);
    }
    this.#addBesides(view, day, shardOf(row.project, bucket));
    if (this.#named.caps.size > 0) this.#noteCaps(view, day, shardOf(row.project, bucket), kind);
  }

  #addToVisit(view: number, day: number, shard: number, kind: KindBit): void {
    const idOf = (thing: number) => this.#named.ids[view * namesPerView + thing] as number;
    const isView = rowKindOf(this.#views, view) === 'view';
    this.#visits.add(view, {
      ...{ place: day + 1, shard, path: idOf(isView ? what.path : what.event), kind: isView ? kind : 0 },
      origin: this.#hasGoals(view) ? originOf(idOf(what.source), idOf(what.country)) : null,
      isOther: isView ? (thing) => this.#named.caps.has(view * namesPerView + thing) : undefined,
    });
  }

  #addTo(
    { project }: OpenDayRow,
    day: number,
    bucket: number,
    thing: number,
    parent: number,
    name: number,
    kind: KindBit,
    views = 1,
  ): void {
    const key = (day * shardCount + bucket) * namesPerKey + name;
    let sum = this.#sums.get(key);
    if (!sum) {
      sum = { day, shard: shardOf(project, bucket), what: thing, parent, name, human: 0, ai: 0 };
      this.#sums.set(key, sum);
    }
    if (kind === kindBits.human) sum.human += views;
    else sum.ai += views;
  }

  #addBesides(view: number, day: number, shard: number): void {
    const key = day * shardCount + shard;
    let besides = this.#besides.get(key);
    if (!besides) {
      besides = { day, shard, sums: new CounterSums(this.#views) };
      this.#besides.set(key, besides);
    }
    besides.sums.add(view);
  }

  #noteCaps(view: number, day: number, shard: number, kind: KindBit): void {
    for (const { what: thing } of countedThings[rowKindOf(this.#views, view)]) {
      const cap = this.#named.caps.get(view * namesPerView + thing);
      if (cap === undefined) continue;
      const client = this.#named.senderOf(view).client?.name ?? '';
      const key = `${day} ${shard} ${thing} ${cap} ${kind} ${client}`;
      const known = this.#capped.get(key);
      if (known) known.views++;
      else this.#capped.set(key, { day, shard, what: thing, cap, kind, client, views: 1 });
    }
  }

  #dayColumns(): SqlValue[] {
    return intsOf(this.days, 'id', 'project', 'bin', 'nameChanges');
  }

  #blockColumns(): SqlValue[] {
    const blocks = this.days.map(({ day, isSealed }) => blocksOf(day, { isSealed }));
    const all = blocks.flat();
    let last = 0;
    return [intArray(blocks.map(({ length }) => (last += length))), ...intsOf(all, 'span', 'day')];
  }

  #countColumns(): SqlValue[] {
    const rows = [...this.#sums.values()];
    return [
      intArray(rows.map(({ day }) => day + 1)),
      ...intsOf(rows, 'shard', 'what', 'parent', 'name', 'human', 'ai'),
    ];
  }

  /** By day and shard, as `pending_counts` has them. */
  #groupedCounts(): SqlValue[] {
    const groups = [
      ...Map.groupBy(this.#sums.values(), ({ day, shard }) => day * shardCount + shard).values(),
    ];
    const firsts = groups.map(([first]) => first as ViewSum);
    const all = groups.flat();
    let last = 0;
    return [
      intArray(firsts.map(({ day }) => day + 1)),
      intArray(firsts.map(({ shard }) => shard)),
      intArray(groups.map(({ length }) => (last += length))),
      halvesArray(
        all.map(({ name, human }) => (name << 2) | (human >>> 15)),
        all.map(({ human, ai }) => (human << 17) | ai),
      ),
    ];
  }

  #cappedColumns(): SqlValue[] {
    const rows = [...this.#capped.values()];
    return [
      intArray(rows.map(({ day }) => day + 1)),
      intArray(rows.map(({ shard }) => shard)),
      intArray(rows.map(({ day }) => (this.days[day] as OpenDayRow).day)),
      ...intsOf(rows, 'what'),
      rows.map(({ cap }) => cap),
      ...intsOf(rows, 'kind'),
      rows.map(({ client }) => client),
      ...intsOf(rows, 'views'),
    ];
  }
}

interface ViewPlace {
  /** Of the day, from 1. */
  place: number;
  shard: number;
  /** Or of an event, which is of the kind 0. */
  path: number;
  kind: KindBit | 0;
  /** By `originOf`; null: nobody asks for it. */
  origin: bigint | null;
  /** As `ViewValues` takes it. */
  isOther: ((thing: number) => boolean) | undefined;
}

/** Where a view came from, by numbers of names; below 0: it has none. */
export function originOf(source: number, country: number): bigint {
  return (BigInt(Math.max(source, 0)) << 29n) | BigInt(Math.max(country, 0));
}

/** Views of a day in a shard. */
interface ViewsRow {
  place: number;
  shard: number;
  human: number;
  ai: number;
  visitors: bigint[];
  views: bigint[];
  origins: (bigint | null)[];
  values: ViewValues;
}

/** The views of a batch, of which visits are made, as columns (functions/note_visits.sql). */
export class VisitColumns {
  readonly #views: ViewTable;
  readonly #rows = new Map<number, ViewsRow>();

  constructor(views: ViewTable) {
    this.#views = views;
  }

  add(view: number, { place, shard, path, kind, origin, isOther }: ViewPlace): void {
    const moment = this.#views.cells[view * cellsPerView + momentCell] as number;
    const row = this.#rowOf(place, shard);
    if (kind === kindBits.human) row.human++;
    else if (kind === kindBits.ai) row.ai++;
    row.visitors.push(this.#views.visitors[view] as bigint);
    row.views.push((BigInt(moment) << 31n) | BigInt(path * 4 + kind));
    row.origins.push(origin);
    row.values.add(view, isOther);
  }

  values(): SqlValue[] {
    const rows = [...this.#rows.values()];
    let last = 0;
    return [
      ...intsOf(rows, 'place', 'shard'),
      intArray(rows.map(({ views }) => (last += views.length))),
      ...intsOf(rows, 'human', 'ai'),
      bigintArray(rows.flatMap(({ visitors }) => visitors)),
      bigintArray(rows.flatMap(({ views }) => views)),
    ];
  }

  /** Which rows have origins, and all of them; both empty: no project has goals. And what views are combined by. */
  traces(): SqlValue[] {
    const rows = [...this.#rows.values()];
    const isTraced = ({ origins }: ViewsRow) => origins[0] !== null;
    const values = rows.map(({ values }) => `\\x${Buffer.from(values.bytes()).toString('hex')}`);
    if (!rows.some(isTraced)) return ['{}', '{}', values];
    const all = rows.flatMap(({ origins }) => origins.map((origin) => origin ?? 0n));
    return [rows.map(isTraced), bigintArray(all), values];
  }

  #rowOf(place: number, shard: number): ViewsRow {
    const key = place * shardCount + shard;
    let row = this.#rows.get(key);
    if (!row) {
      row = {
        place,
        shard,
        human: 0,
        ai: 0,
        visitors: [],
        views: [],
        origins: [],
        values: new ViewValues(this.#views),
      };
      this.#rows.set(key, row);
    }
    return row;
  }
}
