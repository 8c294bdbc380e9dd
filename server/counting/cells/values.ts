import { combinedNames } from '../../../shared/reports/combined.ts';

const width = combinedNames.length;

/** Codes of values: it was left out, the view has none, and the first text. */
export const leftOut = 0;
export const none = 1;
export const firstText = 2;

/** Numbers for texts, and for tuples of a value for each of `combinedNames`. */
export class ValueTable {
  readonly texts: string[] = [];
  /** One after the other. */
  readonly codes: number[] = [];
  readonly #byText = new Map<string, number>();
  readonly #byKey = new Map<string, number>();
  /** By how many values are left out, the tuples that are left of tuples. */
  readonly #reduced: number[][] = [];

  get size(): number {
    return this.codes.length / width;
  }

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
    return this.codes[tuple * width + place] as number;
  }

  tupleOf(codes: readonly number[]): number {
    // A character has 16 bits; a loop is the fastest.
    let key = '';
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i] as number;
      key += code < 0xffff ? String.fromCharCode(code) : `\uffff${code};`;
    }
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const tuple = this.size;
    this.codes.push(...codes);
    this.#byKey.set(key, tuple);
    return tuple;
  }

  /** The same without the first so many values. */
  without(tuple: number, values: number): number {
    this.#reduced[values] ??= [];
    const reduced = this.#reduced[values];
    const known = reduced[tuple];
    if (known !== undefined) return known;
    const codes = this.codes.slice(tuple * width, (tuple + 1) * width).fill(leftOut, 0, values);
    reduced[tuple] = this.tupleOf(codes);
    return reduced[tuple];
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
