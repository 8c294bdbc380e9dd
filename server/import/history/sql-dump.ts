import { type CsvLine, lineError } from './csv.ts';
import { type ExportedFile, unreadable } from './exported-files.ts';
import { readText } from './text.ts';

/** Rows of a database as its own tools write them: `COPY` of pg_dump, `INSERT` of pg_dump and mysqldump, and their text files. */

/** No value, and no row, of a dump is longer. */
const maxLength = 1 << 20;

/** A table that a dump has rows of. */
export interface DumpedTable {
  name: string;
  columns: string[];
}

interface DumpedRow {
  /** As the dump calls it, without its schema. */
  table: string;
  columns: readonly string[];
  line: CsvLine;
}

/** Null is what no text of a dump is. */
export const sqlNull = '\\N';

/** A text that is read piece by piece, and counted by lines. */
class Cursor {
  readonly #pieces: AsyncGenerator<string>;
  readonly #place: string;
  text = '';
  at = 0;
  line = 1;
  isDone = false;

  constructor(file: ExportedFile) {
    this.#pieces = readText(file);
    this.#place = file.name;
  }

  get place(): string {
    return `${this.#place}:${this.line}`;
  }

  /** Reads on. Answers whether there was more. */
  async more(): Promise<boolean> {
    if (this.text.length - this.at > 2 * maxLength)
      throw lineError(this.place, 'is longer than a line of an export');
    const { value, done } = await this.#pieces.next();
    if (done) {
      this.isDone = true;
      return false;
    }
    this.text = this.text.slice(this.at) + value;
    this.at = 0;
    return true;
  }

  moveTo(at: number): void {
    this.line += this.text.slice(this.at, at).split('\n').length - 1;
    this.at = at;
  }

  /** The result of the reader once there is enough text; undefined: the text ended before. */
  async read<T>(
    reader: (text: string, at: number) => { value: T; end: number } | undefined,
  ): Promise<T | undefined> {
    for (;;) {
      const found = reader(this.text, this.at);
      if (found) {
        this.moveTo(found.end);
        return found.value;
      }
      if (!(await this.more())) return undefined;
    }
  }

  close(): Promise<unknown> {
    return this.#pieces.return(undefined);
  }
}

const escapes: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0', Z: '\x1a' },
};

/** Up to the end of a line, or the text's. */
function wholeLine(cursor: Cursor) {
  return (text: string, at: number) => {
    const end = text.indexOf('\n', at);
    if (end !== -1) return { value: text.slice(at, end).replace(/\r$/, ''), end: end + 1 };
    return cursor.isDone && at < text.length ? { value: text.slice(at), end: text.length } : undefined;
  };
}

async function readLine(cursor: Cursor): Promise<string | undefined> {
  const line = await cursor.read(wholeLine(cursor));
  return line ?? (await cursor.read(wholeLine(cursor)));
}

/** One cell of the text format, in which a backslash escapes separators. */
function unescapeText(cell: string): string {
  if (!cell.includes('\\') || cell === sqlNull) return cell;
  return cell.replaceAll(/\\(?:x([\da-f]{1,2})|([0-7]{2,3})|([\s\S]))/gi, (_all, hex, octal, other) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return escapes[other] ?? other;
  });
}

/** Lines of tab-separated cells as COPY, mysqldump --tab and mysql --batch write them; no cell is quoted. */
export async function* readTextLines(file: ExportedFile): AsyncGenerator<CsvLine> {
  const cursor = new Cursor(file);
  try {
    for (;;) {
      const line = await readEscapedLine(cursor);
      if (line === undefined || line === '\\.') return;
      if (line !== '') yield { number: cursor.line - 1, cells: cellsOf(line) };
    }
  } finally {
    await cursor.close();
  }
}

/** MySQL writes the end of a line inside of a text as a backslash before it. */
async function readEscapedLine(cursor: Cursor): Promise<string | undefined> {
  let line = await readLine(cursor);
  while (line !== undefined && /\\+$/.test(line) && endsEscaped(line)) {
    const next = await readLine(cursor);
    if (next === undefined) break;
    line = `${line}\n${next}`;
    if (line.length > maxLength) throw lineError(cursor.place, 'is longer than a line of an export');
  }
  return line;
}

