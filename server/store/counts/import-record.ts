import type { Counter } from '../../../shared/reports/counters.ts';
import type { Day } from '../../counting/calendar.ts';
import { countedThings } from '../../counting/count-view.ts';
import type { Dropped } from './counting-store.ts';
import type { LoggedViews } from './view-batch.ts';
import { type CounterSum, cellOf, cellsPerView, textIn, type ViewTable } from './view-table.ts';

/** Views of a name by its number; 0: of the site. */
export interface NamedViews {
  id: number;
  human: number;
  ai: number;
}

/** Views that counted under `(other)`. */
export interface RecordedCap {
  what: number;
  cap: string;
  kind: number;
  client: string;
  views: number;
}

/** A sum of a counter in JSON that is stored. */
interface StoredSum extends Omit<CounterSum, 'counter'> {
  tally: Counter;
}

/** What a batch of a log adds to a day besides counts, as JSON that is stored. */
export interface Besides {
  dropped: Dropped[];
  tallies: StoredSum[];
  caps: RecordedCap[];
}

/** What a batch of a log adds to a day, so that it can be taken back. */
export interface DayRecord {
  day: Day;
  humanViews: number;
  aiViews: number;
  /** Milliseconds since 1970; 0: no view. */
  lastAt: number;
  sums: Uint8Array;
  besides: Besides;
  /** Of a day that is open as usual, by its row, until that is closed: as JSON, who was seen and what followed them. */
  visitors: string | null;
  dayId: number | null;
}

/** What a batch counted on a day. */
export interface LoggedDay extends Pick<DayRecord, 'day' | 'humanViews' | 'aiViews' | 'lastAt'> {
  id: number;
  isSealed: boolean;
  views: readonly NamedViews[];
  caps: readonly RecordedCap[];
}

/** What a batch adds to each day. @param days in the order of the batch's */
export function recordsOf(
  batch: LoggedViews,
  days: readonly LoggedDay[],
  counters: readonly (CounterSum & { day: Day })[],
): Iterable<DayRecord> {
  const records = new Map<Day, DayRecord>();
  const recordOf = (day: Day) => {
    const nothing = {
      humanViews: 0,
      aiViews: 0,
      lastAt: 0,
      sums: new Uint8Array(),
      visitors: null,
      dayId: null,
    };
    const record = records.get(day) ?? { day, ...nothing, besides: { dropped: [], tallies: [], caps: [] } };
    records.set(day, record);
    return record;
  };
  for (const { day, ...dropped } of batch.dropped) recordOf(day).besides.dropped.push(dropped);
  for (const [place, { id, isSealed, views, caps, ...counted }] of days.entries()) {
    const record = recordOf(counted.day);
    const visitors = isSealed ? null : JSON.stringify(followedVisitors(batch.views, place));
    Object.assign(record, counted, { sums: packViews(views), visitors, dayId: isSealed ? null : id });
    record.besides.caps.push(...caps);
  }
  for (const { day, counter, group, name, hits, amount } of counters)
    recordOf(day).besides.tallies.push({ tally: counter, group, name, hits, amount });
  return records.values();
}

/** A number of 32 bits takes at most so many bytes. */
const maxBytesOfNumber = 5;

/** Numbers of variable length (LEB128), as nearly all of them are small. */
function packViews(rows: readonly NamedViews[]): Uint8Array {
  const bytes = new Uint8Array(rows.length * 3 * maxBytesOfNumber);
  let at = 0;
  const add = (number: number) => {
    let rest = number;
    for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
    bytes[at++] = rest;
  };
  for (const { id, human, ai } of rows) {
    add(id);
    add(human);
    add(ai);
  }
  return bytes.subarray(0, at);
}

/** The same views, with other numbers of their names. */
export function renumberViews(bytes: Uint8Array, renumber: (name: number) => number): Uint8Array {
  return packViews(unpackViews(bytes).map((views) => ({ ...views, id: renumber(views.id) })));
}

export function unpackViews(bytes: Uint8Array): NamedViews[] {
  const rows: NamedViews[] = [];
  const values: number[] = [];
  let [number, shift] = [0, 0];
  for (const byte of bytes) {
    number |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    values.push(number);
    number = shift = 0;
    if (values.length < 3) continue;
    const [id = 0, human = 0, ai = 0] = values.splice(0);
    rows.push({ id, human, ai });
  }
  return rows;
}

/** What a visitor counts under as soon as it is counted on the site, by number. */
const following = countedThings.view.filter((thing) => thing.followsVisitor).map((thing) => thing.what);

/** Visitors by kind, with the place of what followed the first of their views. */
export interface FollowedVisitors {
  /** Lists of what and text. */
  sets: [what: number, text: string][][];
  /** The visitor as text, 1 for people and 2 for AI clients, and the place of the set. */
  seen: [visitor: string, kind: number, set: number][];
}

/** Of the batch's day with this place. */
function followedVisitors(views: ViewTable, place: number): FollowedVisitors {
  const { cells, visitors } = views;
  const sets: FollowedVisitors['sets'] = [];
  const places = new Map<string, number>();
  const known = new Set<string>();
  const seen: FollowedVisitors['seen'] = [];
  for (let i = 0; i < visitors.length; i++) {
    const at = i * cellsPerView;
    if (cells[at] !== place) continue;
    const kind = cells[at + 1] as number;
    const visitor = String(visitors[i]);
    if (known.has(`${visitor} ${kind}`)) continue;
    known.add(`${visitor} ${kind}`);
    const key = following.map((what) => cells[at + (cellOf[what] as number)]).join();
    let set = places.get(key);
    if (set === undefined) {
      set = sets.push(followingIn(views, at)) - 1;
      places.set(key, set);
    }
    seen.push([visitor, kind, set]);
  }
  return { sets, seen };
}

function followingIn(views: ViewTable, at: number): [number, string][] {
  return following.flatMap((what) => {
    const cell = cellOf[what] as number;
    const index = views.cells[at + cell] as number;
    return index < 0 ? [] : [[what, textIn(views, cell, index)] as [number, string]];
  });
}
