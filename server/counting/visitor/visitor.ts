import { hash } from 'node:crypto';
import { UAParser } from 'ua-parser-js';
import { memoize } from '../../memo.ts';
import { routedNetwork, visitorNetwork } from '../../net/address.ts';

/**
 * The anonymous id of a visitor: 64 bits of SHA-256 over the day's secret salt, the address (IPv6: its
 * /64) and the user agent. Only these bits are kept, so that extending the hash gives nothing.
 */
export function visitorId(salt: string, address: string, userAgent: string): bigint {
  const digest = hash('sha256', `${salt}\n${visitorNetwork(address)}\n${userAgent}`, 'latin1');
  for (let i = 0; i < 8; i++) firstBytes[i] = digest.charCodeAt(i);
  return firstBits[0] as bigint;
}

// A Buffer for every digest would be most of what a hit leaves to the garbage collector.
const firstBytes = new Uint8Array(8);
const firstBits = new BigInt64Array(firstBytes.buffer);

/** The networks of a day's visitors as numbers, which mean nothing without the day's salt. */
export class Networks {
  readonly #hash: SipHash;

  constructor(salt: string) {
    this.#hash = new SipHash(hash('sha256', `${salt}\nnetworks`, 'buffer').subarray(0, 16));
  }

  /** 32 bits, signed, of a hash over the network of the address, keyed by the salt. */
  numberOf(address: string): number {
    return this.#hash.low32(routedNetwork(address));
  }
}

/** Places of the four words of the state: a lower half of 32 bits, and the upper one behind it. */
const [a, b, c, d] = [0, 2, 4, 6] as const;

/** `somepseudorandomlygeneratedbytes` */
const initial = Int32Array.of(
  ...[0x70736575, 0x736f6d65, 0x6e646f6d, 0x646f7261],
  ...[0x6e657261, 0x6c796765, 0x79746573, 0x74656462],
);

/**
 * SipHash-2-4 (https://www.aumasson.jp/siphash/siphash.pdf): without the key a hash reveals nothing about its text. For a short
 * text it takes a small part of what SHA-256 takes to call (bench/README.md). In halves of words, as numbers of 64 bits
 * would be BigInts.
 */
export class SipHash {
  readonly #keyed = initial.slice();
  readonly #state = new Int32Array(8);

  /** @param key 16 bytes */
  constructor(key: Uint8Array) {
    const words = new Int32Array(new Uint8Array(key).buffer);
    for (let i = 0; i < 8; i++) this.#keyed[i] = (this.#keyed[i] as number) ^ (words[i % 4] as number);
  }

  /** The lower 32 bits, signed, of the hash of a text of ASCII characters. */
  low32(text: string): number {
    const state = this.#state;
    state.set(this.#keyed);
    const { length } = text;
    const last = length - (length % 8);
    for (let at = 0; at < last; at += 8) takeIn(state, wordAt(text, at), wordAt(text, at + 4));
    takeIn(state, wordAt(text, last), wordAt(text, last + 4) | (length << 24));
    state[c] = (state[c] as number) ^ 0xff;
    for (let round = 0; round < 4; round++) mix(state);
    return (state[a] as number) ^ (state[b] as number) ^ (state[c] as number) ^ (state[d] as number);
  }
}

/** Four characters, the first in the lowest bits; 0 for what is beyond the end. */
function wordAt(text: string, at: number): number {
  const end = Math.min(at + 4, text.length);
  let word = 0;
  for (let i = end - 1; i >= at; i--) word = (word << 8) | text.charCodeAt(i);
  return word;
}

function takeIn(state: Int32Array, low: number, high: number): void {
  state[d] = (state[d] as number) ^ low;
  state[d + 1] = (state[d + 1] as number) ^ high;
  mix(state);
  mix(state);
  state[a] = (state[a] as number) ^ low;
  state[a + 1] = (state[a + 1] as number) ^ high;
}

function mix(state: Int32Array): void {
  addAndTurn(state, a, b, 13);
  swapHalves(state, a);
  addAndTurn(state, c, d, 16);
  addAndTurn(state, a, d, 21);
  addAndTurn(state, c, b, 17);
  swapHalves(state, c);
}

/** Adds `word` to `sum`, rotates it by less than 32 bits, and xors the sum into it. */
function addAndTurn(state: Int32Array, sum: number, word: number, bits: number): void {
  const low = state[word] as number;
  const high = state[word + 1] as number;
  const lowSum = ((state[sum] as number) + low) | 0;
  const carry = lowSum >>> 0 < low >>> 0 ? 1 : 0;
  const highSum = ((state[sum + 1] as number) + high + carry) | 0;
  state[sum] = lowSum;
  state[sum + 1] = highSum;
  state[word] = ((low << bits) | (high >>> (32 - bits))) ^ lowSum;
  state[word + 1] = ((high << bits) | (low >>> (32 - bits))) ^ highSum;
}

function swapHalves(state: Int32Array, word: number): void {
  const low = state[word] as number;
  state[word] = state[word + 1] as number;
  state[word + 1] = low;
}

/** The device, browser and system of a visitor. */
export interface Traits {
  /** desktop, mobile, tablet, smarttv, console, wearable, xr, embedded */
  device: string;
  /** Name without version: Chrome, Mobile Safari, … */
  browser: string;
  system: string;
}

const unknownTrait = '(unknown)';

// Longer ones are cut before parsing, as its expressions are not linear.
const maxParsedLength = 512;

export const parseTraits = memoize((userAgent: string): Traits => {
  const { browser, os, device } = new UAParser(userAgent.slice(0, maxParsedLength)).getResult();
  return {
    device: device.type ?? (os.name ? 'desktop' : unknownTrait),
    browser: browser.name ?? unknownTrait,
    system: os.name ?? unknownTrait,
  };
}, 20_000);

/** The first element of the list (RFC 9110, section 12.5.4), which may be empty ones apart; tags have 35 characters at most. */
const firstTag =
  /^[\t ,]*([a-z]{2,3}(?:-[a-z\d]{1,8})*)[\t ]*(?:;[\t ]*q=([01](?:\.\d{0,3})?)[\t ]*)?(?:,|$)/i;
const maxTagLength = 35;

const parseHeader = memoize((header: string): string | null => {
  const [, tag = '', weight = '1'] = firstTag.exec(header) ?? [];
  if (tag === '' || tag.length > maxTagLength || Number(weight) === 0) return null;
  try {
    const { language, region } = new Intl.Locale(tag);
    if (language === 'und') return null;
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    // It looks like a tag of BCP 47 and is none.
    return null;
  }
}, 5_000);

/**
 * The preferred language by the Accept-Language header: the language and the region of its first tag, as BCP 47 writes
 * them (`de-AT`, `en`). Null where it names none.
 */
export function parseLanguage(header: string | undefined): string | null {
  return header ? parseHeader(header) : null;
}
