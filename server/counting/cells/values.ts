import { randomInt } from 'node:crypto';
import { combinedNames } from '../../../shared/reports/combined.ts';

const width = combinedNames.length;

/** Codes of values: it was left out, the view has none, and the first text. */
export const leftOut = 0;
export const none = 1;
export const firstText = 2;

/** What a hash of numbers by `mixed` begins with: random, so that nobody can make many that are the same. */
export const seed = randomInt(2 ** 32);

export function mixed(hash: number, number: number): number {
  const product = Math.imul(hash ^ number, 0x9e3779b1);
  return product ^ (product >>> 15);
}

/** Numbers for texts, and for tuples of a value for each of `combinedNames`. */
export class ValueTable {
  readonly texts: string[] = [];
  size = 0;
  /** Of tuples, one after the other. */
  #codes = new Uint32Array(512 * width);
  readonly #byText = new Map<string, number>();
  /** Tuples + 1 by their hash, or behind others with the same; 0: none. */
  #slots = new Uint32Array(1024);
  /** By a part of a cell, its place in the cells that are made. */
  readonly places: number[] = [];
  readonly #left: number[] = [];
  /** By how many values are left out, the tuples that are left of tuples. */
  readonly #reduced: number[][] = [];

  textOf(code: number): string | undefined {
    return this.texts[code - firstText];
  }

  codeOf(text: string): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const code = this.texts.push(text) - 1 + firstText;
    this.#byText.set(text, code);
    return code;
  }

  /** The code of a tuple for one of `combinedNames`, by its place. */
  code(tuple: number, place: number): number {
    return this.#codes[tuple * width + place] as number;
  }

  tupleOf(codes: readonly number[]): number {
    if (this.size * 2 >= this.#slots.length) this.#addSlots();
    const slot = this.#slotOf(codes, 0);
    const known = this.#slots[slot] as number;
    if (known > 0) return known - 1;
    for (let i = 0; i < width; i++) this.#codes[this.size * width + i] = codes[i] as number;
    this.#slots[slot] = ++this.size;
    return this.size - 1;
  }

  /** Where the tuple is that stands there, or would be. */
  #slotOf(codes: ArrayLike<number>, at: number): number {
    const slots = this.#slots;
    let hash = seed;
    for (let i = 0; i < width; i++) hash = mixed(hash, codes[at + i] as number);
    for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const first = ((slots[slot] as number) - 1) * width;
      let same = 0;
      while (same < width && this.#codes[first + same] === codes[at + same]) same++;
      if (first < 0 || same === width) return slot;
    }
  }

  #addSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 4);
    const codes = this.#codes;
    this.#codes = new Uint32Array(codes.length * 4);
    this.#codes.set(codes);
    for (let tuple = 0; tuple < this.size; tuple++)
      this.#slots[this.#slotOf(codes, tuple * width)] = tuple + 1;
  }

  /** The same without the first so many values. */
  without(tuple: number, values: number): number {
    this.#reduced[values] ??= [];
    const reduced = this.#reduced[values];
    // An array with holes is slow.
    while (reduced.length <= tuple) reduced.push(-1);
    const known = reduced[tuple] as number;
    if (known >= 0) return known;
    for (let i = 0; i < width; i++) this.#left[i] = i < values ? leftOut : this.code(tuple, i);
    const left = this.tupleOf(this.#left);
    reduced[tuple] = left;
    return left;
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

/** Reads what a `Packer` wrote. */
export class Unpacker {
  readonly bytes: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  number(): number {
    let byte = this.bytes[this.#at++] as number;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let factor = 128; ; factor *= 128) {
      byte = this.bytes[this.#at++] as number;
      if (byte === undefined) throw new RangeError('The bytes end within a number.');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.number();
    this.#at += length;
    return this.bytes.toString('utf8', this.#at - length, this.#at);
  }

  texts(): string[] {
    return Array.from({ length: this.number() }, () => this.text());
  }

  numbers(count: number): number[] {
    const all: number[] = [];
    for (let i = 0; i < count; i++) all.push(this.number());
    return all;
  }

  part(): Unpacker {
    const length = this.number();
    this.#at += length;
    return new Unpacker(this.bytes.subarray(this.#at - length, this.#at));
  }
}

/**
 * The tuples of views, in their order, as numbers of a table.
 *
 * @param bytes as `ViewValues` packs them
 */
export function unpackValues(bytes: Uint8Array, views: number, table: ValueTable): number[] {
  const length = views * width * Uint16Array.BYTES_PER_ELEMENT;
  const packed = new Uint16Array(new Uint8Array(bytes.subarray(0, length)).buffer);
  const texts = JSON.parse(Buffer.from(bytes.subarray(length)).toString()) as string[];
  const codes = [none, ...texts.map((text) => table.codeOf(text))];
  const tuples: number[] = [];
  const tuple: number[] = [];
  for (let view = 0, at = 0; view < views; view++) {
    for (let i = 0; i < width; i++) tuple[i] = codes[packed[at++] as number] as number;
    tuples.push(table.tupleOf(tuple));
  }
  return tuples;
}

/** A table as it is stored: its values are read where they are asked for. */
export class PackedTable {
  readonly texts: string[];
  readonly size: number;
  readonly #columns: Unpacker[];
  readonly #read: number[][] = [];

  constructor(packed: Unpacker) {
    this.texts = packed.texts();
    this.size = packed.number();
    this.#columns = combinedNames.map(() => packed.part());
  }

  code(tuple: number, place: number): number {
    this.#read[place] ??= (this.#columns[place] as Unpacker).numbers(this.size);
    return this.#read[place][tuple] as number;
  }

  textOf(code: number): string | undefined {
    return this.texts[code - firstText];
  }
}

/** What tuples are looked up in. */
export type Table = Pick<ValueTable, 'texts' | 'size' | 'code' | 'textOf'>;