function endsEscaped(line: string): boolean {
  let backslashes = 0;
  while (line[line.length - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  for (const part of line.split('\t')) {
    cell += part;
    // MySQL writes a tab inside of a text so, too.
    if (endsEscaped(part)) cell += '\t';
    else {
      cells.push(unescapeText(cell));
      cell = '';
    }
  }
  if (cell !== '') cells.push(unescapeText(cell));
  return cells;
}

/** `public.website_event`, `"website_event"`, `umami`.`website_event` */
const nameIn = (text: string) =>
  text
    .replaceAll(/[`"[\]]/g, '')
    .split('.')
    .at(-1)
    ?.trim() ?? '';

const columnsIn = (text: string) => text.split(',').map((name) => nameIn(name));

const copyLine = /^COPY ([^\s(]+) ?\(([^)]*)\) FROM stdin/i;
const createLine = /^CREATE TABLE (?:IF NOT EXISTS )?([^\s(]+)/i;
const insertLine =
  /^INSERT (?:IGNORE )?INTO ([^\s(]+)\s*(?:\(([^)]*)\)\s*)?(?:OVERRIDING \w+ VALUE\s*)?VALUES/i;
/** In a statement that creates a table, and no column. */
const noColumn = /^(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|FULLTEXT|SPATIAL|FOREIGN|CHECK|PERIOD|EXCLUDE)\b/i;

/** Columns of the tables that the text creates, each in a line of its own, as dumps write them. */
function columnOf(line: string): string | undefined {
  const text = line.trim();
  if (noColumn.test(text)) return undefined;
  return /^[`"]?([\w$]+)[`"]? +\S/.exec(text)?.[1];
}

/** Between them pg_dump and mysqldump write all of a dump, unless they are to write no comments. */
const firstOfDump = /^-- (?:PostgreSQL database dump\s*$|(?:MySQL|MariaDB) dump )/;
const lastOfDump = /^-- (?:PostgreSQL database dump complete|Dump completed)/;

/** The rows of all tables of a dump, in its order. @throws ImportError */
async function* readDump(file: ExportedFile): AsyncGenerator<DumpedRow> {
  const cursor = new Cursor(file);
  const created = new Map<string, string[]>();
  let isMysql = false;
  let creating: string[] | undefined;
  let isOpen = false;
  try {
    for (;;) {
      // An INSERT may be longer than the buffer, so that only its head is looked at.
      const head = await cursor.read((text, at) => {
        const end = text.indexOf('\n', at);
        if (end !== -1 || text.length - at > 8192 || cursor.isDone)
          return at < text.length
            ? { value: text.slice(at, Math.min(end === -1 ? text.length : end, at + 8192)), end: at }
            : undefined;
        return undefined;
      });
      if (head === undefined && cursor.isDone && cursor.at >= cursor.text.length) {
        if (isOpen)
          throw lineError(cursor.place, 'ends before the last line of a dump: copy it, or dump again');
        return;
      }
      const start = head ?? cursor.text.slice(cursor.at);
      if (/^(?:--|\/\*).*(?:MySQL|MariaDB|phpMyAdmin)/i.test(start)) isMysql = true;
      const insert = /^INSERT /i.test(start) ? await readInsertHead(cursor) : undefined;
      if (insert) {
        const table = nameIn(insert[1] ?? '');
        const columns = insert[2] === undefined ? created.get(table) : columnsIn(insert[2]);
        if (!columns)
          throw lineError(
            cursor.place,
            `does not name the columns of ${table}: dump the table with its definition, or with --complete-insert`,
          );
        yield* readTuples(cursor, { table, columns, hasEscapes: isMysql || (insert[1] ?? '').includes('`') });
        continue;
      }
      const line = (await readLine(cursor)) ?? '';
      if (firstOfDump.test(line)) isOpen = true;
      else if (lastOfDump.test(line)) isOpen = false;
      const copy = copyLine.exec(line);
      if (copy) {
        yield* readCopy(cursor, nameIn(copy[1] ?? ''), columnsIn(copy[2] ?? ''));
        continue;
      }
      const create = createLine.exec(line);
      if (create) {
        creating = [];
        created.set(nameIn(create[1] ?? ''), creating);
      } else if (/^\)/.test(line)) creating = undefined;
      else if (creating) {
        const column = columnOf(line);
        if (column !== undefined) creating.push(column);
      }
    }
  } finally {
    await cursor.close();
  }
}

async function readInsertHead(cursor: Cursor): Promise<RegExpExecArray | undefined> {
  return await cursor.read((text, at) => {
    const found = insertLine.exec(text.slice(at, at + 16_384));
    return found ? { value: found, end: at + found[0].length } : undefined;
  });
}

async function* readCopy(
  cursor: Cursor,
  table: string,
  columns: readonly string[],
): AsyncGenerator<DumpedRow> {
  for (;;) {
    const line = await readLine(cursor);
    if (line === undefined) throw lineError(cursor.place, 'ends in the middle of a table');
    if (line === '\\.') return;
    yield { table, columns, line: { number: cursor.line - 1, cells: cellsOf(line) } };
  }
}

interface Inserted {
  table: string;
  columns: readonly string[];
  /** A backslash in a text escapes the next character. */
  hasEscapes: boolean;
}

/** `(1,'a'),(2,'b');` */
async function* readTuples(
  cursor: Cursor,
  { table, columns, hasEscapes }: Inserted,
): AsyncGenerator<DumpedRow> {
  for (;;) {
    const cells = await cursor.read((text, at) => tupleAt(text, at, hasEscapes));
    if (!cells) throw lineError(cursor.place, 'ends in the middle of a statement');
    yield { table, columns, line: { number: cursor.line, cells } };
    const next = await cursor.read((text, at) => {
      const end = skipSpace(text, at);
      return end < text.length ? { value: text[end], end: end + 1 } : undefined;
    });
    if (next === undefined) throw lineError(cursor.place, 'ends in the middle of a statement');
    if (next === ';') return;
    if (next !== ',') {
      // ON CONFLICT, ON DUPLICATE KEY, RETURNING
      await readLine(cursor);
      return;
    }
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++;
  return at;
}

/** Undefined: the text ends before the tuple does. */
function tupleAt(
  text: string,
  from: number,
  hasEscapes: boolean,
): { value: string[]; end: number } | undefined {
  let at = skipSpace(text, from);
  if (text[at] !== '(') return undefined;
  at++;
  const cells: string[] = [];
  for (;;) {
    const cell = valueAt(text, skipSpace(text, at), hasEscapes);
    if (!cell) return undefined;
    cells.push(cell.value);
    at = skipSpace(text, cell.end);
    if (at >= text.length) return undefined;
    if (text[at] === ')') return { value: cells, end: at + 1 };
    if (text[at] !== ',') return undefined;
    at++;
  }
}

function valueAt(
  text: string,
  from: number,
  hasEscapes: boolean,
): { value: string; end: number } | undefined {
  let at = from;
  while (at < text.length && !",)'".includes(text[at] as string)) at++;
  if (at >= text.length) return undefined;
  const before = text.slice(from, at).trim();
  if (text[at] !== "'") return { value: /^null$/i.test(before) ? sqlNull : before, end: at };
  const quoted = quotedAt(text, at, hasEscapes || /^e$/i.test(before));
  if (!quoted) return undefined;
  // A cast: '…'::text
  let end = quoted.end;
  while (end < text.length && !',)'.includes(text[end] as string)) end++;
  return end < text.length ? { value: quoted.value, end } : undefined;
}

function quotedAt(
  text: string,
  from: number,
  hasEscapes: boolean,
): { value: string; end: number } | undefined {
  let value = '';
  let at = from + 1;
  for (let i = at; i < text.length; i++) {
    const char = text[i];
    if (char === '\\' && hasEscapes) {
      const next = text[i + 1];
      if (next === undefined) return undefined;
      value += text.slice(at, i) + (escapes[next] ?? next);
      at = i + 2;
      i++;
    } else if (char === "'") {
      if (text[i + 1] === undefined) return undefined;
      value += text.slice(at, i);
      if (text[i + 1] !== "'") return { value, end: i + 1 };
      value += "'";
      at = i + 2;
      i++;
    }
  }
  return undefined;
}

/** Whether a text is a dump, by what it begins with. */
export function isDump(start: string): boolean {
  const line = start
    .split(/\r?\n/)
    .map((one) => one.trim())
    .find((one) => one !== '' && !one.startsWith('--') && !one.startsWith('#'));
  return (
    line !== undefined &&
    /^(?:\/\*|\\restrict|(?:SET|COPY|INSERT|CREATE|DROP|BEGIN|START|LOCK|USE|ALTER|SELECT|TRUNCATE|DELETE|PRAGMA)\b)/i.test(
      line,
    )
  );
}

/** Tables of which a dump has rows. @throws ImportError */
export async function tablesOf(file: ExportedFile): Promise<DumpedTable[]> {
  const tables = new Map<string, DumpedTable>();
  for await (const { table, columns } of readDump(file)) {
    const known = tables.get(table);
    if (!known) tables.set(table, { name: table, columns: [...columns] });
    else if (known.columns.join() !== columns.join())
      throw unreadable(file.name, `the rows of ${table} have different columns`);
  }
  return [...tables.values()];
}

export async function* readDumpedLines(file: ExportedFile, table: string): AsyncGenerator<CsvLine> {
  for await (const row of readDump(file)) if (row.table === table) yield row.line;
}

/** Columns by table of the statements that create them. @throws ImportError */
export async function createdColumns(file: ExportedFile): Promise<string[]> {
  const columns: string[] = [];
  let isInside = false;
  const cursor = new Cursor(file);
  try {
    for (let line = await readLine(cursor); line !== undefined; line = await readLine(cursor)) {
      if (createLine.test(line)) isInside = true;
      else if (/^\)/.test(line)) isInside = false;
      else if (isInside) {
        const column = columnOf(line);
        if (column !== undefined) columns.push(column);
      }
    }
  } finally {
    await cursor.close();
  }
  return columns;
}
