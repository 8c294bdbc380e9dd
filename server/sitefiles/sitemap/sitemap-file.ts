import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';

/** A page as a sitemap lists it: absolute address, and when it was last changed as it stands there. */
export interface ListedPage {
  url: string;
  lastmod: string | null;
}

/** What a sitemap names: pages, or in an index further sitemaps. */
export interface SitemapFile {
  pages: ListedPage[];
  sitemaps: string[];
  /** Bytes of the text. */
  size: number;
}

export interface SitemapRoom {
  /** Of the text, unpacked. */
  bytes: number;
  pages: number;
}

/** Views are counted between two pieces. */
const pieceBytes = 16_384;

/** By https://www.sitemaps.org/protocol.html */
const maxAddressLength = 2048;
const maxDateLength = 40;
/** Those of extensions included. */
const maxDepth = 8;
/** Without an element, comment or text that ends; white space counts for a sixteenth. */
const maxSilentBytes = 131_072;
/** Of an index: more than are fetched of a site. */
const maxSitemaps = 1_000;

/**
 * Reads a sitemap, an index of sitemaps, or a list of addresses, a line each, packed with gzip or not; pages beyond the room
 * are left out.
 *
 * @throws Error that says what is wrong with it
 */
export async function readSitemapFile(bytes: Buffer, room: SitemapRoom): Promise<SitemapFile> {
  const collector = new SitemapCollector(room);
  const decoder = new TextDecoder();
  let parser: Awaited<ReturnType<typeof xmlParser>> | undefined;
  let line = '';
  for await (const piece of piecesOf(bytes, room.bytes)) {
    const text = decoder.decode(piece, { stream: true });
    if (collector.size === 0 && isXml(text)) parser = await xmlParser(collector);
    collector.size += piece.length;
    if (parser) parser.write(text);
    else line = collector.addLines(line + text);
    if (collector.isFull) return collector;
    collector.silence += text.trim() === '' ? piece.length / 16 : piece.length;
    if (parser && collector.silence > maxSilentBytes) {
      throw new Error(`It has more than ${maxSilentBytes} bytes without an element.`);
    }
    await nextTurn();
  }
  parser?.close();
  collector.addPage(line.trim(), null);
  return collector;
}

function isXml(text: string): boolean {
  return text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .startsWith('<');
}

class SitemapCollector implements SitemapFile {
  readonly pages: ListedPage[] = [];
  readonly sitemaps: string[] = [];
  size = 0;
  /** How much was read since the parser found something. */
  silence = 0;
  readonly #room: SitemapRoom;

  constructor(room: SitemapRoom) {
    this.#room = room;
  }

  get isFull(): boolean {
    return this.pages.length >= this.#room.pages;
  }

  addPage(url: string, lastmod: string | null): void {
    if (!this.isFull && isAddress(url)) this.pages.push({ url, lastmod });
  }

  /** @returns what may go on; of a line that is too long for an address its beginning alone */
  addLines(text: string): string {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) this.addPage(line.trim(), null);
    return rest.slice(0, 2 * maxAddressLength);
  }

  addSitemap(url: string): void {
    if (this.sitemaps.length < maxSitemaps && isAddress(url)) this.sitemaps.push(url);
  }
}

function isAddress(text: string): boolean {
  return text.length <= maxAddressLength && /^https?:\/\//i.test(text);
}

/** Pieces of the text in bytes. @throws Error where it is longer than it may be */
async function* piecesOf(bytes: Buffer, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of isGzip(bytes) ? unpacked(bytes) : [bytes]) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`It has more than ${maxBytes} bytes.`);
    for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
  }
}

/** RFC 1952, section 2.3.1. */
function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unpacked(bytes: Buffer): AsyncIterable<Buffer> {
  const unpacking = createGunzip({ chunkSize: pieceBytes });
  unpacking.end(bytes);
  return unpacking;
}

/** Of elements of the sitemaps themselves; those of extensions, such as `image:loc`, have a prefix. */
async function xmlParser(collector: SitemapCollector) {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser({ position: false });
  const open: string[] = [];
  let texts: Record<string, string> = {};
  const take = (text: string) => {
    collector.silence = 0;
    const name = open.at(-1);
    if (open.length !== 3 || name === undefined) return;
    const limit = name === 'loc' ? maxAddressLength : maxDateLength;
    // One more than may be, so that what is too long is known as such.
    texts[name] = ((texts[name] ?? '') + text.trim()).slice(0, limit + 1);
  };
  parser.on('opentag', ({ name }) => {
    collector.silence = 0;
    if (open.length === 1) texts = {};
    if (open.push(name) > maxDepth) throw new Error(`It has more than ${maxDepth} elements in one another.`);
  });
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('comment', () => {
    collector.silence = 0;
  });
  parser.on('closetag', () => {
    collector.silence = 0;
    if (open.length === 2) {
      const { loc = '', lastmod = '' } = texts;
      const [list, item] = open;
      if (list === 'urlset' && item === 'url') collector.addPage(loc, lastmod || null);
      if (list === 'sitemapindex' && item === 'sitemap') collector.addSitemap(loc);
    }
    open.pop();
  });
  return parser;
}
