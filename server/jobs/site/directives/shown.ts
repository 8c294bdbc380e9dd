import { endOfFence, findRun, isFence, skipText } from './mdx-code.ts';

/** What begins HTML that a fence and backticks mean nothing in. */
const htmlLine = /^[\s>*+\-\d.)]*<(?![a-z][a-z\d+.-]*:|[^\s<>@]+@)/i;
/** More than any page has that people read. */
const maxLength = 400_000;
/** HTML that goes on over empty lines. */
const longHtml = /^[\s>*+\-\d.)]*<(pre|script|style|textarea|!--|\?|!)/i;

/**
 * A page of Markdown with spaces in place of code that it surely shows. Generators differ in where code ends: what cannot be
 * told from text counts as text.
 *
 * @param runs whether a fence of this language is run instead of shown
 */
export function withoutShownCode(text: string, runs: (language: string) => boolean = () => false): string {
  if (text.length > maxLength) return text;
  const lines = text.split('\n');
  const whole = findWholeParagraphs(lines);
  const out: string[] = [];
  let until: RegExp | undefined;
  let isHtml = false;
  const open = new Map<string, number>();
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').replace(/\r$/, '');
    if (line.trim() === '') isHtml = false;
    if (until !== undefined) {
      if (until.test(line)) until = undefined;
      out.push(line);
      continue;
    }
    const end = !isHtml && isFence(line) ? endOfFence(lines, at, open) : undefined;
    const [, language = ''] = /^[ \t]*(?:`{3,}|~{3,})[ \t]*([^\r\n]*)$/.exec(line) ?? [];
    if (end !== undefined) {
      const inside = lines.slice(at, end);
      if (!runs(language)) out.push(...inside.map((shown) => ' '.repeat(shown.length)));
      // What a directive of MyST holds is Markdown again.
      else if (/^[:{]/.test(language))
        out.push(line, withoutShownCode(inside.slice(1, -1).join('\n'), runs), ...inside.slice(-1));
      else out.push(...inside);
      at = end - 1;
      continue;
    }
    if (htmlLine.test(line)) isHtml = true;
    const [, tag] = longHtml.exec(line) ?? [];
    if (tag !== undefined) {
      const close = endOf(tag.toLowerCase());
      if (!close.test(line)) until = close;
    }
    out.push(isHtml || !whole[at] ? line : withoutSpans(line));
  }
  return out.join('\n');
}

function endOf(tag: string): RegExp {
  if (tag === '!--') return /-->/;
  if (tag === '?') return /\?>/;
  return tag === '!' ? />/ : new RegExp(`</${tag}>`, 'i');
}

/** For each line whether all lines of its paragraph have spans that end on them: otherwise one may go over lines. */
function findWholeParagraphs(lines: readonly string[]): boolean[] {
  const whole: boolean[] = [];
  for (let start = 0; start < lines.length; ) {
    let end = start + 1;
    while (end < lines.length && lines[end]?.trim() !== '') end += 1;
    const isWhole = lines
      .slice(start, end)
      .every((line) => !line.includes('`') || skipText(line, 0, { stops: '', hasSpans: true }) !== undefined);
    for (; start < end; start += 1) whole.push(isWhole);
  }
  return whole;
}

function withoutSpans(line: string): string {
  let out = '';
  for (let from = 0; from < line.length; ) {
    const tick = nextTick(line, from);
    const [run = ''] = /^`+/.exec(line.slice(tick)) ?? [];
    if (run === '') return out + line.slice(from);
    const close = findRun(line.slice(tick + run.length), run.length);
    const end = close === undefined ? line.length : tick + run.length + close + run.length;
    out += line.slice(from, tick) + ' '.repeat(end - tick);
    from = end;
  }
  return out;
}

function nextTick(line: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '`') return at;
  }
  return line.length;
}
