import type { OpenChunk } from '../../store/counts/view-batch.ts';

/** Lines of one chunk: 8 KB of bits. */
export const linesPerChunk = 65_536;

/**
 * The lines of a log that were read and may still be counted by a later import. Lines are counted from 1. Changes are written
 * with the batch that they belong to.
 */
export class OpenLines {
  readonly #chunks = new Map<number, Uint8Array>();
  readonly #changed = new Set<number>();

  constructor(stored: readonly OpenChunk[] = []) {
    for (const { chunk, bits } of stored) {
      const whole = new Uint8Array(linesPerChunk / 8);
      whole.set(bits);
      this.#chunks.set(chunk, whole);
    }
  }

  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  has(line: number): boolean {
    const at = line - 1;
    const bits = this.#chunks.get(Math.floor(at / linesPerChunk));
    if (!bits) return false;
    const bit = at % linesPerChunk;
    return ((bits[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
  }

  set(line: number, isOpen: boolean): void {
    const at = line - 1;
    const chunk = Math.floor(at / linesPerChunk);
    let bits = this.#chunks.get(chunk);
    if (!bits) {
      if (!isOpen) return;
      bits = new Uint8Array(linesPerChunk / 8);
      this.#chunks.set(chunk, bits);
    }
    const bit = at % linesPerChunk;
    const byte = bits[bit >> 3] as number;
    bits[bit >> 3] = isOpen ? byte | (1 << (bit & 7)) : byte & ~(1 << (bit & 7));
    this.#changed.add(chunk);
  }

  /** Changes to be written; they count as written from here on. */
  takeChanges(): OpenChunk[] {
    const changes = [...this.#changed].map((chunk) => {
      const bits = this.#chunks.get(chunk) as Uint8Array;
      const end = bits.findLastIndex((byte) => byte !== 0) + 1;
      if (end === 0) this.#chunks.delete(chunk);
      return { chunk, bits: bits.slice(0, end) };
    });
    this.#changed.clear();
    return changes;
  }
}
