import type { Content } from './content.ts';

/** Also the length of the longest line that is read. */
const windowBytes = 1 << 20;

/** A piece of a log that ends at the end of a line, a character for each byte. */
export interface Window {
  text: string;
  /** Where in the log it begins. */
  at: number;
  /** `long`: the beginning of a line that is too long to be read; `rest`: more of it, or of a line that was read before. */
  kind: 'lines' | 'long' | 'rest';
}

/** Splits a log. A last line without an end is read apart. */
export class Lines {
  readonly #content: Content;
  readonly #buffer = Buffer.allocUnsafeSlow(windowBytes);
  #filled = 0;
  /** Where in the buffer the last whole line ends. */
  #whole = 0;
  #at: number;
  #isInsideLine: boolean;

  /** @param isInsideLine the content begins with the rest of a line */
  constructor(content: Content, at: number, isInsideLine: boolean) {
    this.#content = content;
    this.#at = at;
    this.#isInsideLine = isInsideLine;
  }

  /** Undefined: there is nothing further that ends in a line break, at least now. */
  async next(): Promise<Window | undefined> {
    for (;;) {
      const ready = this.#ready();
      if (ready) return ready;
      const reading = this.#content.read(this.#buffer, this.#filled);
      const length = typeof reading === 'number' ? reading : await reading;
      if (length === 0) return undefined;
      const lastBreak = this.#buffer.subarray(this.#filled, this.#filled + length).lastIndexOf(10);
      if (lastBreak >= 0) this.#whole = this.#filled + lastBreak + 1;
      this.#filled += length;
    }
  }

  /** The text after the last line break. */
  rest(): Window | undefined {
    return this.#filled === 0 ? undefined : this.#take(this.#filled, 'lines');
  }

  #ready(): Window | undefined {
    if (this.#isInsideLine && this.#filled > 0) {
      const lineBreak = this.#buffer.subarray(0, this.#filled).indexOf(10);
      this.#isInsideLine = lineBreak < 0;
      return this.#take(lineBreak < 0 ? this.#filled : lineBreak + 1, 'rest');
    }
    if (this.#whole > 0) return this.#take(this.#whole, 'lines');
    if (this.#filled < this.#buffer.length) return undefined;
    this.#isInsideLine = true;
    return this.#take(this.#filled, 'long');
  }

  #take(end: number, kind: Window['kind']): Window {
    const window = { text: this.#buffer.toString('latin1', 0, end), at: this.#at, kind };
    this.#buffer.copyWithin(0, end, this.#filled);
    this.#filled -= end;
    this.#whole = Math.max(0, this.#whole - end);
    this.#at += end;
    return window;
  }
}
