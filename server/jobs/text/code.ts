/** A part of a line: text, or what stands in a code span. */
export interface Part {
  kind: 'text' | 'code';
  text: string;
  /** Of code: how many backticks stand on each side. */
  ticks: number;
}

/**
 * Code spans that begin and end on one line, as CommonMark pairs backticks: each run with the next one of its length.
 * Those that pair with nothing become apostrophes, so that what is left pairs in one way only.
 */
export function splitLine(line: string): Part[] {
  const pieces = line.split(/(`+)/);
  const partners = findPartners(pieces);
  const parts: Part[] = [];
  let text = '';
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? '';
    const end = partners.get(at);
    if (at % 2 === 0) {
      text += piece;
    } else if (end === undefined) {
      text += "'";
    } else {
      // A backslash would make the first backtick a plain one.
      parts.push({ kind: 'text', text: text.replace(/\\+$/, ''), ticks: 0 });
      parts.push({ kind: 'code', text: pieces.slice(at + 1, end).join(''), ticks: piece.length });
      text = '';
      at = end;
    }
  }
  return [...parts, { kind: 'text', text, ticks: 0 }];
}

/** Writes a line so that every reader sees the same code in it. */
export class LineWriter {
  text = '';
  #isInAddress = false;
  /** Known apart, as a look at the end of a text that grows copies all of it. */
  #last = '';

  get endsInCode(): boolean {
    return this.#last === '`';
  }

  addPlain(text: string): void {
    const word = text.slice(lastSpace(text) + 1);
    const goesOn = this.#isInAddress && word.length === text.length;
    this.#isInAddress = goesOn || /:\/\/|www\./i.test(word);
    this.text += text;
    this.#last = text.at(-1) ?? this.#last;
  }

  /** An address would take in a backtick that follows, and two runs of backticks side by side would be one. */
  addCode(text: string, ticks = 1): void {
    const marks = '`'.repeat(ticks);
    const gap = this.#isInAddress || this.endsInCode ? ' ' : '';
    this.text += gap + marks + text + marks;
    this.#last = '`';
    this.#isInAddress = false;
  }
}

/** The runs stand at odd places. */
function findPartners(pieces: readonly string[]): Map<number, number> {
  const partners = new Map<number, number>();
  const nextOfLength = new Map<number, number>();
  for (let at = pieces.length - 2; at > 0; at -= 2) {
    const { length = 0 } = pieces[at] ?? '';
    const next = nextOfLength.get(length);
    if (next !== undefined) partners.set(at, next);
    nextOfLength.set(length, at);
  }
  return partners;
}

/** A block of code, or the text between two of them. */
export interface Block {
  kind: 'text' | 'fence';
  lines: string[];
  /** Of a fence: what stands before it on each line, and its language. */
  indent: string;
  language: string;
}

const quotation = /^ {0,3}>[ \t]?/;
const indented = /^(?: {4}| {0,3}\t)/;
/** Below these, what is indented is their text. */
const item = /^[ \t>]*(?:[-*+]|\d{1,9}[.)]|\[\^[^\]]*\]:)(?:[ \t]|$)/;
const opening = /^([ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?)(`{3,}|~{3,})([^`]*)$/;

/**
 * Blocks of code: in fences, also where they are indented or stand in a list or a quotation, and those that are indented by
 * four. A fence that nobody closed ends with the text, or with its quotation.
 */
export function splitBlocks(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let plain: string[] = [];
  let isInList = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const isAfterGap = at > 0 && (lines[at - 1] ?? '').trim() === '';
    if (item.test(line)) isInList = true;
    else if (isAfterGap && /^\S/.test(line)) isInList = false;
    const code =
      readFence(lines, at) ??
      readQuotation(lines, at) ??
      (isAfterGap && !isInList ? readIndented(lines, at) : undefined);
    if (code === undefined) {
      plain.push(line);
      continue;
    }
    blocks.push(textBlock([...plain, ...code.before]), code.block);
    plain = [];
    at = code.end;
  }
  return [...blocks, textBlock(plain)];
}

/** A block of code, and its last line. */
interface Code {
  block: Block;
  end: number;
  /** What stands before it on its first line. */
  before: string[];
}

function readFence(lines: readonly string[], start: number): Code | undefined {
  const [, before = '', mark, info = ''] = opening.exec(lines[start] ?? '') ?? [];
  if (mark === undefined) return undefined;
  const indent = ' '.repeat(widthOf(before));
  const end = findEnd(lines, start, mark);
  const inside = lines.slice(start + 1, end).map((line) => dedent(line, indent.length));
  return {
    block: { kind: 'fence', lines: inside, indent, language: info.trim() },
    end,
    before: before.trim() === '' ? [] : [before.trimEnd()],
  };
}

/** A fence in a quotation; one in a list within it, or in a quotation within it, is none. */
function readQuotation(lines: readonly string[], start: number): Code | undefined {
  const first = lines[start] ?? '';
  const [, mark, info = ''] = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(first.replace(quotation, '')) ?? [];
  if (mark === undefined || !quotation.test(first)) return undefined;
  const closing = closingOf(mark);
  const inside: string[] = [];
  let end = start;
  while (quotation.test(lines[end + 1] ?? '')) {
    end += 1;
    const line = (lines[end] ?? '').replace(quotation, '');
    if (closing.test(line)) break;
    inside.push(line);
  }
  return { block: { kind: 'fence', lines: inside, indent: '> ', language: info.trim() }, end, before: [] };
}

function readIndented(lines: readonly string[], start: number): Code | undefined {
  if (!indented.test(lines[start] ?? '') || (lines[start] ?? '').trim() === '') return undefined;
  let end = start;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    if (!indented.test(line)) break;
    end = at;
  }
  const inside = lines
    .slice(start, end + 1)
    .map((line) => (line.trim() === '' ? '' : dedent(line, tab.length)));
  return { block: { kind: 'fence', lines: inside, indent: '', language: '' }, end, before: [] };
}

function textBlock(lines: string[]): Block {
  return { kind: 'text', lines, indent: '', language: '' };
}

function findEnd(lines: readonly string[], start: number, mark: string): number {
  const closing = closingOf(mark);
  for (let at = start + 1; at < lines.length; at += 1) if (closing.test(lines[at] ?? '')) return at;
  return lines.length;
}

function closingOf(mark: string): RegExp {
  return new RegExp(`^[ \\t]*${mark[0]}{${mark.length},}[ \\t]*$`);
}

const tab = '    ';

function widthOf(before: string): number {
  return before.replaceAll('\t', tab).length;
}

function dedent(line: string, width: number): string {
  const [space = ''] = /^[ \t]*/.exec(line) ?? [];
  return ' '.repeat(Math.max(0, widthOf(space) - width)) + line.slice(space.length);
}

function lastSpace(text: string): number {
  return Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t'));
}
