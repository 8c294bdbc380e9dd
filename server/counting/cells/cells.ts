import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type CombinedName, combinedNames } from '../../../shared/reports/combined.ts';
import { deviceSums } from '../goal/device-goals.ts';
import type { GoalSum } from '../goal/goal.ts';
import { otherName } from '../names/name-cap.ts';
import { Numbers } from '../numbers.ts';
import { matchesBy, type Renamed } from '../page/renamed.ts';
import { kindBits } from '../sum.ts';
import { type Cell, CellList, fold, type Scope, totalOf } from './cell-list.ts';
import type { DayViews, PathName } from './day-views.ts';
import { decompressAll } from './decompress-all.ts';
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
import { firstText, leftOut, none, PackedTable, Packer, type Table, Unpacker, ValueTable } from './values.ts';

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

/** The same, decompressed; undefined: no pages are asked for. */
interface OpenCells {
  site: Uint8Array;
  pages: Uint8Array | undefined;
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
/** Before they are compressed: so that a year is read in moments, and no page takes the room of all others. */
const maxBytes = { site: 16 * 1024, section: 16 * 1024, page: 4 * 1024 };
const maxPagesBytes = 256 * 1024;

/** Of the site or of a page, at most: with more visitors, each cell has more of them. */
const maxCells = 32_768;

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
  const { values, visitor, visitors, part, size } = views;
  const all = new Uint32Array(size);
  for (let view = 0; view < size; view++) all[view] = view;
  const byTuple = yield* sortBy(all, (view) => part.at(view) >>> 2, values.size);
  const byVisitor = yield* sortBy(byTuple, (view) => visitor.at(view), visitors.size);
  const pages = yield* viewsByPage(views, byVisitor);
  const site = yield* scopeOf(views, byVisitor, roomOf('site', least));
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

/** The same of a day that stays active, of which nothing else is kept. */
export function* sumsOfViews(
  views: DayViews,
  asked: Pick<Closing, 'goals' | 'nameOf' | 'sections' | 'renamed'>,
): Generator<void, Pick<ClosedCells, 'sections' | 'devices'>> {
  const sectionsOfPath = sectionsBy(asked.sections, asked.renamed);
  const known = new Map(views.paths().map((path) => [path, sectionsOfPath(asked.nameOf(path) ?? '')]));
  const sections = views.countBy((path) => known.get(path) ?? []);
  yield;
  return { sections, devices: yield* deviceSums(views, asked) };
}

/** What a project asks of a day, and what its pages and events are called. */
export interface Closing {
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
  for (const [section, { all }] of own)
    found.set(section, yield* scopeOf(views, all, roomOf('section', least)));
  return found;
}

/** At least so many visitors for what is kept, and at most so many bytes. */
interface Room {
  least: number;
  bytes: number;
}

/** Who keeps everything has pages as exact as there is room for. */
const roomOf = (kind: keyof typeof maxBytes, least: number): Room => ({
  least,
  bytes: least === 1 && kind !== 'site' ? maxPagesBytes : maxBytes[kind],
});

/** @param sorted views by visitor, and by their tuples */
function* scopeOf(views: DayViews, sorted: Uint32Array, { least, bytes }: Room): Generator<void, Scope> {
  const { values, part } = views;
  const visitors = yield* eachVisitor(views, sorted, (tuple) => values.count(tuple));
  const enough = Math.max(least, Math.ceil(visitors / maxCells));
  const cells = yield* cellsOf(views, sorted, enough);
  for (const view of sorted) values.uncount(part.at(view) >>> 2);
  yield;
  return yield* shrink(yield* fold(cells, values, enough), values, { least: enough, bytes });
}

/** With more visitors who share what is left, until there is room. */
function* shrink(scope: Scope, values: ValueTable, { least, bytes }: Room): Generator<void, Scope> {
  let small = scope;
  for (let more = least * 2; small.cells.bytes > bytes; more *= 2)
    small = yield* fold(small.cells, values, more, small.rest);
  return small;
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
    const scope = yield* scopeOf(views, ofPage, roomOf('page', least));
    room -= scope.cells.bytes;
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

/** Takes each tuple of each visitor. @returns how many these are */
function* eachVisitor(
  { visitor, part }: DayViews,
  sorted: Uint32Array,
  take: (tuple: number) => void,
): Generator<void, number> {
  let visitors = 0;
  let [last, lastTuple] = [-1, -1];
  for (let i = 0; i < sorted.length; i++) {
    const view = sorted[i] as number;
    const [own, tuple] = [visitor.at(view), part.at(view) >>> 2];
    if (own !== last) visitors++;
    if (own !== last || tuple !== lastTuple) take(tuple);
    [last, lastTuple] = [own, tuple];
    if (i % movedAtATime === movedAtATime - 1) yield;
  }
  return visitors;
}

/** A cell for each visitor, without the values that no cell of so many visitors has. */
function* cellsOf(
  { values, visitor, part }: DayViews,
  sorted: Uint32Array,
  least: number,
): Generator<void, CellList> {
  const cells = new CellList(values);
  for (let first = 0, end = 0, pause = atATime; first < sorted.length; first = end) {
    const own = visitor.at(sorted[first] as number);
    let step = 0;
    for (; end < sorted.length && visitor.at(sorted[end] as number) === own; end++)
      step = Math.max(step, values.stepWith(part.at(sorted[end] as number) >>> 2, least));
    for (let i = first; i < end; i++) {
      const known = part.at(sorted[i] as number);
      const isHuman = (known & 3) === kindBits.human;
      cells.addPart(values.without(known >>> 2, step) * 4 + (known & 3), isHuman ? 1 : 0, isHuman ? 0 : 1);
    }
    cells.addCell(1);
    if (end < pause) continue;
    pause = end + atATime;
    yield;
  }
  return cells;
}

/** Of a day to which others are added that were counted apart, with other visitors. */
function* mergeCells(one: DayCells, other: DayCells, least: number): Generator<void, DayCells> {
  const { values } = one;
  const known: number[] = [];
  const moved = (tuple: number) => {
    known[tuple] ??= values.tupleOf(
      other.values
        .codesOf(tuple)
        .map((code) => (code <= none ? code : values.codeOf(other.values.textOf(code) as string))),
    );
    return known[tuple];
  };
  function* merge(into: Scope, from: Scope, room: Room): Generator<void, Scope> {
    const cells = new CellList(values);
    for (let cell = 0; cell < into.cells.length; cell++) cells.addMoved(into.cells, cell, (tuple) => tuple);
    for (let cell = 0; cell < from.cells.length; cell++) cells.addMoved(from.cells, cell, moved);
    const rest = nothing();
    for (const one of [into.rest, from.rest]) addCounts(rest, one);
    return yield* shrink(yield* fold(cells, values, least, rest), values, room);
  }
  const nothingYet: Scope = { cells: new CellList(values), rest: nothing() };
  const pages = new Map<string, Scope>();
  for (const path of new Set([...one.pages.keys(), ...other.pages.keys()])) {
    const [into, from] = [one.pages.get(path), other.pages.get(path)];
    // Views of the page may be missing where it has no cells, and all of a section.
    const mayLack = (day: DayCells) => isSection(path) || !day.hasAllPages;
    if ((into || !mayLack(one)) && (from || !mayLack(other)))
      pages.set(
        path,
        yield* merge(
          into ?? nothingYet,
          from ?? nothingYet,
          roomOf(isSection(path) ? 'section' : 'page', least),
        ),
      );
  }
  return {
    values,
    site: yield* merge(one.site, other.site, roomOf('site', least)),
    pages,
    hasAllPages: one.hasAllPages && other.hasAllPages,
  };
}

/** With as many pages, from the first on, as there is room for. @param viewed pages of the day, by which it has room */
function* packCells(
  { values, site, pages, hasAllPages }: DayCells,
  viewed: number,
): Generator<void, PackedCells> {
  const known = [...pages].filter(([, { cells }]) => cells.hasValues);
  const areAll = hasAllPages && [...pages].every(([page, { cells }]) => isSection(page) || cells.hasValues);
  const room = Math.max(leastBytes, bytesPerPage * viewed);
  for (let count = known.length; ; ) {
    const used = new UsedValues(values);
    const packedSite = new Packer();
    packScope(packedSite, site, used);
    const packedPages = known.slice(0, count).map(([path, scope]) => {
      const packed = new Packer();
      packed.text(path);
      packScope(packed, scope, used);
      return packed.bytes();
    });
    const head = new Packer();
    used.pack(head);
    const packed = {
      site: zstdCompressSync(Buffer.concat([head.bytes(), packedSite.bytes()])),
      pages: compressPages(packedPages, areAll && count === known.length),
    };
    const bytes = packed.site.length + packed.pages.length;
    if (bytes <= room || count === 0) return packed;
    count = Math.min(count - 1, Math.floor((count * room) / bytes));
    yield;
  }
}

function compressPages(pages: readonly Uint8Array[], areAll: boolean): Uint8Array {
  const packed = new Packer();
  packed.number(areAll ? 1 : 0);
  packed.number(pages.length);
  for (const page of pages) packed.part(page);
  return zstdCompressSync(packed.bytes());
}

/** The tuples and texts of cells, numbered anew: what was left out of all of them is nowhere. */
class UsedValues {
  readonly #from: ValueTable;
  readonly #tuples = new Map<number, number>();
  readonly #texts = new Map<number, number>();

  constructor(from: ValueTable) {
    this.#from = from;
  }

  tuple(tuple: number): number {
    const used = this.#tuples.get(tuple) ?? this.#tuples.size;
    this.#tuples.set(tuple, used);
    return used;
  }

  /** Value by value, in which they are alike. */
  pack(into: Packer): void {
    const tuples = [...this.#tuples.keys()].map((tuple) =>
      this.#from.codesOf(tuple).map((code) => this.#codeOf(code)),
    );
    into.texts([...this.#texts.keys()].map((code) => this.#from.textOf(code) as string));
    into.number(tuples.length);
    for (const place of combinedNames.keys()) {
      const column = new Packer();
      for (const codes of tuples) column.number(codes[place] as number);
      into.part(column.bytes());
    }
  }

  #codeOf(code: number): number {
    if (code <= none) return code;
    const used = this.#texts.get(code) ?? this.#texts.size + firstText;
    this.#texts.set(code, used);
    return used;
  }
}

function packScope(into: Packer, { cells, rest }: Scope, used: UsedValues): void {
  into.numbers(rest);
  into.number(cells.length);
  for (let cell = 0; cell < cells.length; cell++) {
    const { visitors, count, parts, human, ai } = cells.at(cell);
    into.number(visitors);
    into.number(count);
    for (const [i, part] of parts.entries()) {
      into.number(used.tuple(part >>> 2) * 4 + (part & 3));
      if ((part & kindBits.human) !== 0) into.number(human[i] as number);
      if ((part & kindBits.ai) !== 0) into.number(ai[i] as number);
    }
  }
}

/** @returns also the tuple of each that is stored */
function unpackTable(packed: Unpacker): { values: ValueTable; tuples: number[] } {
  const stored = new PackedTable(packed);
  const values = new ValueTable();
  for (let code = firstText; code < stored.codes; code++) values.codeOf(stored.textOf(code) as string);
  const columns = combinedNames.map((_, place) => stored.column(place));
  const tuples = Array.from({ length: stored.size }, (_, tuple) =>
    values.tupleOf(columns.map((column) => column[tuple] as number)),
  );
  return { values, tuples };
}

function unpackCells(packed: PackedCells): DayCells {
  const site = new Unpacker(zstdDecompressSync(packed.site));
  const table = unpackTable(site);
  const { pages, hasAllPages } = unpackPages(zstdDecompressSync(packed.pages));
  const scopes = pages.map(([path, scope]) => [path, unpackScope(scope, table)] as const);
  return { values: table.values, site: unpackScope(site, table), pages: new Map(scopes), hasAllPages };
}

/** Without these pages and sections of them; undefined: it has none. */
export function withoutPages(
  bytes: Uint8Array,
  paths: ReadonlySet<string>,
  renamed: Renamed | null,
): Uint8Array | undefined {
  const packed = new Unpacker(zstdDecompressSync(bytes));
  packed.number();
  const pages = Array.from({ length: packed.number() }, () => packed.part().bytes());
  const left = pages.filter((page) => {
    const name = new Unpacker(page).text();
    if (!isSection(name)) return !paths.has(name);
    const matchesOf = matchesBy([name.slice(1)], renamed);
    return ![...paths].some((path) => matchesOf(path).length > 0);
  });
  if (left.length === pages.length) return undefined;
  return compressPages(left, false);
}

function unpackPages(decompressed: Uint8Array): {
  pages: [path: string, scope: Unpacker][];
  hasAllPages: boolean;
} {
  const packed = new Unpacker(decompressed);
  const hasAllPages = packed.number() === 1;
  const pages = Array.from({ length: packed.number() }, (): [string, Unpacker] => {
    const page = packed.part();
    return [page.text(), page];
  });
  return { pages, hasAllPages };
}

function unpackScope(packed: Unpacker, { values, tuples }: ReturnType<typeof unpackTable>): Scope {
  const rest = nothing().map(() => packed.number()) as Counts;
  const cells = new CellList(values);
  eachCell(packed, ({ visitors, count, parts, human, ai }) => {
    for (let i = 0; i < count; i++) {
      const part = parts[i] as number;
      cells.addPart((tuples[part >>> 2] as number) * 4 + (part & 3), human[i] as number, ai[i] as number);
    }
    cells.addCell(visitors);
  });
  return { cells, rest };
}

/** @param take is given a cell that later ones use again */
function eachCell(packed: Unpacker, take: (cell: Cell) => void): void {
  const cell: Cell = { visitors: 0, count: 0, parts: [], human: [], ai: [] };
  const numbers = packed.rest();
  let at = 0;
  for (let cells = numbers[at++] as number; cells > 0; cells--) {
    cell.visitors = numbers[at++] as number;
    cell.count = numbers[at++] as number;
    for (let i = 0; i < cell.count; i++) {
      const part = numbers[at++] as number;
      cell.parts[i] = part;
      cell.human[i] = (part & kindBits.human) === 0 ? 0 : (numbers[at++] as number);
      cell.ai[i] = (part & kindBits.ai) === 0 ? 0 : (numbers[at++] as number);
    }
    take(cell);
  }
}

/** Decompresses what was kept of many days, without the pages where they are not asked for. */
export function openCells(days: readonly { site: Uint8Array; pages?: Uint8Array }[]): OpenCells[] {
  const sites = decompressAll(days.map(({ site }) => site));
  const pages = decompressAll(days.flatMap(({ pages }) => pages ?? []));
  return sites.map((site, i) => ({ site, pages: pages[i] }));
}

/** What a closed day has. A page that has no cells may have up to what the whole site has. */
function answerCells(cells: OpenCells, { conditions, pages: asked, by, channels, renamed }: Question): Found {
  const packed = new Unpacker(cells.site);
  const values = withChannels(new PackedTable(packed), channels);
  const matches = matchTuples(values, conditions);
  const codes = by === null || by === 'path' ? undefined : values.column(placeOf(by));
  const answer = (scope: Unpacker) => answerScope(scope, { values, matches, codes });
  const site = answer(packed);
  if (asked.length === 0 && by !== 'path') return site;
  // A visitor may have an excluded value on one page alone.
  const ofVisitors = conditions.filter(({ name, isNot }) => !isNot || isOfVisitor.has(name));
  const several = visitorsOfSeveral(
    cells.site,
    ofVisitors.flatMap(({ name, isNot }) => (isNot ? name : [])),
  );
  const loose = ofVisitors.length < conditions.length ? Number.POSITIVE_INFINITY : several;
  const isLoose = loose > 0;
  const ofSite = { conditions: ofVisitors, pages: [], by: by === 'path' ? null : by, channels };
  const most = isLoose ? withMore(answerCells(cells, ofSite), several) : site;
  const loosen = (found: Found) => (isLoose ? withLess(found, loose) : found);
  const { pages: all, hasAllPages } = unpackPages(cells.pages as Uint8Array);
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
  const rows = renamed ? joinRenamed(shown, renamed, loose) : new Map(shown);
  // Only a page without cells may have these.
  for (const [path, { from, to }] of hasAllPages ? [] : rows)
    rows.set(path, { from, to: to.map((count, i) => count - (unnamed[i] as number)) as Counts });
  return { totals: answered.totals, rows, unnamed };
}

/** By the present path of pages. @param loose visitors who may be excluded by another of the paths that a page had */
function joinRenamed(
  pages: readonly [path: string, Bounds][],
  renamed: (path: string) => string,
  loose: number,
): Map<string, Bounds> {
  const found = new Map<string, Bounds>();
  for (const [path, own] of pages) {
    const known = found.get(renamed(path));
    const joined = known ? anyOfBounds(noBounds(), [known, own], true) : own;
    found.set(renamed(path), known ? withFewer(joined, loose) : joined);
  }
  return found;
}

/** What a visitor of a day has one of, unless the database of countries or the rules for browsers change on it. */
const isOfVisitor = new Set<string>(['country', 'region', 'device', 'browser', 'system']);

/** Visitors who have several values of any of these, or may have as values were left out. */
function visitorsOfSeveral(site: Uint8Array, names: readonly CombinedName[]): number {
  if (names.length === 0) return 0;
  const packed = new Unpacker(site);
  const table = new PackedTable(packed);
  const columns = names.map((name) => table.column(placeOf(name)));
  const rest = nothing().map(() => packed.number()) as Counts;
  let several = rest[2];
  eachCell(packed, ({ visitors, count, parts }) => {
    const mayDiffer = columns.some((column) => {
      const first = column[(parts[0] as number) >>> 2];
      if (first === leftOut) return true;
      for (let i = 1; i < count; i++) if (column[(parts[i] as number) >>> 2] !== first) return true;
      return false;
    });
    if (mayDiffer) several += visitors;
  });
  return several;
}

const withFewer = ({ from, to }: Bounds, visitors: number): Bounds => ({
  from: from.map((count, i) => (i < 3 ? Math.max(0, count - visitors) : count)) as Counts,
  to,
});

/** Without so many visitors, who may be excluded by what they did on another page. */
const withLess = ({ totals, rows, unnamed }: Found, visitors: number): Found => ({
  totals: withFewer(totals, visitors),
  rows: new Map([...rows].map(([name, bounds]) => [name, withFewer(bounds, visitors)])),
  unnamed,
});

/** With so many visitors, who may be excluded on another page alone. */
function withMore(found: Found, visitors: number): Found {
  const more: Counts = [visitors, visitors, visitors, 0, 0];
  addCounts(found.totals.to, more);
  addCounts(found.unnamed, more);
  return found;
}

/**
 * The same of channels. A visitor whose medium was left out counts in the channel of its source, and may belong to another one:
 * at most so many as have such a medium and are not known by it.
 *
 * @param tagged those of the day with a medium that says the channel, at most
 */
export function answerDay(cells: OpenCells, question: Question, tagged: Readonly<Counts>): Found {
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
function hasHidden({ site }: OpenCells): boolean {
  const values = new PackedTable(new Unpacker(site));
  const place = placeOf('utmMedium');
  return values.column(place).includes(leftOut);
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
  /** Of tuples, what rows are of; undefined: there are none. */
  codes: ArrayLike<number> | undefined;
}

function answerScope(packed: Unpacker, { values, matches, codes }: Answering): Found {
  const found = nothingFound();
  const rest = nothing().map(() => packed.number()) as Counts;
  eachCell(packed, (cell) => {
    if (!hasMatch(cell, matches)) return;
    addMatches(found.totals, cell, matches, () => true);
    if (!codes) return;
    const own = cell.parts.slice(0, cell.count).map((part) => codes[part >>> 2] as number);
    for (const code of new Set(own)) {
      if (code === none) continue;
      const row =
        code === leftOut
          ? { from: nothing(), to: found.unnamed }
          : rowOf(found, values.textOf(code) as string);
      addMatches(row, cell, matches, (part) => codes[part >>> 2] === code);
    }
  });
  addCounts(found.totals.to, rest);
  if (codes) addCounts(found.unnamed, rest);
  return found;
}

function hasMatch({ count, parts }: Cell, matches: Uint8Array): boolean {
  for (let i = 0; i < count; i++) if (matches[(parts[i] as number) >>> 2] !== 0) return true;
  return false;
}

const countedKinds = [kindBits.human, kindBits.ai, kindBits.human | kindBits.ai] as const;

/** What a cell adds to bounds, by the parts that are asked for. */
function addMatches(
  { from, to }: Bounds,
  { visitors, count, parts, human, ai }: Cell,
  matches: Uint8Array,
  isOfRow: (part: number) => boolean,
): void {
  // As kinds.
  let [is, mayBe, isExcluded, mayBeExcluded] = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
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
