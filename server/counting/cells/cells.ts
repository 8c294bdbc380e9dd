import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { combinedNames } from '../../../shared/reports/combined.ts';
import { deviceSums } from '../goal/device-goals.ts';
import type { GoalSum } from '../goal/goal.ts';
import { otherName } from '../names/name-cap.ts';
import { matchesBy, type Renamed } from '../page/renamed.ts';
import { kindBits } from '../sum.ts';
import { type DayViews, Numbers, type PathName } from './day-views.ts';
import {
  addCounts,
  addFound,
  type Bounds,
  bits,
  type Condition,
  type Counts,
  type Found,
  isNothing,
  matchTuples,
  noBounds,
  nothing,
  nothingFound,
  placeOf,
  type Question,
  rowOf,
  withChannels,
} from './question.ts';
import {
  leftOut,
  mixed,
  none,
  PackedTable,
  Packer,
  seed,
  type Table,
  Unpacker,
  ValueTable,
} from './values.ts';

/**
 * Visitors of a closed day who have the same values, of the site or of one page: how many, and the views of all of them. A
 * visitor may have several tuples, as not every view has a source.
 */
interface Cell {
  visitors: number;
  /** Ascending: `tuple * 4 + kinds`, and views by people and by AI clients. */
  parts: number[];
  human: number[];
  ai: number[];
}

/** The cells of the site, or of a page. */
interface Scope {
  cells: Cell[];
  /** Those who share their values with too few others. */
  rest: Counts;
}

/** What is kept of a closed day for filters together. */
interface DayCells {
  values: ValueTable;
  site: Scope;
  /** Sections, and then as many pages as there is room for, those with the most views first. */
  pages: Map<string, Scope>;
  /** Of every page that was viewed. */
  hasAllPages: boolean;
}

/** As stored: of the site, and of pages. */
export interface PackedCells {
  site: Uint8Array;
  pages: Uint8Array;
}

/** What closing makes of a day: also what each section has, and all pages in none (`pagesInNone`), and goals by device. */
export interface ClosedCells extends PackedCells {
  sections: Map<string, Counts>;
  devices: GoalSum[];
}

/** A section among pages, by its glob: no page begins so. */
const sectionMark = '*';

const isSection = (page: string) => page.startsWith(sectionMark);

/** What the pages of a declared section are asked for by. */
export const sectionPage = (glob: string) => sectionMark + glob;

/** As stored: pages in none of these sections. With other sections it is something else. */
export function pagesInNone(globs: readonly string[]): string {
  const digest = createHash('sha256')
    .update([...globs].sort().join('\n'))
    .digest('base64url');
  return `${otherName} ${digest.slice(0, 16)}`;
}

/** The globs of sections that a path is in, or `pagesInNone`. */
export function sectionsBy(
  globs: readonly string[],
  renamed: Renamed | null,
): (path: string) => readonly string[] {
  const globsOf = matchesBy(globs, renamed);
  const none = globs.length === 0 ? [] : [pagesInNone(globs)];
  return (path) => {
    const found = globsOf(path);
    return found.length > 0 ? found : none;
  };
}

/** Bytes for each page that was viewed on a day; and what a day has whose pages are few. */
const bytesPerPage = 50;
const leastBytes = 4_096;
/** Before they are compressed: so that a year is read in moments. */
const maxSiteBytes = 16 * 1024;
const maxPagesBytes = 256 * 1024;

/** Views or cells between two pauses of what takes long. */
const atATime = 2_048;
/** The same of what is done with each in no time. */
const movedAtATime = 131_072;

/**
 * What is kept of a day when it is closed. It pauses now and then, as a day may have millions of views.
 *
 * @param least visitors whose values are kept together; 1: all
 * @param before what the day has already, of other visitors
 * @param nameOf of paths and events
 * @param sections their globs
 */
