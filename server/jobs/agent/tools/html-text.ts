import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeNamedCharacterReference } from 'decode-named-character-reference';

/** What is on a page besides its text, and what leads around the site. */
const leftOut =
  /^(?:head|script|style|noscript|template|svg|math|iframe|nav|footer|button|select|textarea|dialog)$/;
const blocks =
  /^(?:address|article|aside|blockquote|dd|details|div|dl|dt|fieldset|figcaption|figure|form|header|main|p|section|summary|table|tr)$/;
const empty = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;

/** In letters: hits are answered in between. */
const workPerTurn = 65_000;
const tokenWork = 200;

/** An HTML page as Markdown, with its links whole. Where it says what its main part is, that alone. */
export async function htmlToMarkdown(html: string, address: URL): Promise<string> {
  const page = new PageText(address);
  let work = 0;
  for (const token of readHtml(mainOf(html))) {
    work += token.kind === 'text' ? tokenWork + token.text.length : tokenWork;
    if (work > workPerTurn) {
      work = 0;
      page.tidy();
      await nextTurn();
    }
    if (token.kind === 'text') page.write(token.text);
    else if (token.kind === 'close') page.close(token.name);
    else page.open(token.name, token.attribute);
  }
  return page.end();
}

function mainOf(html: string): string {
  const start = html.search(/<main[\s>]/i);
  const end = Math.max(html.lastIndexOf('</main'), html.lastIndexOf('</MAIN'));
  return start !== -1 && end > start ? html.slice(start, end) : html;
}

/** Collects the text of a page, tag by tag. */
class PageText {
  readonly #address: URL;
  /** Whole lines, without white space at their ends and without more than one empty line in a row. */
  readonly #lines: string[] = [];
  /** The beginning of the line that `#parts` go on. */
  #line = '';
  #parts: string[] = [];
  /** The element that is left out, and how many of its name are open. */
  #skipped: { name: string; depth: number } | undefined;
  /** Of each open list, the number of its last item; undefined for one without numbers. */
  readonly #lists: (number | undefined)[] = [];
  #link: { href: string; from: number } | undefined;
  #isCode = false;

  constructor(address: URL) {
    this.#address = address;
  }

