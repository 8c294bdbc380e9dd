import { Readable } from 'node:stream';
import { emptyEntry } from '../formats/entry.ts';
import { jsonParser } from '../formats/fields.ts';
import { isObject, type JsonObject, parseObject } from '../formats/json-line.ts';
import { type Content, streamContent } from './content.ts';

/** Names of a list of log entries in a JSON document. */
const listName =
  /^(?:records?|(?:access_?)?logs?|(?:log_?)?(?:entries|events|lines)|items|data|values?|hits|results?|rows|messages|requests)$/i;

/** Longer ones are not read. */
const maxRecordBytes = 1 << 20;
const readAtOnce = 1 << 17;

/**
 * Whether a log that begins so has entries that are not one a line: a list, an object with a list of entries in it, or objects
 * over several lines.
 *
 * @param text a character for each byte
 */
export function isJsonDocument(text: string): boolean {
  const start = text.replace(/^\u00ef\u00bb\u00bf/, '').trimStart();
  if (/^\[\s*[{\]]/.test(start)) return true;
  if (!/^\{\s*"/.test(start)) return false;
  const line = start.split('\n').find((line) => line.startsWith('{') && parseObject(line) !== undefined);
  if (line === undefined) return true;
  return (
    holdsRecords(parseObject(line) as JsonObject) && jsonParser().parse(line, emptyEntry()) !== 'request'
  );
}

function holdsRecords(object: JsonObject): boolean {
  return Object.entries(object).some(
    ([name, value]) =>
      listName.test(name) &&
      (Array.isArray(value) ? isObject(value[0]) : isObject(value) && holdsRecords(value)),
  );
}

/** The entries of such a log, one a line. */
export function recordsIn(content: Content, name: string): Content {
  const lines = streamContent(Readable.from(linesIn(content)), name);
  return { ...lines, progress: () => content.progress(), close: () => content.close() };
}

async function* linesIn(content: Content): AsyncIterable<Buffer> {
  const records = new JsonRecords();
  const buffer = Buffer.allocUnsafeSlow(readAtOnce);
  for (;;) {
    const length = await content.read(buffer, 0);
    const lines = length === 0 ? records.rest() : records.add(buffer.toString('latin1', 0, length));
    if (lines !== '') yield Buffer.from(lines, 'latin1');
    if (length === 0) return;
  }
}

/** An object or a list that is not closed yet. */
interface Open {
  isList: boolean;
  /** It may have entries in it. */
  isPath: boolean;
}

/** Splits a JSON document while it is read. */
class JsonRecords {
  /** The text that is not processed yet. */
  #text = '';
  #at = 0;
  #isInString = false;
  #stringFrom = 0;
  /** The last string of an object, which is a name if something opens behind it. */
  #name = '';
  #open: Open[] = [];
  /** Where the entry begins that is being read, unless it turns out to have others in it; -1: none is. */
  #from = -1;
  /** How many are open around it. */
  #depth = 0;
  #lines = '';

  /** Answers the entries that end in it. */
  add(text: string): string {
    this.#text += text;
    while (this.#isInString ? this.#goOnInString() : this.#goOn());
    if (this.#from >= 0 && this.#text.length - this.#from > maxRecordBytes) this.#emit(this.#text.length);
    this.#cut();
    return this.#takeLines();
  }

  /** The incomplete rest at the end. */
  rest(): string {
    if (this.#from >= 0 || this.#open.length === 0)
      this.#lines += onOneLine(this.#text.slice(Math.max(this.#from, 0)));
    return this.#takeLines();
  }

  #takeLines(): string {
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }

  #cut(): void {
    const kept = this.#from >= 0 ? this.#from : this.#isInString ? this.#stringFrom : this.#at;
    this.#text = this.#text.slice(kept);
    this.#at -= kept;
    this.#stringFrom -= kept;
    if (this.#from >= 0) this.#from = 0;
  }

  #find(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.index ?? -1;
  }

  /** Answers whether there is more to look at. */
  #goOn(): boolean {
    const isOutside = this.#open.length === 0;
    // A byte order mark may come first.
    const found = this.#find(isOutside ? /[^\s,\xef\xbb\xbf]/g : /["{}[\]]/g);
    this.#at = found < 0 ? this.#text.length : found + 1;
    if (found < 0) return false;
    const character = this.#text[found] as string;
    if (character === '{' || character === '[') this.#opens(found, character === '[');
    else if (isOutside) return this.#passLine(found);
    else if (character === '"') {
      this.#isInString = true;
      this.#stringFrom = found + 1;
    } else this.#closes();
    return true;
  }

  #goOnInString(): boolean {
    const found = this.#find(/["\\\n]/g);
    if (found < 0 || (this.#text[found] === '\\' && found + 1 === this.#text.length)) {
      this.#at = found < 0 ? this.#text.length : found;
      return false;
    }
    if (this.#text[found] === '\n') return this.#breakOff(found);
    this.#at = found + (this.#text[found] === '\\' ? 2 : 1);
    if (this.#text[found] === '"') {
      this.#isInString = false;
      this.#name = this.#text.slice(this.#stringFrom, Math.min(found, this.#stringFrom + 100));
    }
    return true;
  }

  #opens(at: number, isList: boolean): void {
    const parent = this.#open.at(-1);
    const isEntry = !isList && (parent === undefined || (parent.isList && parent.isPath));
    const isNamed = parent?.isPath === true && !parent.isList && listName.test(this.#name);
    if (isEntry) {
      this.#from = at;
      this.#depth = this.#open.length;
    }
    this.#open.push({ isList, isPath: parent === undefined || isEntry || isNamed });
  }

  #closes(): void {
    this.#open.pop();
    if (this.#from >= 0 && this.#open.length === this.#depth) this.#emit(this.#at);
  }

  #emit(to: number): void {
    this.#lines += `${onOneLine(this.#text.slice(this.#from, to))}\n`;
    this.#from = -1;
  }

  /** A string has no line break in it: a line is cut off here, and the next begins anew. */
  #breakOff(at: number): true {
    this.#from = Math.max(this.#from, 0);
    this.#open = [];
    this.#isInString = false;
    this.#at = at + 1;
    this.#emit(at);
    return true;
  }

  /** A line among the entries that is no JSON. */
  #passLine(from: number): boolean {
    const end = this.#text.indexOf('\n', from);
    this.#at = end < 0 ? from : end + 1;
    if (end < 0) return false;
    this.#lines += this.#text.slice(from, end + 1);
    return true;
  }
}

function onOneLine(text: string): string {
  return text.includes('\n') ? text.trim().replace(/\s*\n\s*/g, ' ') : text;
}