export function* closeCells(views: DayViews, { before, ...asked }: Closing): Generator<void, ClosedCells> {
  const { nameOf, least } = asked;
  const { values, visitor, visitors, size } = views;
  const all = new Uint32Array(size);
  for (let view = 0; view < size; view++) all[view] = view;
  const byVisitor = yield* sortBy(all, (view) => visitor.at(view), visitors.size);
  const pages = yield* viewsByPage(views, byVisitor);
  const site = yield* scopeOf(views, byVisitor, least);
  const ofSections = yield* sectionsOf(views, byVisitor, asked);
  const ofPages = yield* pagesOf(views, pages, { nameOf, least });
  const sectionPages = [...ofSections].flatMap(([glob, scope]): [string, Scope][] =>
    asked.sections.includes(glob) ? [[sectionPage(glob), scope]] : [],
  );
  const sections = new Map([...ofSections].map(([glob, scope]) => [glob, totalOf(scope)]));
  const own = { values, site, ...ofPages, pages: new Map([...sectionPages, ...ofPages.pages]) };
  const kept = before ? yield* mergeCells(unpackCells(before), own, least) : own;
  yield;
  return {
    ...(yield* packCells(kept, Math.max(pages.length, kept.pages.size))),
    sections,
    devices: yield* deviceSums(views, asked),
  };
}

interface Closing {
  goals: readonly string[];
  nameOf: PathName;
  least: number;
  before: PackedCells | undefined;
  sections: readonly string[];
  renamed: Renamed | null;
}

/** @param sorted views by visitor, all of the day */
function* sectionsOf(
  views: DayViews,
  sorted: Uint32Array,
  { nameOf, least, sections, renamed }: Omit<Closing, 'before'>,
): Generator<void, Map<string, Scope>> {
  const found = new Map<string, Scope>();
  if (sections.length === 0) return found;
  const sectionsOfPath = sectionsBy(sections, renamed);
  const own = new Map([...sections, pagesInNone(sections)].map((section) => [section, new Numbers()]));
  const known = new Map<number, Numbers[]>();
  for (const path of views.paths()) {
    known.set(
      path,
      sectionsOfPath(nameOf(path) ?? '').map((section) => own.get(section) as Numbers),
    );
    if (known.size % atATime === 0) yield;
  }
  for (const [i, view] of sorted.entries()) {
    for (const section of known.get(views.path.at(view)) ?? []) section.push(view);
    if (i % movedAtATime === movedAtATime - 1) yield;
  }
  for (const [section, { all }] of own) found.set(section, yield* scopeOf(views, all, least));
  return found;
}

/** Of all its visitors, however little is kept of them. */
function totalOf({ cells, rest }: Scope): Counts {
  const total = nothing();
  for (const counts of [rest, ...cells.map(countsOf)]) addCounts(total, counts);
  return total;
}

/** @param sorted views by visitor */
function* scopeOf(views: DayViews, sorted: Uint32Array, least: number): Generator<void, Scope> {
  const cells = noCells(views.values);
  yield* addVisitors(cells, views, sorted);
  return yield* fold(cells.all, views.values, least);
}

/** The views of each page, in the order in which they are given; pages with the most views first. */
function* viewsByPage({ path, size }: DayViews, views: Uint32Array): Generator<void, Uint32Array[]> {
  const places = new Map<number, number>();
  const placeOf = new Uint32Array(size);
  for (let view = 0; view < size; view++) {
    const known = places.get(path.at(view));
    placeOf[view] = known ?? places.size;
    if (known === undefined) places.set(path.at(view), places.size);
    if (view % movedAtATime === movedAtATime - 1) yield;
  }
  const sorted = yield* sortBy(views, (view) => placeOf[view] as number, places.size);
  const pages: Uint32Array[] = [];
  for (let first = 0, end = 0; first < size; first = end) {
    const place = placeOf[sorted[first] as number];
    while (end < size && placeOf[sorted[end] as number] === place) end++;
    pages.push(sorted.subarray(first, end));
  }
  return pages.sort((a, b) => b.length - a.length);
}

/** As far as there may be room. */
function* pagesOf(
  views: DayViews,
  viewsOf: readonly Uint32Array[],
  { nameOf, least }: { nameOf: PathName; least: number },
): Generator<void, Pick<DayCells, 'pages' | 'hasAllPages'>> {
  const pages = new Map<string, Scope>();
  let room = maxPagesBytes;
  for (const ofPage of viewsOf) {
    const name = nameOf(views.path.at(ofPage[0] as number));
    if (name === undefined) continue;
    const scope = yield* scopeOf(views, ofPage, least);
    room -= sizeOf(scope);
    if (room < 0) return { pages, hasAllPages: false };
    pages.set(name, scope);
    yield;
  }
  return { pages, hasAllPages: true };
}

