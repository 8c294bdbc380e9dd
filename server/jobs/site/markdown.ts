import { blank, type Stretch } from '../text/blank.ts';

/** A page as its parts, each where it stands in the text. Everything here takes time in proportion to the text. */
export interface MarkdownParts {
  /** The lines between the marks at the top; `end` is where the lower mark ends. */
  frontMatter: { kind: 'yaml' | 'toml'; text: string; end: number; isClosed: boolean } | undefined;
  /**
   * The text with spaces in place of front matter, code and comments, so that nothing in them is taken for a link; what is
   * left stands where it stood.
   */
  prose: string;
  /** Where comments stand. */
  comments: Stretch[];
  /** The line of a code fence that nothing closes. */
  openFence: number | undefined;
}

/** @param path decides which rules hold: in MDX, a fence ends at any indent */
export function readMarkdown(path: string, text: string): MarkdownParts {
  const frontMatter = readFrontMatter(text);
  const start = frontMatter?.end ?? 0;
  const lines = splitLines(text);
  const maxIndent = /\.mdx$/i.test(path) ? Number.POSITIVE_INFINITY : 3;
  const fences = findFences(
    lines.filter(({ at }) => at >= start),
    maxIndent,
  );
  const parts = [{ start: 0, end: start }, ...fences.blocks];
  const withoutFences = blank(text, parts);
  const comments = findComments(withoutFences);
  const withoutComments = blank(withoutFences, comments);
  return {
    frontMatter,
    comments,
    prose: blank(withoutComments, findCodeSpans(withoutComments)),
    openFence: fences.open,
  };
}

interface Line {
  text: string;
  at: number;
  number: number;
}

function splitLines(text: string): Line[] {
  let at = 0;
  return text.split('\n').map((line, index) => {
    const found = { text: line.replace(/\r$/, ''), at, number: index + 1 };
    at += line.length + 1;
    return found;
  });
}

/** Which line of a text a place in it is on, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function readFrontMatter(text: string): MarkdownParts['frontMatter'] {
  const [whole, mark = ''] = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kind = mark === '---' ? 'yaml' : 'toml';
  const close = mark === '---' ? /^(?:---|\.\.\.)[ \t]*\r?$/m : /^\+\+\+[ \t]*\r?$/m;
  const rest = text.slice(whole.length);
  const found = close.exec(rest);
  // Without an end it may as well be a line across the page.
  if (!found) return looksLikeKeys(rest) ? { kind, text: '', end: 0, isClosed: false } : undefined;
  const end = whole.length + found.index + found[0].length;
  return { kind, text: rest.slice(0, found.index), end, isClosed: true };
}

function looksLikeKeys(text: string): boolean {
  return /^[A-Za-z_][\w-]{0,60}[ \t]*[:=]/.test(text);
}

const fence = /^([\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)$/;

/** @param maxIndent how much further to the right than its beginning a fence may end */
function findFences(
  lines: readonly Line[],
  maxIndent: number,
): { blocks: Stretch[]; open: number | undefined } {
  const blocks: Stretch[] = [];
  let begun: { line: Line; mark: string; column: number } | undefined;
  for (const line of lines) {
    if (begun) {
      if (!closes(line.text, begun.mark, begun.column + maxIndent)) continue;
      blocks.push({ start: begun.line.at, end: line.at + line.text.length });
      begun = undefined;
    } else {
      const [, before = '', mark = '', info = ''] = fence.exec(line.text) ?? [];
      const isFence = mark !== '' && !(mark.startsWith('`') && info.includes('`'));
      if (isFence) begun = { line, mark, column: before.length };
    }
  }
  if (begun) blocks.push({ start: begun.line.at, end: Number.POSITIVE_INFINITY });
  return { blocks, open: begun?.line.number };
}

function closes(line: string, mark: string, maxColumn: number): boolean {
  const text = line.replace(/^[\s>]+/, '').trimEnd();
  if (line.trimEnd().length - text.length > maxColumn) return false;
  return text.length >= mark.length && text === mark.charAt(0).repeat(text.length);
}

/** Those of HTML and of MDX. */
function findComments(text: string): Stretch[] {
  const found: Stretch[] = [];
  const open = /<!--|\{\/\*/g;
  for (let match = open.exec(text); match; match = open.exec(text)) {
    const mark = match[0] === '<!--' ? '-->' : '*/';
    const close = text.indexOf(mark, match.index + match[0].length);
    if (close === -1) break;
    found.push({ start: match.index, end: close + mark.length });
    open.lastIndex = close + mark.length;
  }
  return found;
}

/** Between runs of as many backticks, in one paragraph. */
function findCodeSpans(text: string): Stretch[] {
  const found: Stretch[] = [];
  for (const paragraph of text.matchAll(/[^\n]+(?:\n(?![ \t]*\r?\n)[^\n]+)*/g)) {
    if (paragraph[0].includes('`')) found.push(...findSpansIn(paragraph[0], paragraph.index));
  }
  return found;
}

function findSpansIn(paragraph: string, offset: number): Stretch[] {
  const runs = Array.from(paragraph.matchAll(/\\?`+/g), ({ 0: run, index }) => {
    const isEscaped = run.startsWith('\\');
    const skipped = isEscaped ? 2 : 0;
    return { start: index + skipped, length: run.length - skipped };
  });
  /** Where the next run of a length is, for each run: found from the end. */
  const next = new Map<number, number>();
  const partner = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const { length } = runs[index] as (typeof runs)[number];
    partner[index] = next.get(length) ?? -1;
    next.set(length, index);
  }
  const spans: Stretch[] = [];
  for (let index = 0; index < runs.length; index += 1) {
    const close = partner[index] ?? -1;
    const [from, to] = [runs[index], runs[close]];
    if (!from || !to || from.length === 0) continue;
    spans.push({ start: offset + from.start, end: offset + to.start + to.length });
    index = close;
  }
  return spans;
}
