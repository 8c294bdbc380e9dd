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
const pieceBytes = 65_536;

/** By https://www.sitemaps.org/protocol.html */
const maxAddressLength = 2048;
const maxDateLength = 40;

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
  let lines = '';
  for await (const piece of piecesOf(bytes, room.bytes)) {
    const text = decoder.decode(piece, { stream: true });
    if (collector.size === 0 && isXml(text)) parser = await xmlParser(collector);
    collector.size += piece.length;
    if (parser) parser.write(text);
    else lines += text;
    if (collector.isFull) return collector;
    await nextTurn();
  }
  parser?.close();
  for (const line of lines.split(/\r?\n/)) collector.addPage(line.trim(), null);
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

  addSitemap(url: string): void {
    if (isAddress(url)) this.sitemaps.push(url);
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
    const name = open.at(-1);
    if (open.length !== 3 || name === undefined) return;
    const limit = name === 'loc' ? maxAddressLength : maxDateLength;
    // One more than may be, so that what is too long is known as such.
    texts[name] = ((texts[name] ?? '') + text.trim()).slice(0, limit + 1);
  };
  parser.on('opentag', ({ name }) => {
    if (open.length === 1) texts = {};
    open.push(name);
  });
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => {
    const place = open.join(' ');
    const { loc = '', lastmod = '' } = texts;
    if (place === 'urlset url') collector.addPage(loc, lastmod || null);
    if (place === 'sitemapindex sitemap') collector.addSitemap(loc);
    open.pop();
  });
  return parser;
}
