import { memoize } from '../../memo.ts';
import { isRandomText } from '../visitor/random-text.ts';

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
