/** Lines are handled as latin1, a character for each byte, which costs nothing; this finds those that are more. */
function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** Bytes as characters to the text that they are in UTF-8. */
export function fromBytes(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'latin1').toString('utf8');
}

const utf8 =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g;

/** The same of addresses, where bytes that are not UTF-8, such as those of latin1, stay apart: percent-encoded. */
export function textFromBytes(text: string): string {
  const decoded = fromBytes(text);
  if (!decoded.includes('\ufffd')) return decoded;
  return fromBytes(
    text.replace(utf8, (character: string, byte: string | undefined) =>
      byte === undefined ? character : `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
}

/** A text to its bytes in UTF-8 as characters. */
export function toBytes(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** V8 keeps all of a long text alive for a part of it; a copy avoids that. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

const simple: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

/**
 * Undoes the escapes that servers write into lines: `\x22` (nginx), `\"` (Apache), `\u001f` (JSON). Anything else
 * after a backslash is itself.
 */
export function unescapeField(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))/g,
    (_, hex: string | undefined, unit: string | undefined, character: string | undefined) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unit !== undefined) return toBytes(String.fromCharCode(Number.parseInt(unit, 16)));
      return simple[character as string] ?? (character as string);
    },
  );
}

/** Where a quoted text ends: the first quote without a backslash before it. -1: there is none. */
export function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (at - slashes - 1 >= from && text.charCodeAt(at - slashes - 1) === 92) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