/** Counting sort. */
function* sortBy(
  views: Uint32Array,
  keyOf: (view: number) => number,
  keys: number,
): Generator<void, Uint32Array> {
  const ends = new Uint32Array(keys + 1);
  for (let i = 0; i < views.length; i++) {
    (ends[keyOf(views[i] as number) + 1] as number)++;
    if (i % movedAtATime === movedAtATime - 1) yield;
  }
  for (let key = 0; key < keys; key++) (ends[key + 1] as number) += ends[key] as number;
  const sorted = new Uint32Array(views.length);
  for (let i = 0; i < views.length; i++) {
    const view = views[i] as number;
    sorted[(ends[keyOf(view)] as number)++] = view;
    if (i % movedAtATime === movedAtATime - 1) yield;
  }
  return sorted;
}

/** @param sorted views by visitor, all of each */
function* addVisitors(cells: CellMap, { visitor, part }: DayViews, sorted: Uint32Array): Generator<void> {
  let pause = atATime;
  for (let first = 0, end = 0; first < sorted.length; first = end) {
    const who = visitor.at(sorted[first] as number);
    let cell = cellOf(1, part.at(sorted[first] as number), 0, 0);
    let most = atATime;
    for (; end < sorted.length && visitor.at(sorted[end] as number) === who; end++) {
      const own = part.at(sorted[end] as number);
      const isHuman = (own & 3) === kindBits.human;
      addPart(cell, own, isHuman ? 1 : 0, isHuman ? 0 : 1);
      if (cell.parts.length <= most) continue;
      cell = joined(cell);
      most = 2 * cell.parts.length + atATime;
    }
    // Most have one tuple.
    addCell(cells, cell.parts.length === 1 ? cell : joined(cell));
    if (end < pause) continue;
    pause = end + atATime;
    yield;
  }
}

const cellOf = (visitors: number, part: number, human: number, ai: number): Cell => ({
  ...{ visitors, parts: [part], human: [human], ai: [ai] },
});

/** To the last of its parts, or as another. */
function addPart({ parts, human, ai }: Cell, part: number, people: number, clients: number): void {
  const last = parts.length - 1;
  if (((parts[last] as number) ^ part) > 3) {
    parts.push(part);
    human.push(people);
    ai.push(clients);
  } else {
    (parts[last] as number) |= part & 3;
    (human[last] as number) += people;
    (ai[last] as number) += clients;
  }
}

/** Of parts in any order. */
function joined({ visitors, parts, human, ai }: Cell): Cell {
  const order = [...parts.keys()].sort((a, b) => (parts[a] as number) - (parts[b] as number));
  const cell = cellOf(visitors, parts[order[0] as number] as number, 0, 0);
  for (const i of order) addPart(cell, parts[i] as number, human[i] as number, ai[i] as number);
  return { visitors, parts: cell.parts.slice(), human: cell.human.slice(), ai: cell.ai.slice() };
}

/** In the order in which they came: those with one part by `places`, so that a table has one such map in use at a time. */
interface CellMap {
  all: Cell[];
  /** By a hash of their parts, or the next that is free. */
  several: Map<number, Cell>;
  places: number[];
}

const noCells = ({ places }: ValueTable): CellMap => ({ all: [], several: new Map(), places });

/** To the one with these parts, or as a new one. */
function addCell(cells: CellMap, cell: Cell): void {
  const known = cell.parts.length === 1 ? findOne(cells, cell) : findSeveral(cells, cell);
  if (known === cell) {
    cells.all.push(cell);
    return;
  }
  known.visitors += cell.visitors;
  for (let i = 0; i < cell.parts.length; i++) {
    (known.human[i] as number) += cell.human[i] as number;
    (known.ai[i] as number) += cell.ai[i] as number;
  }
}

function findOne({ all, places }: CellMap, cell: Cell): Cell {
  const part = cell.parts[0] as number;
  while (places.length <= part) places.push(0);
  const place = places[part] as number;
  // It may be from other cells.
  const known = place < all.length ? (all[place] as Cell) : cell;
  if (known !== cell && known.parts.length === 1 && known.parts[0] === part) return known;
  places[part] = all.length;
  return cell;
}

function findSeveral({ several }: CellMap, cell: Cell): Cell {
  const { parts } = cell;
  let hash = seed;
  for (let i = 0; i < parts.length; i++) hash = mixed(hash, parts[i] as number);
  for (hash >>>= 2; ; hash++) {
    const known = several.get(hash);
    if (!known) several.set(hash, cell);
    if (!known || (known.parts.length === parts.length && known.parts.every((part, i) => part === parts[i])))
      return known ?? cell;
  }
}

