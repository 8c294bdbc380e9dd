import { type Block, LineWriter, type Part, splitBlocks, splitLine } from './code.ts';
import { cut } from './cut.ts';
import {
  closing,
  disownTrailers,
  joiner,
  letBuild,
  type Sanitising,
  sanitiseMessage,
  visible,
} from './sanitising.ts';

const maxLineLength = 500;

/** What could be taken for a fence in a quotation. */
const fenceLike = /^[ \t>*+\-.)\d]*(?:`{3}|~{3}).*$/gm;

/**
 * Makes Markdown that a model or a visitor wrote fit for a pull request: nothing in it is fetched, hidden or done by a
 * forge, and it reads as it was written. What is active outside of code becomes code (`<Note>`, `@scope/name`, the number
 * after "Fixes"), where it is shown and does nothing. So it matters that a forge sees the same code as we do: each line
 * and each fence is written anew in the one way that all readers of Markdown agree on.
 *
 * @param maxLength of the text before it is sanitised: what is cut later might end in the middle of code.
 */
export function sanitiseMarkdown(
  text: string,
  sanitising: Sanitising,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  const { redact } = sanitising;
  const plain = cut(redact(visible(text).replace(/<(https?:\/\/[^\s<>`]*)>/g, '$1')), maxLength);
  const clean = letBuild(
    splitBlocks(plain)
      .map((block) => writeBlock(block, sanitising))
      .join('\n'),
  ).trim();
  // Taken apart by marks or a link, a secret would be whole again on the page.
  const seen = clean.replace(/\]\([^)\n]*\)|[[\]]/g, '');
  const isSafe = redact(clean) === clean && redact(seen) === seen;
  return isSafe ? clean : sanitiseMessage(seen, sanitising);
}

/** One line without the marks of a heading, a list or emphasis around it. */
export function sanitiseLine(text: string, sanitising: Sanitising, maxLength = maxLineLength): string {
  return sanitiseMarkdown(firstLine(text), sanitising, maxLength).replace(/\s+/g, ' ');
}

/** The same as it was written. */
export function firstLine(text: string): string {
  const lines = visible(text).replace(fenceLike, '').split('\n');
  const bare = lines.map((line) =>
    withoutMarks(withoutEmphasis(line.replace(/^(?:[\s>]|#{1,6}(?!\d)|[-*+](?=\s))+/, ''))),
  );
  return bare.find((each) => each !== '') ?? '';
}

/** Emphasis around words, outside of code; a mark in a name or a pattern stays. */
const emphasis = ['***', '___', '**', '__', '*', '_'].map((mark) => {
  const one = RegExp.escape(mark);
  const outside = String.raw`[\w/\\${RegExp.escape(mark.charAt(0))}]`;
  return new RegExp(
    `(?<!${outside})${one}(?=\\S)((?:(?!${one})[^\n]){1,200})(?<=\\S)${one}(?!${outside})`,
    'g',
  );
});

function withoutEmphasis(line: string): string {
  return splitLine(line)
    .map(({ kind, text, ticks }) => {
      const marks = '`'.repeat(ticks);
      if (kind === 'code') return marks + text + marks;
      return emphasis.reduce((bare, mark) => bare.replace(mark, '$1'), text);
    })
    .join('');
}

/** Those that have no partner. An expression would go back over long runs of them. */
function withoutMarks(line: string): string {
  const start = line.startsWith('**') ? line.search(/[^*]|$/) : 0;
  let end = line.length;
  while (end > start && /[\s*_]/.test(line.charAt(end - 1))) end--;
  return line.slice(start, end);
}

/** As code, whatever it holds. */
export function inCode(text: string, { redact }: Sanitising): string {
  return `\`${redact(visible(text).replaceAll(/[`\n]/g, "'"))}\``;
}

function writeBlock(block: Block, sanitising: Sanitising): string {
  return block.kind === 'fence' ? writeFence(block) : writeText(block.lines, sanitising);
}

