import { combinedNames } from '../../../shared/reports/combined.ts';
import { mixed, Numbers, Slots, seed } from '../numbers.ts';

const width = combinedNames.length;

/** Codes of values: it was left out, the view has none, and the first text. */
export const leftOut = 0;
export const none = 1;
export const firstText = 2;

/** How many of the first values are left out at each step: some are asked for as rarely as others. */
const steps = [0, 3, 6, 8, 9, 10, 11, 12, width];
export const lastStep = steps.length - 1;

/** The tuple of which all is left out. */
export const nothingLeft = 0;

/** Numbers of a tuple, and where among them two are. */
const perTuple = 6;
const stepAt = 4;
const countAt = 5;

/**
 * Numbers for texts, and for tuples of a value for each of `combinedNames`. A tuple is one of the next step with the values that
 * this one leaves out besides; the last one is `nothingLeft`.
 */
export class ValueTable {
  readonly #texts: string[] = [];
  readonly #byText = new Map<string, number>();
  /** Of each tuple, at `perTuple` times its number: that of the next step, up to three codes, its step, and what was counted. */
  readonly #tuples = new Numbers();
  readonly #slots = new Slots();
  /** As far as they were read. */
  readonly #columns: Numbers[] = [];
  /** By a part of a cell, its place in the cells that are made. */
  readonly places = new Numbers();

  constructor() {
    this.#add(nothingLeft, lastStep, leftOut, leftOut, leftOut);
  }

  get size(): number {
    return this.#tuples.length / perTuple;
  }

  /** All are below it. */
  get codes(): number {
    return this.#texts.length + firstText;
  }

  textOf(code: number): string | undefined {
    return this.#texts[code - firstText];
  }

  codeOf(text: string): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const code = this.#texts.push(text) - 1 + firstText;
    this.#byText.set(text, code);
    return code;
  }

  tupleOf(codes: readonly number[]): number {
    let left = 0;
    while (left < width && codes[left] === leftOut) left++;
    let tuple = nothingLeft;
    for (let step = lastStep - 1; step >= 0 && (steps[step + 1] as number) > left; step--) {
      const from = steps[step] as number;
      const count = (steps[step + 1] as number) - from;
      const second = count > 1 ? (codes[from + 1] as number) : leftOut;
      const third = count > 2 ? (codes[from + 2] as number) : leftOut;
      tuple = this.#tupleOf(tuple, step, codes[from] as number, second, third);
    }
    return tuple;
  }

  #tupleOf(next: number, step: number, first: number, second: number, third: number): number {
    const hash = mixed(mixed(mixed(mixed(seed, next), first), second), third);
    const { items } = this.#tuples;
    for (let slot = this.#slots.first(hash); ; slot = this.#slots.next(slot)) {
      const tuple = this.#slots.at(slot) + 1;
      if (tuple === nothingLeft) {
        this.#slots.take(slot, hash);
        return this.#add(next, step, first, second, third);
      }
      const at = tuple * perTuple;
      const isSame = items[at] === next && items[at + 1] === first && items[at + 2] === second;
      if (isSame && items[at + 3] === third) return tuple;
    }
  }

  #add(next: number, step: number, first: number, second: number, third: number): number {
    const at = this.#tuples.length;
    this.#tuples.extend(at + perTuple);
    const { items } = this.#tuples;
    items[at] = next;
    items[at + 1] = first;
    items[at + 2] = second;
    items[at + 3] = third;
    items[at + stepAt] = step;
    return at / perTuple;
  }

  /** The same of a later step. */
  without(tuple: number, step: number): number {
    const { items } = this.#tuples;
    let at = tuple * perTuple;
    while ((items[at + stepAt] as number) < step) at = (items[at] as number) * perTuple;
    return at / perTuple;
  }

  /** Which step a tuple is of. */
  stepOf(tuple: number): number {
    return this.#tuples.at(tuple * perTuple + stepAt);
  }

  /** Counts for a tuple and for the same of all later steps. */
  count(tuple: number): void {
    const { items } = this.#tuples;
    for (let at = tuple * perTuple; ; at = (items[at] as number) * perTuple) {
      (items[at + countAt] as number)++;
      if (at === nothingLeft) return;
    }
  }

  /** The first step at which so many were counted. */
  stepWith(tuple: number, least: number): number {
    const { items } = this.#tuples;
    let at = tuple * perTuple;
    while (at !== nothingLeft && (items[at + countAt] as number) < least)
      at = (items[at] as number) * perTuple;
    return items[at + stepAt] as number;
  }

  /** Begins to count anew. */
  uncount(tuple: number): void {
    const { items } = this.#tuples;
    for (let at = tuple * perTuple; items[at + countAt] !== 0; at = (items[at] as number) * perTuple)
      items[at + countAt] = 0;
  }

  /** The codes of tuples for one of `combinedNames`, by its place. */
  column(place: number): Uint32Array {
    this.#columns[place] ??= new Numbers();
    const column = this.#columns[place];
    const own = steps.findLastIndex((from) => from <= place);
    const codeAt = 1 + place - (steps[own] as number);
    let tuple = column.length;
    column.extend(this.size);
    const [codes, { items }] = [column.all, this.#tuples];
    // Those of later steps come first.
    for (let at = tuple * perTuple; tuple < codes.length; tuple++, at += perTuple) {
      const step = items[at + stepAt] as number;
      if (step < own) codes[tuple] = codes[items[at] as number] as number;
      else if (step === own) codes[tuple] = items[at + codeAt] as number;
    }
    return codes;
  }

  codesOf(tuple: number): number[] {
    const codes = combinedNames.map(() => leftOut);
    const { items } = this.#tuples;
    for (let at = tuple * perTuple; at !== nothingLeft; at = (items[at] as number) * perTuple) {
      const [from, to] = steps.slice(items[at + stepAt]) as [number, number];
      for (let place = from; place < to; place++) codes[place] = items[at + 1 + place - from] as number;
    }
    return codes;
  }
}