/** A cell, with other tuples. It may become another. */
function addMoved(cells: CellMap, cell: Cell, tupleOf: (tuple: number) => number): void {
  const { parts } = cell;
  let isInOrder = true;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as number;
    parts[i] = tupleOf(part >>> 2) * 4 + (part & 3);
    if (i > 0 && (parts[i] as number) >>> 2 <= (parts[i - 1] as number) >>> 2) isInOrder = false;
  }
  addCell(cells, isInOrder ? cell : joined(cell));
}

/** How many of `combinedNames` are left out at each step: some are asked for as rarely as others. */
const steps = [2, 5, 7, 8, 9, 10, 11, 12, 13];

/**
 * Leaves out values, what is asked for least first, until at least so many visitors share those that are left. The cells are
 * used up.
 */
function* fold(
  cells: readonly Cell[],
  values: ValueTable,
  least: number,
  rest = nothing(),
): Generator<void, Scope> {
  const kept: Cell[] = [];
  let few = cells;
  for (let step = 0; ; step++) {
    const without = steps[step];
    const rare: Cell[] = [];
    for (const cell of few) (cell.visitors < least ? rare : kept).push(cell);
    if (rare.length === 0 || without === undefined) {
      for (const cell of rare) addCounts(rest, countsOf(cell));
      return { cells: kept, rest };
    }
    const merged = noCells(values);
    for (const [i, cell] of rare.entries()) {
      addMoved(merged, cell, (tuple) => values.without(tuple, without + 1));
      if (i % atATime === atATime - 1) yield;
    }
    few = merged.all;
  }
}

/** Of all its visitors. */
function countsOf({ visitors, parts, human, ai }: Cell): Counts {
  const kinds = parts.reduce((all, part) => all | (part & 3), 0);
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  return [
    (kinds & kindBits.human) === 0 ? 0 : visitors,
    (kinds & kindBits.ai) === 0 ? 0 : visitors,
    visitors,
    sum(human),
    sum(ai),
  ];
}

const sizeOf = ({ cells }: Scope) => 6 + cells.reduce((sum, { parts }) => sum + 2 + parts.length * 4, 0);

/** Of a day to which others are added that were counted apart, with other visitors. */
function* mergeCells(one: DayCells, other: DayCells, least: number): Generator<void, DayCells> {
  const { values } = one;
  const moved = (tuple: number) =>
    values.tupleOf(
      combinedNames.map((_, place) => {
        const code = other.values.code(tuple, place);
        return code <= none ? code : values.codeOf(other.values.textOf(code) as string);
      }),
    );
  function* merge(into: Scope, from: Scope): Generator<void, Scope> {
    const cells = noCells(values);
    for (const cell of into.cells) addMoved(cells, cell, (tuple) => tuple);
    for (const cell of from.cells) addMoved(cells, cell, moved);
    const rest = nothing();
    for (const one of [into.rest, from.rest]) addCounts(rest, one);
    return yield* fold(cells.all, values, least, rest);
  }
  const nothingYet: Scope = { cells: [], rest: nothing() };
  const pages = new Map<string, Scope>();
  for (const path of new Set([...one.pages.keys(), ...other.pages.keys()])) {
    const [into, from] = [one.pages.get(path), other.pages.get(path)];
    // Views of the page may be missing where it has no cells, and all of a section.
    const mayLack = (day: DayCells) => isSection(path) || !day.hasAllPages;
    if ((into || !mayLack(one)) && (from || !mayLack(other)))
      pages.set(path, yield* merge(into ?? nothingYet, from ?? nothingYet));
  }
  return {
    values,
    site: yield* merge(one.site, other.site),
    pages,
    hasAllPages: one.hasAllPages && other.hasAllPages,
  };
}