/** Others are drawn, calculated or applied. */
const languages = new Set(
  `astro bash c cmd console cpp cs csharp css csv cjs dart diff docker dockerfile elixir env go graphql hcl html http ini
   java javascript js json json5 jsonc jsx kotlin less lua make makefile markdown md mdx mjs nginx perl php plaintext
   powershell proto py python r rb rst ruby rs rust sass scala scss sh shell sql svelte swift terraform text toml ts tsx
   txt typescript vue xml yaml yml zsh`.split(/\s+/),
);

/** Longer than whatever is inside, between empty lines, and never less indented inside than outside. */
function writeFence({ lines, indent, language }: Block): string {
  const longest = Math.max(
    0,
    ...lines.map((line) => Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))),
  );
  const fence = '`'.repeat(Math.max(3, longest + 1));
  const [name = ''] = /^[\w+#-]*/.exec(language) ?? [];
  const inside = lines.map((line) =>
    line === '' ? indent.trimEnd() : indent + leaveToPeople(line, fence, indent),
  );
  const info = languages.has(name.toLowerCase()) ? name : '';
  return ['', `${indent}${fence}${info}`, ...inside, `${indent}${fence}`, ''].join('\n');
}

/** GitLab finds its commands in code, too, unless it is of the plainest form. */
function leaveToPeople(line: string, fence: string, indent: string): string {
  return fence === '```' && indent === ''
    ? line
    : line.replace(/^(\s*)\/(?=[a-z_]+(?:[^\w/.-]|$))/i, `$1/${joiner}`);
}

function writeText(lines: readonly string[], sanitising: Sanitising): string {
  const text = disownTrailers(lines.join('\n'))
    .replace(fenceLike, '')
    .replace(/~{3,}/g, '~~')
    // Lines that GitLab would obey, such as /merge.
    .replace(/^([ \t>*+-]*)\/(?=[a-z_]+(?:[^\w/.-]|$))/gim, `$1/${joiner}`);
  let before = '';
  return text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => {
      const written = writeParagraph(paragraph, before, sanitising);
      before = (before + paragraph).slice(-reach);
      return written;
    })
    .join('');
}

/** Below the head of a table; a bar in code ends its cell, and with it the code. */
const tableMark = /^[\s>*+.)\d|:-]*$/;

function writeParagraph(paragraph: string, before: string, sanitising: Sanitising): string {
  const lines = paragraph.split('\n');
  const isTable = lines.some((line) => line.includes('-') && tableMark.test(line));
  const parts = lines.map((line) => splitLine(line).map((part) => (isTable ? keepInCell(part) : part)));
  const code = parts.flat().flatMap(({ kind, text }) => (kind === 'code' ? [text] : []));
  const shutIn = shutterOf(code);
  let source = before;
  const written = parts.map((line) => {
    const writer = new LineWriter();
    for (const part of line) {
      if (part.kind === 'code') writer.addCode(part.text, part.ticks);
      else addText(writer, shutIn(part.text), source, sanitising);
      source = `${source}${part.text}`.slice(-reach);
    }
    source += '\n';
    return writer.text;
  });
  return written.join('\n');
}

/** Where escaping its bars is not enough, it is no code. */
function keepInCell(part: Part): Part {
  if (part.kind === 'text' || !part.text.includes('|')) return part;
  if (part.text.includes('\\|')) return { kind: 'text', text: part.text.replaceAll('`', "'"), ticks: 0 };
  return { ...part, text: part.text.replaceAll('|', '\\|') };
}