/** Numbers as bytes, the small ones in few (LEB128). */
export class Packer {
  #bytes = Buffer.alloc(1024);
  #length = 0;

  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  text(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.number(bytes);
    this.#reserve(bytes);
    this.#length += this.#bytes.write(text, this.#length);
  }

  texts(texts: readonly string[]): void {
    this.number(texts.length);
    for (const text of texts) this.text(text);
  }

  numbers(values: readonly number[]): void {
    for (const value of values) this.number(value);
  }

  part(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

const cutShort = () => new RangeError('The bytes end within a number.');

/** Of `Unpacker.rest`, as there are many. */
let numbers = new Uint32Array(1024);

/** Reads what a `Packer` wrote. */
export class Unpacker {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
    this.#end = end;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#end);
  }

  /** All numbers up to the end, below 2 ** 32, sooner than one by one: up to the next call of any. */
  rest(): Uint32Array {
    if (numbers.length < this.#end - this.#at) numbers = new Uint32Array((this.#end - this.#at) * 2);
    numbers.fill(0, 0, this.#end - this.#at);
    let [count, shift] = [0, 0];
    for (let at = this.#at; at < this.#end; at++) {
      const byte = this.#bytes[at] as number;
      (numbers[count] as number) |= (byte & 127) << shift;
      shift = byte < 128 ? 0 : shift + 7;
      if (byte < 128) count++;
    }
    if (shift !== 0) throw cutShort();
    return numbers;
  }

  number(): number {
    let byte = this.#bytes[this.#at++] as number;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let factor = 128; ; factor *= 128) {
      byte = this.#bytes[this.#at++] as number;
      if (byte === undefined) throw cutShort();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.number();
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  /** Texts that are read where they are asked for, by their place. */
  texts(): { count: number; at: (place: number) => string } {
    const count = this.number();
    const from = this.#at;
    // Where each begins and ends.
    const places = new Uint32Array(count * 2);
    for (let i = 0; i < places.length; i += 2) {
      const length = this.number();
      places[i] = this.#at - from;
      this.#at += length;
      places[i + 1] = this.#at - from;
    }
    const bytes = this.#bytes.subarray(from, this.#at);
    const at = (place: number) => bytes.toString('utf8', places[place * 2], places[place * 2 + 1]);
    return { count, at };
  }

  numbers(count: number): Uint32Array {
    const all = new Uint32Array(count);
    for (let i = 0; i < count; i++) all[i] = this.number();
    return all;
  }

  part(): Unpacker {
    const length = this.number();
    this.#at += length;
    return new Unpacker(this.#bytes, this.#at - length, this.#at);
  }
}

/**
 * The tuples of views, in their order, as numbers of a table.
 *
 * @param bytes as `ViewValues` packs them
 */
export function unpackValues(bytes: Uint8Array, views: number, table: ValueTable): Uint32Array {
  const length = views * width * Uint16Array.BYTES_PER_ELEMENT;
  const packed = new Uint16Array(new Uint8Array(bytes.subarray(0, length)).buffer);
  const texts = JSON.parse(Buffer.from(bytes.subarray(length)).toString()) as string[];
  const codes = [none, ...texts.map((text) => table.codeOf(text))];
  const tuples = new Uint32Array(views);
  const tuple: number[] = [];
  for (let view = 0, at = 0; view < views; view++) {
    for (let i = 0; i < width; i++) tuple[i] = codes[packed[at++] as number] as number;
    tuples[view] = table.tupleOf(tuple);
  }
  return tuples;
}

/** A table as it is stored: its values are read where they are asked for. */
export class PackedTable {
  readonly codes: number;
  readonly size: number;
  readonly #textAt: (place: number) => string;
  readonly #texts: string[] = [];
  readonly #columns: Unpacker[];
  readonly #read: Uint32Array[] = [];

  constructor(packed: Unpacker) {
    const texts = packed.texts();
    this.#textAt = texts.at;
    this.codes = texts.count + firstText;
    this.size = packed.number();
    this.#columns = combinedNames.map(() => packed.part());
  }

  column(place: number): Uint32Array {
    this.#read[place] ??= (this.#columns[place] as Unpacker).numbers(this.size);
    return this.#read[place];
  }

  textOf(code: number): string | undefined {
    if (code < firstText || code >= this.codes) return undefined;
    this.#texts[code] ??= this.#textAt(code - firstText);
    return this.#texts[code];
  }
}

/** What tuples are looked up in. */
export interface Table extends Pick<ValueTable, 'codes' | 'size' | 'textOf'> {
  column: (place: number) => ArrayLike<number>;
}
