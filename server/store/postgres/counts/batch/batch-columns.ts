import { blocksOf } from '../../../../counting/blocks.ts';
import { countedThings, type RowKind, things } from '../../../../counting/count-view.ts';
import type { NameCap } from '../../../../counting/names/name-cap.ts';
import { type KindBit, kindBits } from '../../../../counting/sum.ts';
import { parentOf, what } from '../../../../counting/what.ts';
import { TallySums } from '../../../counts/tally-sums.ts';
import { type BatchDay, cellsPerView, rowKindOf, type ViewTable } from '../../../counts/view-table.ts';
import type { SqlValue } from '../../queryable.ts';
import { bigintArray, intArray } from '../arrays.ts';
import type { OpenDayRow } from '../day-rows.ts';
import { type NamedViews, namesPerView, storable } from '../names/named-views.ts';
import { bucketOf, shardCount, shardOf, shardOfVisitor } from '../shards.ts';
import type { TallyAddition } from '../tally-rows.ts';
import { VisitorPlaces } from '../visitor-places.ts';
import { originOf, VisitColumns } from './visit-columns.ts';

/** Views of a name on a day. */
interface Tally {
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

/** Room for a number of a name and one of four kinds. */
const perVisitor = 2 ** 31;

/** What a batch adds, as the columns that `count_batch` takes (migrations/0003-count-batch.sql has their meaning). */
export class BatchColumns {
  /** By ascending number. */
  readonly days: OpenDayRow[];
  readonly #views: ViewTable;
  readonly #named: NamedViews;
  readonly #dayPlaces: Map<OpenDayRow, number>;
  readonly #visitors: VisitorPlaces;
  readonly #visits: VisitColumns;
  readonly #hasGoals: (view: number) => boolean;
  readonly #humanSets: number[] = [];
  readonly #aiSets: number[] = [];
  readonly #seen = new Set<number>();
  readonly #sightingVisitors: number[] = [];
  readonly #sightings: number[] = [];
  readonly #setPlaces = new Map<string, number>();
  /** By set: how many names it and those before it have. */
  readonly #lastNames: number[] = [];
  readonly #setNames: number[] = [];
  readonly #tallies = new Map<number, Tally>();
  readonly #capped = new Map<string, Capped>();
  /** By day and shard. */
  readonly #besides = new Map<number, { day: number; shard: number; sums: TallySums }>();

  /** @param days of the batch, in its order */
  constructor(
    views: ViewTable,
    named: NamedViews,
    indexes: readonly number[],
    days: readonly Pick<BatchDay, 'hasGoals'>[],
  ) {
    this.#views = views;
    this.#hasGoals = (view) => days[views.cells[view * cellsPerView] as number]?.hasGoals === true;
    this.#named = named;
    const rows = new Set(indexes.map((view) => named.rowOf(view) as OpenDayRow));
    this.days = [...rows].sort((a, b) => a.id - b.id);
    this.#dayPlaces = new Map(this.days.map((row, i) => [row, i]));
    this.#visitors = new VisitorPlaces(views.visitors);
    this.#visits = new VisitColumns(views);
    for (const view of indexes) this.#add(view, named.rowOf(view) as OpenDayRow);
  }

