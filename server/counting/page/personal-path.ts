import { memoize } from '../../memo.ts';

/** RFC 9562; escapes are told apart, as braces in front of it end in hexadecimal digits too. */
const uuid = /%[\dA-F]{2}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/** Header, payload and signature (RFC 7515), or the five parts of RFC 7516; `eyJ` is how `{"` begins in base64url. */
const webToken = /eyJ[\w-]{10,}(?:\.[\w-]*){1,4}/g;

/** Where an address has its @, which some senders escape twice. */
const at = /@|%40|%2540/i;
/** What may stand before it (RFC 5322 without quotes, and without what ends a part of a path), and after it; a source is not escaped. */
const localPart = /(?<!%[\dA-F]?)(?:[\w.!#$'*+^`{|}~\u0080-\uFFFF-]|%(?!40|2F)[\dA-F]{2})+$/i;
const domain =
  /^(?:(?:[a-z\d\u0080-\uFFFF-]|%(?!40|2F)[\dA-F]{2})+\.)+(?!(?:avif|css|gif|html?|jpe?g|js|json|mjs|pdf|php|png|svg|txt|webp|xml)(?![a-z\d]))(?:xn--[a-z\d-]+|(?:[a-z\u0080-\uFFFF]|%[89A-F][\dA-F]){2,})/i;

/** Runs of base64, in either alphabet; escapes of other characters are told apart, so that none is cut in two. */
const run = /(?:[\w+-]|%2[BF])+(?:=|%3D)*|%[\dA-F]{2}/g;

/**
 * The path without what points to one person or opens a door: e-mail addresses become `:email`, UUIDs `:id`, and long
 * random tokens `:token`.
 *
 * @param path in the normal form of `parsePage`; values of a kept query and a route are treated alike
 */
export const maskPersonalParts: (path: string) => string = memoize(
  (path) => maskTokens(maskAddresses(path).replace(webToken, ':token').replace(uuid, maskId)),
  10_000,
);

function maskAddresses(path: string): string {
  let done = '';
  let rest = path;
  for (let found = at.exec(rest); found; found = at.exec(rest)) {
    const end = found.index + found[0].length;
    const before = localPart.exec(rest.slice(0, found.index))?.[0] ?? '';
    const after = domain.exec(rest.slice(end))?.[0];
    // `a@b.cc@d.ee` is one, as what stands for the first would else be read as the name in the second.
    const goesOn = found.index === 0 && done.endsWith(':email') && after !== undefined;
    const isAddress = before !== '' && after !== undefined;
    if (!goesOn)
      done += isAddress ? `${rest.slice(0, found.index - before.length)}:email` : rest.slice(0, end);
    rest = rest.slice(end + (goesOn || isAddress ? after.length : 0));
  }
  return done + rest;
}

function maskId(text: string): string {
  return text.startsWith('%') ? text : ':id';
}

function maskTokens(path: string): string {
  return path.replace(run, (text) => {
    if (isRandomText(text)) return ':token';
    // Or some of its words are: a title with a token behind it.
    return text.replace(/[^+_-]+/g, (word) => (isRandomText(word) ? ':token' : word));
  });
}

/** The path that a view counts under. */
export function countedPath(path: string, { personalPaths }: { personalPaths: 'mask' | 'keep' }): string {
  return personalPaths === 'keep' ? path : maskPersonalParts(path);
}

/** Shorter ones are as often a number of an article or the hash of a version. */
const minLength = 20;

const hexadecimal = /^(?:[\da-f]+|[\dA-F]+)$/;
/** What separates words, here and in base64. */
const separators = /(?:[_+=-]|%2[BF]|%3D)+/;
/** Hardly ever found between the separators of a random text. */
const plainWord = /^(?:[A-Z]?[a-z]{4,}|[A-Z]{5,})$/;
/** `getHTTPStatus2` is `get`, `HTTP`, `Status` and `2`. */
const piece = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g;

/**
 * How much of a text has to speak against words; measured on 64,000 names of program interfaces and sentences in twenty
 * languages, of which it takes none or next to none, and on random texts, of which it takes all but 1 to 2 in 100. With
 * letters of one case there is less to go by: of these it misses 1 in 10.
 */
const minOddity = { mixedCase: 0.46, oneCase: 0.4 };

/**
 * Whether a text of letters, digits and hyphens was drawn by lot: 20 hexadecimal digits and more, or a mix of
 * letters and digits that falls apart into pieces too short to be words.
 */
function isRandomText(text: string): boolean {
  if (text.length < minLength) return false;
  if (hexadecimal.test(text)) return true;
  const hasLower = /[a-z]/.test(text);
  const hasUpper = /[A-Z]/.test(text);
  // Letters of one case are words, however long.
  if (!(hasLower && hasUpper) && !/\d/.test(text)) return false;
  return oddity(text) >= (hasLower && hasUpper ? minOddity.mixedCase : minOddity.oneCase);
}

/** How often a word changes between cases and digits, and how much of it stands in pieces that are no words, by its length. */
function oddity(text: string): number {
  let length = 0;
  let odd = 0;
  for (const word of text.split(separators)) {
    if (plainWord.test(word)) return 0;
    const pieces = word.match(piece) ?? [];
    length += word.length;
    if (pieces.length < 2) continue;
    odd += pieces.length - 1;
    for (const part of pieces) if (isOdd(part)) odd += part.length / 2;
  }
  return length < minLength / 2 ? 0 : odd / length;
}

function isOdd(piece: string): boolean {
  return piece.length <= 2 || /^[^aeiouy\d]+$/i.test(piece);
}
