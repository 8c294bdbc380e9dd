import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { blank, type Stretch } from './blank.ts';
import { visible } from './sanitising.ts';

/** What a comment asks for, in the words of its author. */
export interface Request {
  text: string;
  /** What the comment quotes or shows, in its order: others may have written it. */
  quoted: string[];
}

/**
 * What a comment asks for: a line that begins with the mention, and all below it. Quotations, blocks of code and what nobody
 * sees are no part of it, and a mention in them is none. Undefined: it asks for nothing.
 */
export function readRequest(comment: string, mention: string): Request | undefined {
  // Deeper quotations are quotations all the same, and a parser takes quadratic time for them.
  const text = visible(comment).replace(/^((?:[ \t]{0,3}>){6})[> \t]+/gm, '$1');
  const { quoted, hidden, spans } = findForeign(text);
  const own = blank(text, mergeStretches([...quoted, ...hidden]));
  const withoutSpans = blank(own, mergeStretches(spans));
  // An app is shown as "name[bot]", and people copy that.
  const mark = new RegExp(`^ {0,3}@${RegExp.escape(mention)}(?:\\\\?\\[bot\\\\?\\])?(?![\\w-])[:,]?`, 'im');
  const found = mark.exec(withoutSpans);
  if (!found) return undefined;
  const request = own
    .slice(found.index + found[0].length)
    .replace(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*$|[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  if (request === '') return undefined;
  return {
    text: request,
    quoted: mergeStretches(quoted, (from, to) => text.slice(from, to).trim() === '')
      .map(({ start, end }) => text.slice(start, end).trim())
      .filter((part) => part !== ''),
  };
}

interface Foreign {
  quoted: Stretch[];
  /** Comments of HTML. */
  hidden: Stretch[];
  /** Code in a line, which is part of what is asked for. */
  spans: Stretch[];
}

/** Emphasis and links change nothing here, and take quadratic time. */
const disable = { null: ['attention', 'labelStartLink', 'labelStartImage', 'labelEnd', 'definition'] };

function findForeign(text: string): Foreign {
  const quoted: Stretch[] = [];
  const code: Stretch[] = [];
  const spans: Stretch[] = [];
  const html: (Stretch & { text: string })[] = [];
  const open: Nodes[] = [fromMarkdown(text, { extensions: [{ disable }] })];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
    if (node.type === 'blockquote') quoted.push({ start, end });
    else if (node.type === 'code') code.push({ start, end: endOfCode(text, start, end) });
    else if (node.type === 'inlineCode') spans.push({ start, end });
    else if (node.type === 'html') html.push({ start, end, text: text.slice(start, end) });
    else if ('children' in node) open.push(...node.children.toReversed());
  }
  const hidden = html.flatMap(({ start, text: tags }) =>
    Array.from(tags.matchAll(/<!--[\s\S]*?(?:-->|$)/g), ({ 0: whole, index }) => ({
      start: start + index,
      end: start + index + whole.length,
    })),
  );
  const shown = blank(text, mergeStretches([...code, ...spans]));
  for (const { 0: whole, index } of shown.matchAll(fenced))
    quoted.push({ start: index, end: index + whole.length });
  quoted.push(...code, ...findElements(html, text.length));
  quoted.push(...findReplies(blank(text, mergeStretches([...quoted, ...spans])), quoted));
  return { quoted, hidden, spans };
}

/** GitLab's quotations over several lines. They are closed, while those of mail (`>>>` below `>>> text`) are not. */
const fenced = /(?<=^|\n[ \t]*\n|\n[ \t]*[^>\s][^\n]*\n)>>>[ \t]*\n(?:[\s\S]*?\n)?>>>[ \t]*(?![^\n])/g;

/** A fence in a list ends with the list, which few people know: to them it goes on to its mark. */
function endOfCode(text: string, start: number, end: number): number {
  const code = text.slice(start, end);
  const isOpen = /^(?:`{3}|~{3})/.test(code) && !/\n[ \t>]*(?:`{3,}|~{3,})[ \t]*$/.test(code);
  if (!isOpen) return end;
  const close = /^[ \t>]*(?:`{3,}|~{3,})[ \t]*$/m.exec(text.slice(end));
  return close ? end + close.index + close[0].length : text.length;
}

/** Elements whose content is quoted, shown as it is, or not seen. What mail quotes in a `div` goes to the end. */
const element =
  /<!--[\s\S]*?(?:-->|$)|<(\/?)(blockquote|pre|code|samp|kbd|tt|xmp|q|details|template|textarea|script|style|div(?=[^>]*\b(?:gmail_quote|yahoo_quoted|moz-cite)))\b[^>]*>/gi;

/** One that is never closed goes to the end of the text, as it does on the page. */
function findElements(html: readonly (Stretch & { text: string })[], length: number): Stretch[] {
  const found: Stretch[] = [];
  let opened: { name: string; depth: number; start: number } | undefined;
  for (const { start, text } of html) {
    for (const { 0: whole, 1: slash, 2: tag, index } of text.matchAll(element)) {
      const name = tag?.toLowerCase();
      if (name === undefined || (opened && opened.name !== name)) continue;
      if (slash === '')
        opened = { name, depth: (opened?.depth ?? 0) + 1, start: opened?.start ?? start + index };
      else if (opened && --opened.depth === 0) {
        found.push({ start: opened.start, end: start + index + whole.length });
        opened = undefined;
      }
    }
  }
  return opened ? [...found, { start: opened.start, end: length }] : found;
}

/** What programs for mail write above a letter that is answered: "On Monday, Ada wrote:". */
const attribution =
  /^ {0,3}(?:On|Am|Le|El|Il|Em|Op|[Dd]en|W dniu|\d{4}\D)[^\n]{0,300}(?:\n[^\n]{0,300}){0,2}?(?:wrote|writes|schrieb[^\n:]{0,200}|a écrit|escribió|ha scritto|escreveu|schreef[^\n:]{0,200}|skrev[^\n:]{0,200}|napisał(?:\(a\))?|pisze|写道)[ \u00a0]*[:：][ \t]*$/gm;
/** In any language: a moment, and an address or a word for writing. A line with the mention is the author's own. */
const addressed =
  /^(?! {0,3}@) {0,3}(?=[^\n]{0,300}(?:\d{4}|\d{1,2}[:.]\d{2}))[^\n]{1,300}(?:<[^\s<>@]{1,100}@[^\s<>@]{1,200}>[^\n]{0,100}|yazdı|написала?|пишет|kirjoitti|napsala?|写道|寫道|작성)[ \u00a0]*[:：][ \t]*$/gm;
/** In any language: who wrote, with an address, and one more such line. */
const addressedHead =
  /^ {0,3}[*_]{0,2}[\p{L}\p{M}][\p{L}\p{M} ]{0,30}[:：][*_]{0,2}[^\n]{0,200}<(?:mailto:)?[^\s<>@]{1,100}@[^\s<>@]{1,200}>[^\n]{0,50}\n {0,3}[*_]{0,2}[\p{L}\p{M}][\p{L}\p{M} ]{0,30}[:：][*_]{0,2}[^\n]{0,200}\d[^\n]*$/gmu;
const letterHead =
  /^ {0,3}(?:[-_]{2,} ?(?:Original Message|Original-Nachricht|Ursprüngliche Nachricht|Forwarded message|Message d.origine|Mensaje original) ?[-_]{2,}|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message (?:transféré|réexpédié)|Inicio del mensaje reenviado|Inizio messaggio inoltrato) ?:(?=[ \t]*$)|[*_]{0,2}(?:From|Von|De|Da|Van):[*_]{0,2} [^\n]{1,300}\n(?:[^\n]{0,300}\n){0,2}?[*_]{0,2}(?:Sent|Date|To|Gesendet|Datum|An|Envoyé|Enviado|Inviato|Verzonden):)[^\n]*$/gim;

/** A letter below such a line is a quotation, with or without marks; below one with marks the answer may go on. */
function findReplies(text: string, quoted: readonly Stretch[]): Stretch[] {
  const found: Stretch[] = [];
  for (const [pattern, mayEnd] of [
    [attribution, true],
    [addressed, true],
    [addressedHead, false],
    [letterHead, false],
  ] as const) {
    for (const { 0: whole, index } of text.matchAll(pattern)) {
      const end = index + whole.length;
      const next = end + (/\S/.exec(text.slice(end))?.index ?? text.length);
      const isMarked = quoted.some(({ start }) => start >= end && start < next);
      found.push({ start: index, end: mayEnd && isMarked ? end : text.length });
    }
  }
  return found;
}

/** In their order, without overlap. @param touch whether two with a gap between them are one */
function mergeStretches(
  stretches: readonly Stretch[],
  touch = (from: number, to: number) => to <= from,
): Stretch[] {
  const merged: Stretch[] = [];
  for (const { start, end } of stretches.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && (start <= last.end || touch(last.end, start))) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