/** @param viewed pages of the day, by which it has room */
function* packCells(
  { values, site, pages, hasAllPages }: DayCells,
  viewed: number,
): Generator<void, PackedCells> {
  let folded = site;
  for (let least = 2; sizeOf(folded) > maxSiteBytes; least *= 2)
    folded = yield* fold(folded.cells, values, least, folded.rest);
  yield;
  const used = new UsedValues(values);
  const packedSite = new Packer();
  packScope(packedSite, folded, used);
  let areAll = hasAllPages;
  const packedPages = [...pages].flatMap(([path, scope]) => {
    if (!scope.cells.some((cell) => addsMore(cell, values))) {
      if (!isSection(path)) areAll = false;
      return [];
    }
    const packed = new Packer();
    packed.text(path);
    packScope(packed, scope, used);
    return [packed.bytes()];
  });
  const head = new Packer();
  used.pack(head);
  const compressed = zstdCompressSync(Buffer.concat([head.bytes(), packedSite.bytes()]));
  const room = Math.max(leastBytes, bytesPerPage * viewed) - compressed.length;
  return {
    site: compressed,
    pages: compressSome(packedPages, { room, isAll: areAll }),
  };
}

/** As many pages, from the first on, as there is room for. */
function compressSome(
  pages: readonly Uint8Array[],
  { room, isAll }: { room: number; isAll: boolean },
): Uint8Array {
  for (let count = pages.length; ; ) {
    const packed = new Packer();
    packed.number(isAll && count === pages.length ? 1 : 0);
    packed.number(count);
    for (const page of pages.slice(0, count)) packed.part(page);
    const compressed = zstdCompressSync(packed.bytes());
    if (compressed.length <= room || count === 0) return compressed;
    count = Math.min(count - 1, Math.floor((count * Math.max(room, 0)) / compressed.length));
  }
}

const addsMore = ({ parts }: Cell, values: ValueTable) =>
  parts.some((part) => combinedNames.some((_, place) => values.code(part >>> 2, place) !== leftOut));

/** The tuples and texts of cells, numbered anew: what was left out of all of them is nowhere. */
class UsedValues {
  readonly #from: ValueTable;
  readonly #to = new ValueTable();
  readonly #known: number[] = [];

  constructor(from: ValueTable) {
    this.#from = from;
  }

  tuple(tuple: number): number {
    const known = this.#known[tuple];
    if (known !== undefined) return known;
    const codes = combinedNames.map((_, place) => {
      const code = this.#from.code(tuple, place);
      return code <= none ? code : this.#to.codeOf(this.#from.textOf(code) as string);
    });
    const used = this.#to.tupleOf(codes);
    this.#known[tuple] = used;
    return used;
  }

