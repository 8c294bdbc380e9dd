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

  get endsInCode(): boolean {
    return this.text.endsWith('`');
  }

  addPlain(text: string): void {
    const word = text.slice(lastSpace(text) + 1);
    const goesOn = this.#isInAddress && word.length === text.length;
    this.#isInAddress = goesOn || /:\/\/|www\./i.test(word);
    this.text += text;
  }

  /** An address would take in a backtick that follows, and two runs of backticks side by side would be one. */
  addCode(text: string, ticks = 1): void {
    const marks = '`'.repeat(ticks);
    const gap = this.#isInAddress || this.endsInCode ? ' ' : '';
    this.text += gap + marks + text + marks;
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

const opening = /^([ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?)(`{3,}|~{3,})([^`]*)$/;

/** Blocks of code in fences, also where they are indented or stand in a list. One that nobody closed ends with the text. */
export function splitBlocks(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let plain: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, before = '', mark, info = ''] = opening.exec(lines[at] ?? '') ?? [];
    if (mark === undefined) {
      plain.push(lines[at] ?? '');
      continue;
    }
    if (before.trim() !== '') plain.push(before.trimEnd());
    const indent = ' '.repeat(widthOf(before));
    const end = findEnd(lines, at, mark);
    const inside = lines.slice(at + 1, end).map((line) => dedent(line, indent.length));
    blocks.push(textBlock(plain), { kind: 'fence', lines: inside, indent, language: info.trim() });
    plain = [];
    at = end;
  }
  return [...blocks, textBlock(plain)];
}

function textBlock(lines: string[]): Block {
  return { kind: 'text', lines, indent: '', language: '' };
}

function findEnd(lines: readonly string[], start: number, mark: string): number {
  const closing = new RegExp(`^[ \\t]*${mark[0]}{${mark.length},}[ \\t]*$`);
  for (let at = start + 1; at < lines.length; at += 1) if (closing.test(lines[at] ?? '')) return at;
  return lines.length;
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