/** Formulas, which some readers take before they look for code, must not reach into it. */
function shutterOf(code: readonly string[]): (text: string) => string {
  const hasBracket = code.some((part) => /\\[)\]]/.test(part));
  const hasDollar = code.some((part) => part.includes('$'));
  return (text) => {
    const safe = hasBracket ? text.replace(/\\+(?=[([])/g, '') : text;
    return hasDollar ? safe.replace(/(?<!\\)\\*\$/g, '\\$') : safe;
  };
}

/** How far before its number a closing word may stand. */
const reach = 200;

const issue = String.raw`\/(?:issues|pull|pulls|merge_requests|work_items|epics)\/\d`;
const isIssue = new RegExp(`${issue}|#\\d|GH-\\d`, 'i');

/** What does something outside of code. Whole links stay; what might reach into code behind it is broken up. */
const active = new RegExp(
  [
    String.raw`(?<link>\]\((?:https?:\/\/[^\s()<>"'\x60]*|[^\s()<>"'\x60@]*)(?: "[^"<>\x60\n@]*")?\))`,
    String.raw`(?<whole>\]\[[\w .-]*\]|\[\[[\w .|\/-]*\]\]|\[\^[\w-]*\])`,
    String.raw`(?<open>\]\(|\]\[|\[\[|\[\^)`,
    '(?<image>!+)',
    String.raw`(?<address>(?<![^\s*_~(])https?:\/\/[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+(?::\d+)?(?:\/(?:!(?!\[)|[^\s<>()[\]\x60|\\!])*)?)`,
    String.raw`(?<tag>(?<!\\)\\*<[/!?a-zA-Z][^<>\n|\x60]*>)`,
    '(?<less><)(?=[/!?a-zA-Z])',
    String.raw`(?<character>&)(?=#?\w+;)`,
    String.raw`(?<mention>(?<!\\)\\*@[a-zA-Z0-9](?:[\w./@-]*\w)?)`,
    // Of marks or a link that a forge takes away, a name would be left.
    '(?<at>@)(?=[^a-zA-Z0-9\\s])',
    String.raw`(?<reference>(?<!\\)\\*(?:#\d+|\b[Gg][Hh]-\d+|\b[A-Z][A-Z0-9_]*-\d+|${issue}+))`,
  ].join('|'),
  'g',
);

type Found = Partial<
  Record<
    | 'link'
    | 'whole'
    | 'open'
    | 'image'
    | 'address'
    | 'tag'
    | 'less'
    | 'character'
    | 'mention'
    | 'at'
    | 'reference',
    string
  >
>;

/** @param before what stands in front of the text, as far as a closing word reaches */
function addText(writer: LineWriter, text: string, before: string, { mayClose = false }: Sanitising): void {
  let end = 0;
  for (const match of text.matchAll(active)) {
    const [whole] = match;
    const found: Found = match.groups ?? {};
    writer.addPlain(text.slice(end, match.index));
    end = match.index + whole.length;
    // Without its mark, an image is a link.
    if (found.image && text[end] === '[') continue;
    const closes = () => {
      const near = `${before}${text.slice(Math.max(0, match.index - reach), match.index)}`;
      return !mayClose && closing.test(near.slice(-reach));
    };
    // Behind code a mention begins, which behind a letter is a part of an address.
    const isAddress =
      whole.startsWith('@') && !writer.endsInCode && /[a-zA-Z0-9]/.test(text.charAt(match.index - 1));
    addActive(writer, whole, found, found.mention ? !isAddress : closes());
  }
  writer.addPlain(text.slice(end));
}

/** @param acts whether a mention is one, and whether a reference is closed */
function addActive(writer: LineWriter, match: string, found: Found, acts: boolean): void {
  if (found.link && acts && isIssue.test(match)) {
    writer.addPlain('] ');
    writer.addCode(match.slice(1));
  } else if (
    found.tag ||
    ((found.mention || found.reference || ((found.address || found.whole) && isIssue.test(match))) && acts)
  ) {
    writer.addCode(match.replace(/^\\+/, ''));
  } else if (found.open) writer.addPlain(`${match[0]} ${match[1]}`);
  else if (found.less) writer.addPlain('‹');
  else if (found.at) writer.addPlain(`@${joiner}`);
  else writer.addPlain(match.replace(/&(?=#?\w+;|$)/g, '&amp;'));
}