  /** Value by value, in which they are alike. */
  pack(into: Packer): void {
    const { texts, size } = this.#to;
    into.texts(texts);
    into.number(size);
    for (const place of combinedNames.keys()) {
      const column = new Packer();
      for (let tuple = 0; tuple < size; tuple++) column.number(this.#to.code(tuple, place));
      into.part(column.bytes());
    }
  }
}

function packScope(into: Packer, { cells, rest }: Scope, used: UsedValues): void {
  into.numbers(rest);
  into.number(cells.length);
  for (const { visitors, parts, human, ai } of cells) {
    into.number(visitors);
    into.number(parts.length);
    for (const [i, part] of parts.entries()) {
      into.number(used.tuple(part >>> 2) * 4 + (part & 3));
      if ((part & kindBits.human) !== 0) into.number(human[i] as number);
      if ((part & kindBits.ai) !== 0) into.number(ai[i] as number);
    }
  }
}

function unpackTable(packed: Unpacker): ValueTable {
  const stored = new PackedTable(packed);
  const table = new ValueTable();
  for (const text of stored.texts) table.codeOf(text);
  for (let tuple = 0; tuple < stored.size; tuple++)
    table.tupleOf(combinedNames.map((_, place) => stored.code(tuple, place)));
  return table;
}

function unpackCells(packed: PackedCells): DayCells {
  const site = new Unpacker(zstdDecompressSync(packed.site));
  const values = unpackTable(site);
  const { pages, hasAllPages } = unpackPages(packed.pages);
  const scopes = pages.map(([path, scope]) => [path, unpackScope(scope)] as const);
  return { values, site: unpackScope(site), pages: new Map(scopes), hasAllPages };
}

/** Without these pages and sections of them; undefined: it has none. */
export function withoutPages(
  bytes: Uint8Array,
  paths: ReadonlySet<string>,
  renamed: Renamed | null,
): Uint8Array | undefined {
  const packed = new Unpacker(zstdDecompressSync(bytes));
  packed.number();
  const pages = Array.from({ length: packed.number() }, () => packed.part());
  const left = pages.filter((page) => {
    const name = new Unpacker(page.bytes).text();
    if (!isSection(name)) return !paths.has(name);
    const matchesOf = matchesBy([name.slice(1)], renamed);
    return ![...paths].some((path) => matchesOf(path).length > 0);
  });
  if (left.length === pages.length) return undefined;
  return compressSome(
    left.map((page) => page.bytes),
    { room: Number.POSITIVE_INFINITY, isAll: false },
  );
}

function unpackPages(bytes: Uint8Array): { pages: [path: string, scope: Unpacker][]; hasAllPages: boolean } {
  const packed = new Unpacker(zstdDecompressSync(bytes));
  const hasAllPages = packed.number() === 1;
  const pages = Array.from({ length: packed.number() }, (): [string, Unpacker] => {
    const page = packed.part();
    return [page.text(), page];
  });
  return { pages, hasAllPages };
}

function unpackScope(packed: Unpacker): Scope {
  const rest = packed.numbers(5) as Counts;
  const cells: Cell[] = [];
  eachCell(packed, ({ visitors, parts, human, ai }) =>
    cells.push({ visitors, parts: [...parts], human: [...human], ai: [...ai] }),
  );
  return { cells, rest };
}

const zeros = (count: number) => Array<number>(count).fill(0);

/** @param take is given a cell that later ones may use again */
function eachCell(packed: Unpacker, take: (cell: Cell) => void): void {
  let cell = cellOf(0, 0, 0, 0);
  for (let cells = packed.number(); cells > 0; cells--) {
    const visitors = packed.number();
    const count = packed.number();
    // To set the length of an array takes long.
    if (cell.parts.length !== count)
      cell = { visitors, parts: zeros(count), human: zeros(count), ai: zeros(count) };
    cell.visitors = visitors;
    for (let i = 0; i < count; i++) {
      const part = packed.number();
      cell.parts[i] = part;
      cell.human[i] = (part & kindBits.human) === 0 ? 0 : packed.number();
      cell.ai[i] = (part & kindBits.ai) === 0 ? 0 : packed.number();
    }
    take(cell);
  }
}

/** What a closed day has. A page that has no cells may have up to what the whole site has. */
export function answerCells(
  cells: PackedCells,
  { conditions, pages: asked, by, channels, renamed }: Question,
): Found {
  const packed = new Unpacker(zstdDecompressSync(cells.site));
  const values = withChannels(new PackedTable(packed), channels);
  const matches = matchTuples(values, conditions);
  const place = by === null || by === 'path' ? -1 : placeOf(by);
  const answer = (scope: Unpacker) => answerScope(scope, { values, matches, place });
  const site = answer(packed);
  if (asked.length === 0 && by !== 'path') return site;
  // A visitor may have an excluded value on one page alone.
  const ofVisitors = conditions.filter(({ name, isNot }) => !isNot || isOfVisitor.has(name));
  const isLoose = ofVisitors.length < conditions.length;
  const ofSite = { conditions: ofVisitors, pages: [], by: by === 'path' ? null : by, channels };
  const most = isLoose ? answerCells(cells, ofSite) : site;
  const loosen = (found: Found) => (isLoose ? withoutLeast(found) : found);
  const { pages: all, hasAllPages } = unpackPages(cells.pages);
  const sections = new Map(all.filter(([page]) => isSection(page)));
  const [wanted, unwanted] = [asked.filter(({ isNot }) => !isNot), asked.filter(({ isNot }) => isNot)];
  const found: Found[] = [];
  const excluded: Found[] = [];
  const shown: [path: string, totals: Bounds][] = [];
  for (const [path, scope] of all) {
    if (isSection(path) || !wanted.every(({ is }) => is(path))) continue;
    const ofPage = answer(scope);
    found.push(ofPage);
    if (unwanted.some(({ is }) => is(path))) excluded.push(ofPage);
    else if (by === 'path' && !(hasAllPages && isNothing(ofPage.totals.to)))
      shown.push([path, ofPage.totals]);
  }
  const isKnown = (conditions: Question['pages'], count: number) =>
    hasAllPages || (count === 1 && conditions.length === 1 && conditions[0]?.only !== undefined);
  const answerPages = (conditions: Question['pages'], within: Found, some: readonly Found[]) => {
    const section = sections.get(conditions.length === 1 ? (conditions[0]?.section ?? '') : '');
    if (section) return answer(section);
    const isAll = isKnown(conditions, some.length);
    const found = anyOf(within, some, isAll);
    return some.length === 1 && isAll ? found : loosen(found);
  };
  let answered = site;
  if (wanted.length > 0) answered = answerPages(wanted, most, found);
  if (unwanted.length > 0) {
    answered = without(answered, loosen(answerPages(unwanted, isLoose ? most : answered, excluded)));
  }
  if (by !== 'path') return answered;
  const unnamed = hasAllPages ? nothing() : most.totals.to;
  const rows = renamed ? joinRenamed(shown, renamed, isLoose) : new Map(shown);
  // Only a page without cells may have these.
  for (const [path, { from, to }] of hasAllPages ? [] : rows)
    rows.set(path, { from, to: to.map((count, i) => count - (unnamed[i] as number)) as Counts });
  return { totals: answered.totals, rows, unnamed };
}

/** By the present path of pages. @param isLoose a visitor may be excluded by another of the paths that a page had */
function joinRenamed(
  pages: readonly [path: string, Bounds][],
  renamed: (path: string) => string,
  isLoose: boolean,
): Map<string, Bounds> {
  const found = new Map<string, Bounds>();
  for (const [path, own] of pages) {
    const known = found.get(renamed(path));
    const joined = known ? anyOfBounds(noBounds(), [known, own], true) : own;
    found.set(renamed(path), known && isLoose ? withoutVisitors(joined) : joined);
  }
  return found;
}

/** What a visitor of a day has one of. */
const isOfVisitor = new Set<string>(['country', 'region', 'device', 'browser', 'system']);

const withoutVisitors = ({ from, to }: Bounds): Bounds => ({
  from: from.map((count, i) => (i < 3 ? 0 : count)) as Counts,
  to,
});

/** Visitors that may be excluded by what they did on another page. */
const withoutLeast = ({ totals, rows, unnamed }: Found): Found => ({
  totals: withoutVisitors(totals),
  rows: new Map([...rows].map(([name, bounds]) => [name, withoutVisitors(bounds)])),
  unnamed,
});

/**
 * The same of channels. A visitor whose medium was left out counts in the channel of its source, and may belong to another one:
 * at most so many as have such a medium and are not known by it.
 *
 * @param tagged those of the day with a medium that says the channel, at most
 */
export function answerChannels(cells: PackedCells, question: Question, tagged: Readonly<Counts>): Found {
  const found = answerCells(cells, question);
  const { channels } = question;
  if (!channels || tagged.every((count) => count === 0) || !hasHidden(cells)) return found;
  const isTagged: Condition = {
    ...{ name: 'utmMedium', isNot: false },
    is: (medium) => channels.ofMedium(medium) !== undefined,
  };
  const { from, to } = answerCells(cells, { conditions: [isTagged], pages: [], by: null }).totals;
  // Of a page other values may be left out than of the site.
  const isOfPages = question.pages.length > 0 || question.by === 'path';
  const hidden = tagged.map((count, i) =>
    isOfPages ? count : Math.max(0, Math.min(count, to[i] as number) - (from[i] as number)),
  ) as Counts;
  const isLimited = question.conditions.some(({ name }) => name === 'channel');
  for (const bounds of [...(isLimited ? [found.totals] : []), ...found.rows.values()]) {
    bounds.from = bounds.from.map((count, i) => Math.max(0, count - (hidden[i] as number))) as Counts;
    addCounts(bounds.to, hidden);
  }
  addCounts(found.unnamed, hidden);
  return found;
}

/** Whether a medium was left out anywhere. */
function hasHidden({ site }: PackedCells): boolean {
  const values = new PackedTable(new Unpacker(zstdDecompressSync(site)));
  const place = placeOf('utmMedium');
  for (let tuple = 0; tuple < values.size; tuple++) if (values.code(tuple, place) === leftOut) return true;
  return false;
}

/** What views on any of several pages have: exactly that where it is one. @param isAll other pages have none */
function anyOf(site: Found, pages: readonly Found[], isAll: boolean): Found {
  const [first] = pages;
  // A copy, as its row is another one.
  if (first && pages.length === 1 && isAll)
    return { ...first, totals: anyOfBounds(noBounds(), [first.totals], true) };
  const found = nothingFound();
  for (const page of pages) addFound(found, page);
  const names = new Set([...site.rows.keys(), ...found.rows.keys()]);
  found.totals = anyOfBounds(
    site.totals,
    pages.map(({ totals }) => totals),
    isAll,
  );
  for (const name of names) {
    const ofPages = pages.map(({ rows }) => rows.get(name) ?? noBounds());
    found.rows.set(name, anyOfBounds(site.rows.get(name) ?? noBounds(), ofPages, isAll));
  }
  if (!isAll) found.unnamed = site.unnamed;
  return found;
}

/** A visitor may have read several of the pages; a view is of one. */
export function anyOfBounds(site: Bounds, pages: readonly Bounds[], isAll: boolean): Bounds {
  const found = noBounds();
  for (const { from, to } of pages) {
    for (let i = 0; i < 3; i++) found.from[i] = Math.max(found.from[i] as number, from[i] as number);
    for (let i = 3; i < 5; i++) (found.from[i] as number) += from[i] as number;
    addCounts(found.to, to);
  }
  return isAll ? found : { from: found.from, to: site.to };
}

function without(all: Found, excluded: Found): Found {
  const lower = ({ from, to }: Bounds, gone: Bounds, more: Readonly<Counts>): Bounds => ({
    from: from.map((count, i) => Math.max(0, count - (gone.to[i] as number) - (more[i] as number))) as Counts,
    to: to.map((count, i) => count - (gone.from[i] as number)) as Counts,
  });
  const rows = [...all.rows].map(([name, bounds]): [string, Bounds] => {
    return [name, lower(bounds, excluded.rows.get(name) ?? noBounds(), excluded.unnamed)];
  });
  return { totals: lower(all.totals, excluded.totals, nothing()), rows: new Map(rows), unnamed: all.unnamed };
}

interface Answering {
  values: Table;
  matches: Uint8Array;
  /** Of what rows are of, among `combinedNames`; -1: there are none. */
  place: number;
}

function answerScope(packed: Unpacker, { values, matches, place }: Answering): Found {
  const found = nothingFound();
  const rest = packed.numbers(5) as Counts;
  eachCell(packed, (cell) => {
    if (!cell.parts.some((part) => (matches[part >>> 2] as number) !== 0)) return;
    addMatches(found.totals, cell, matches, () => true);
    if (place < 0) return;
    for (const code of new Set(cell.parts.map((part) => values.code(part >>> 2, place)))) {
      if (code === none) continue;
      const row =
        code === leftOut
          ? { from: nothing(), to: found.unnamed }
          : rowOf(found, values.textOf(code) as string);
      addMatches(row, cell, matches, (part) => values.code(part >>> 2, place) === code);
    }
  });
  addCounts(found.totals.to, rest);
  if (place >= 0) addCounts(found.unnamed, rest);
  return found;
}

const countedKinds = [kindBits.human, kindBits.ai, kindBits.human | kindBits.ai] as const;

/** What a cell adds to bounds, by the parts that are asked for. */
function addMatches(
  { from, to }: Bounds,
  { visitors, parts, human, ai }: Cell,
  matches: Uint8Array,
  isOfRow: (part: number) => boolean,
): void {
  // As kinds.
  let [is, mayBe, isExcluded, mayBeExcluded] = [0, 0, 0, 0];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as number;
    const match = matches[part >>> 2] as number;
    if ((match & bits.mayBe) === 0 || !isOfRow(part)) continue;
    const kinds = part & 3;
    mayBe |= kinds;
    if ((match & bits.is) !== 0) is |= kinds;
    if ((match & bits.mayBeExcluded) !== 0) mayBeExcluded |= kinds;
    else if ((match & bits.is) !== 0) addViews(from, human[i] as number, ai[i] as number);
    if ((match & bits.isExcluded) === 0) addViews(to, human[i] as number, ai[i] as number);
    else if ((match & bits.is) !== 0) isExcluded |= kinds;
  }
  for (let i = 0; i < countedKinds.length; i++) {
    const kinds = countedKinds[i] as number;
    if ((is & kinds) !== 0 && (mayBeExcluded & kinds) === 0) (from[i] as number) += visitors;
    if ((mayBe & kinds) !== 0 && (isExcluded & kinds) === 0) (to[i] as number) += visitors;
  }
}

function addViews(counts: Counts, human: number, ai: number): void {
  counts[3] += human;
  counts[4] += ai;
}
