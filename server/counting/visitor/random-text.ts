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
export function isRandomText(text: string): boolean {
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