  write(text: string): void {
    if (this.#skipped) return;
    const plain = this.#isCode ? text : text.replace(/\s+/g, ' ');
    const isBegun = !/^\s?$/.test(this.#parts.at(-1)?.at(-1) ?? '');
    this.#parts.push(this.#isCode || isBegun ? plain : plain.trimStart());
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (this.#skipped) {
      if (name === this.#skipped.name) this.#skipped.depth += 1;
    } else if (leftOut.test(name)) this.#skipped = { name, depth: 1 };
    else if (name === 'a') this.#openLink(attribute('href'));
    else if (name === 'img') this.write(attribute('alt') ?? '');
    else if (name === 'li') this.#openItem();
    else if (name === 'ul') this.#lists.push(undefined);
    else if (name === 'ol') this.#lists.push((Number.parseInt(attribute('start') ?? '', 10) || 1) - 1);
    else this.#mark(name, 'open');
  }

  close(name: string): void {
    if (this.#skipped) {
      if (name === this.#skipped.name && --this.#skipped.depth === 0) this.#skipped = undefined;
    } else if (name === 'a') this.#closeLink();
    else if (name === 'ul' || name === 'ol') {
      this.#lists.pop();
      this.#parts.push(this.#lists.length === 0 ? '\n\n' : '\n');
    } else if (!empty.test(name)) this.#mark(name, 'close');
  }

  end(): string {
    this.#closeLink();
    this.#parts.push('\n');
    this.tidy();
    return this.#lines.join('\n').trim();
  }

  /** Makes lines of what was collected; the text of an open link has to wait. */
  tidy(): void {
    if (this.#link) return;
    const ends = this.#parts.join('').split('\n');
    const rest = ends.pop() ?? '';
    for (const end of ends) {
      const line = (this.#line + end).trimEnd();
      this.#line = '';
      if (line !== '' || this.#lines.at(-1) !== '') this.#lines.push(line);
    }
    this.#line += rest.slice(0, -1);
    this.#parts = [rest.slice(-1)];
  }

  #mark(name: string, side: 'open' | 'close'): void {
    const [, level] = /^h([1-6])$/.exec(name) ?? [];
    if (level !== undefined) this.#parts.push(side === 'open' ? `\n\n${'#'.repeat(Number(level))} ` : '\n\n');
    else if (name === 'pre') {
      this.#isCode = side === 'open';
      this.#parts.push(side === 'open' ? '\n\n```\n' : '\n```\n\n');
    } else if (name === 'code' && !this.#isCode) this.#parts.push('`');
    else if (name === 'br') this.#parts.push('\n');
    else if (name === 'hr') this.#parts.push('\n\n---\n\n');
    else if ((name === 'td' || name === 'th') && side === 'close') this.#parts.push(' | ');
    else if (name === 'tr') this.#parts.push('\n');
    else if (blocks.test(name)) this.#parts.push(this.#lists.length === 0 ? '\n\n' : '\n');
  }

  #openItem(): void {
    const depth = Math.max(0, this.#lists.length - 1);
    const last = this.#lists.at(-1);
    if (last !== undefined) this.#lists[depth] = last + 1;
    // More than a page has only breaks it.
    const indent = '  '.repeat(Math.min(depth, 8));
    this.#parts.push(`\n${indent}${last === undefined ? '-' : `${last + 1}.`} `);
  }

  #openLink(href: string | undefined): void {
    this.#closeLink();
    const target = href?.startsWith('#') ? undefined : URL.parse(href ?? '', this.#address);
    if (href === undefined || !target || !/^(?:https?|mailto):$/.test(target.protocol)) return;
    this.#link = { href: target.href, from: this.#parts.length };
  }

  #closeLink(): void {
    if (!this.#link) return;
    const { href, from } = this.#link;
    this.#link = undefined;
    const text = this.#parts.splice(from).join('');
    const words = text
      .replace(/\s+/g, ' ')
      .replace(/^ ?#{1,6} /, '')
      .trim();
    if (words === '') return;
    const before = /^\s/.test(text) ? ' ' : '';
    this.#parts.push(`${before}[${words}](${href})`);
  }
}

type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attribute: (name: string) => string | undefined }
  | { kind: 'close'; name: string };

/** What is inside is no markup, up to the end of the same name. */
const rawNames = /^(?:script|style|textarea|title|noscript|iframe|xmp)$/;

const maxPiece = 65_536;
/** As `decodeEntities` knows them. */
const maxEntity = 40;

/** The pieces of an HTML page in their order. However broken a page is, no character is looked at more than a few times. */
export function* readHtml(html: string): Generator<HtmlToken> {
  const find = createFinder(html);
  for (let at = 0; at < html.length; ) {
    const start = find('<', at);
    for (let end: number; at < start; at = end) {
      end = endOfPiece(html, at, start);
      yield { kind: 'text', text: decodeEntities(html.slice(at, end)) };
    }
    if (start === html.length) return;
    const [comment] = /^<(?:!--|[!?])/.exec(html.slice(start, start + 4)) ?? [];
    const [, slash = '', name] = /^<(\/?)([a-z][a-z0-9:-]{0,40})/i.exec(html.slice(start, start + 44)) ?? [];
    if (comment !== undefined) {
      const close = comment === '<!--' ? '-->' : '>';
      at = find(close, start + comment.length) + close.length;
    } else if (name === undefined) {
      yield { kind: 'text', text: '<' };
      at = start + 1;
    } else {
      at = find.tagEnd(start) + 1;
      const tag = name.toLowerCase();
      if (slash === '/') yield { kind: 'close', name: tag };
      else {
        yield {
          kind: 'open',
          name: tag,
          attribute: attributesOf(html.slice(start + 1 + name.length, at - 1)),
        };
        if (rawNames.test(tag)) at = find(`</${tag}`, at);
      }
    }
  }
}

/** Where a piece of a long text ends, with no entity cut in two. */
function endOfPiece(html: string, start: number, end: number): number {
  const most = start + maxPiece;
  if (end <= most) return end;
  const entity = html.lastIndexOf('&', most - 1);
  return entity > most - maxEntity ? entity : most;
}

/** Finds a text from a place on, or the end. What is nowhere in the rest is not looked for again. */
function createFinder(html: string) {
  const gone = new Set<string>();
  const find = (text: string, from: number): number => {
    const at = gone.has(text) ? -1 : indexOf(html, text, from);
    if (at === -1) gone.add(text);
    return at === -1 ? html.length : at;
  };
  /** The end of a tag, which does not stand in the quotes of a value. */
  find.tagEnd = (from: number): number => {
    for (let at = from; at < html.length; at += 1) {
      const character = html[at];
      if (character === '>') return at;
      if ((character === '"' || character === "'") && html[at - 1] === '=') {
        const closing = find(character, at + 1);
        if (closing < html.length) at = closing;
      }
    }
    return html.length;
  };
  return find;
}

/** Names of tags are found in capitals, too, without a copy of a page in small letters. */
function indexOf(html: string, text: string, from: number): number {
  if (!text.startsWith('</')) return html.indexOf(text, from);
  const pattern = new RegExp(text, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? -1;
}

function attributesOf(text: string): (name: string) => string | undefined {
  return (name) => {
    // Long ones are data, and nothing that we show.
    const pattern = new RegExp(
      String.raw`(?:^|[\s"'/])${name}\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`,
      'i',
    );
    const [, double, single, bare] = pattern.exec(text.slice(0, 4_000)) ?? [];
    const value = double ?? single ?? bare;
    return value === undefined ? undefined : decodeEntities(value);
  };
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,31}));?/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return decodeNamedCharacterReference(name) || whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
    },
  );
}
