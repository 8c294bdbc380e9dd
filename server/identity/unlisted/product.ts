import type { Purpose } from '../identity.ts';

/** Of browsers, and of what programs call themselves after them. */
const browserProducts =
  /^(?:mozilla|applewebkit|chrome|chromium|crios|safari|version|mobile|gecko|firefox|fxios|edg[a-z]{0,3}|opr|opera|trident|msie|windows|u|linux|android|khtml|like|compatible|headlesschrome|headlessedg|wv|x11|macintosh|iphone|ipad|http|https|build)$/i;

/** A name as programs write it, with a space between its words at most; bounded, as a search must be. */
const product = /[a-z][a-z0-9._&-]{1,40}(?: (?:bot|crawler|spider|agent|ai)(?![a-z0-9])){0,2}/i;
/** The text before an @ is a person's, and that after it may be. */
const ofNoMailbox = /(?![a-z0-9._&%+-]{0,64}@)/;
const first = new RegExp(`^[^a-z0-9(]{0,3}(${product.source})${ofNoMailbox.source}`, 'i');
const afterCompatible = new RegExp(`compatible[;)]{0,2} {0,2}(${product.source})${ofNoMailbox.source}`, 'i');
const versioned = new RegExp(`(?<![a-z0-9._&/@+-])(${product.source})(?=/)`, 'gi');

const whole = new RegExp(`^(?:${product.source})$`, 'i');

/** Whether it is a name as `productOf` finds them. */
export function isProduct(text: string): boolean {
  return whole.test(text);
}

/** The name of a program that is no browser, without its version and without ids of its users. */
export function productOf(userAgent: string): string | undefined {
  const found = findFirst(userAgent) ?? named(afterCompatible.exec(userAgent)?.[1]) ?? findLast(userAgent);
  return found && withoutUser(found);
}

function findFirst(userAgent: string): string | undefined {
  return /^(?:mozilla|opera)\b/i.test(userAgent) ? undefined : named(first.exec(userAgent)?.[1]);
}

/** The last name with a version: programs that call themselves a browser name themselves behind it. */
function findLast(userAgent: string): string | undefined {
  const names = Array.from(userAgent.matchAll(versioned), ([, name]) => name);
  return names.findLast((name) => named(name) !== undefined);
}

function named(product: string | undefined): string | undefined {
  return product === undefined || browserProducts.test(product) ? undefined : product;
}

/**
 * Where the part of a name begins that identifies one customer or person: `amazon-Quick-on-behalf-of-1266b92d`, a number, the
 * beginning of a UUID. Nothing from there on is the program's.
 */
const ofOneUser =
  /[-_. ]?on-behalf-of|(?:^|[-_.])[0-9a-f]{8}-[0-9a-f]{4}(?![a-z0-9])|[-_.](?=[a-z]{0,12}\d)[a-z0-9]{6,40}(?![a-z0-9])/i;

function withoutUser(name: string): string | undefined {
  const at = name.search(ofOneUser);
  return name.slice(0, at < 0 ? undefined : at).replace(/[-_.]{1,9}$/, '') || undefined;
}

/** The purpose of a program, by words in its name. The first one counts. */
const purposeWords: readonly (readonly [Purpose, RegExp])[] = [
  ['coding', /cod(?:e|ing|ex)|copilot|cli(?![a-z])|(?<![a-z])(?:ide|mcp-client)(?![a-z])/],
  ['search', /search|index|citation|answer/],
  ['assistant', /user|on-behalf-of|assistant|chat|fetch|mcp|(?<![a-z])quick|reader/],
  ['browser', /agent|browser|operator/],
  ['training', /crawl|spider|train|scrap|dataset|nutch/],
];

/** @param words what the program calls itself, in lower case */
export function purposeOf(words: string): Purpose | 'unknown' {
  return purposeWords.find(([, pattern]) => pattern.test(words))?.[0] ?? 'unknown';
}
