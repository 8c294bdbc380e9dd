import { decodeNamedCharacterReference } from 'decode-named-character-reference';

export type HtmlToken =
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