  /** Views by people and AI clients of a day, by its place. */
  siteViews(place: number): { human: number; ai: number } {
    const sites = [...this.#tallies.values()].filter(({ day, name }) => day === place && name === 0);
    return {
      human: sites.reduce((sum, { human }) => sum + human, 0),
      ai: sites.reduce((sum, { ai }) => sum + ai, 0),
    };
  }

  /** What the views add to besides. */
  tallies(): TallyAddition[] {
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

  values(): SqlValue[] {
    return [
      ...this.#dayColumns(),
      ...this.#visitorColumns(),
      ...this.#countColumns(),
      ...this.#cappedColumns(),
      ...this.#visits.values(),
    ];
  }

  origins(): SqlValue[] | null {
    return this.#visits.origins();
  }

  #add(view: number, row: OpenDayRow): void {
    const day = this.#dayPlaces.get(row) as number;
    const visitor = this.#visitors.of(view, day);
    const kind = this.#views.cells[view * cellsPerView + 1] as KindBit;
    const bucket = bucketOf(row, this.#views.visitors[view] as bigint);
    const at = view * namesPerView;
    const rowKind = rowKindOf(this.#views, view);
    const isView = rowKind === 'view';
    if (isView) {
      this.#see(visitor, 0, kind);
      this.#noteSet(visitor, kind, at);
    }
    if (isView || (rowKind === 'event' && kind === kindBits.human && this.#hasGoals(view)))
      this.#addToVisit(view, day, shardOf(row.project, bucket), kind);
    // A day with nothing but events has a sum of its site, too.
    this.#tally(row, day, bucket, what.site, 0, 0, kind, isView ? 1 : 0);
    for (const thing of remembered[rowKind]) {
      const name = this.#named.ids[at + thing] as number;
      if (name < 0) continue;
      this.#see(visitor, name, kind);
      const above = parentOf[thing];
      const parent = above === undefined ? 0 : (this.#named.ids[at + above] as number);
      this.#tally(row, day, bucket, thing, parent, name, kind);
    }
    for (const thing of isView ? following : []) {
      const name = this.#named.ids[at + thing] as number;
      if (name >= 0) this.#tally(row, day, bucket, thing, 0, name, kind);
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
    });
  }

  #see(visitor: number, name: number, kind: KindBit): void {
    const sighting = name * 4 + kind;
    const key = visitor * perVisitor + sighting;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#sightingVisitors.push(visitor + 1);
    this.#sightings.push(sighting);
  }

  /** What is new with the visitor is what its first view of a kind has. */
  #noteSet(visitor: number, kind: KindBit, at: number): void {
    const sets = kind === kindBits.human ? this.#humanSets : this.#aiSets;
    sets[visitor] ??= this.#setOf(following.map((thing) => this.#named.ids[at + thing] as number));
  }

  #setOf(names: readonly number[]): number {
    const key = names.join();
    const known = this.#setPlaces.get(key);
    if (known !== undefined) return known;
    this.#setNames.push(...names.filter((name) => name >= 0));
    const set = this.#lastNames.push(this.#setNames.length);
    this.#setPlaces.set(key, set);
    return set;
  }

  #tally(
    { project }: OpenDayRow,
    day: number,
    bucket: number,
    thing: number,
    parent: number,
    name: number,
    kind: KindBit,
    views = 1,
  ): void {
    const key = (day * shardCount + bucket) * perVisitor + name;
    let tally = this.#tallies.get(key);
    if (!tally) {
      tally = { day, shard: shardOf(project, bucket), what: thing, parent, name, human: 0, ai: 0 };
      this.#tallies.set(key, tally);
    }
    if (kind === kindBits.human) tally.human += views;
    else tally.ai += views;
  }

  #addBesides(view: number, day: number, shard: number): void {
    const key = day * shardCount + shard;
    let besides = this.#besides.get(key);
    if (!besides) {
      besides = { day, shard, sums: new TallySums(this.#views) };
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
    const blocks = this.days.map(({ day, isSealed }) => blocksOf(day, { isSealed }));
    const all = blocks.flat();
    let last = 0;
    return [
      intArray(this.days.map(({ id }) => id)),
      intArray(this.days.map(({ project }) => project)),
      intArray(this.days.map(({ bin }) => bin)),
      intArray(this.days.map(({ nameChanges }) => nameChanges)),
      intArray(blocks.map(({ length }) => (last += length))),
      intArray(all.map(({ span }) => span)),
      intArray(all.map(({ day }) => day)),
    ];
  }

  #visitorColumns(): SqlValue[] {
    const { days, ids } = this.#visitors;
    return [
      intArray(days.map((day) => day + 1)),
      intArray(days.map((day, i) => shardOfVisitor(this.days[day] as OpenDayRow, ids[i] as bigint))),
      bigintArray(ids),
      intArray(days.map((_, i) => this.#humanSets[i] ?? 0)),
      intArray(days.map((_, i) => this.#aiSets[i] ?? 0)),
      intArray(this.#sightingVisitors),
      intArray(this.#sightings),
      intArray(this.#lastNames),
      intArray(this.#setNames),
    ];
  }

  #countColumns(): SqlValue[] {
    const rows = [...this.#tallies.values()];
    return [
      intArray(rows.map(({ day }) => day + 1)),
      intArray(rows.map(({ shard }) => shard)),
      intArray(rows.map((row) => row.what)),
      intArray(rows.map(({ parent }) => parent)),
      intArray(rows.map(({ name }) => name)),
      intArray(rows.map(({ human }) => human)),
      intArray(rows.map(({ ai }) => ai)),
    ];
  }

  #cappedColumns(): SqlValue[] {
    const rows = [...this.#capped.values()];
    return [
      intArray(rows.map(({ day }) => day + 1)),
      intArray(rows.map(({ shard }) => shard)),
      intArray(rows.map(({ day }) => (this.days[day] as OpenDayRow).day)),
      intArray(rows.map((row) => row.what)),
      rows.map(({ cap }) => cap),
      intArray(rows.map(({ kind }) => kind)),
      rows.map(({ client }) => client),
      intArray(rows.map(({ views }) => views)),
    ];
  }
}
