/** Scripts whose letters change their form next to a joiner or a non-joiner, as Persian and Hindi words need them. */
const joining =
  '[\\p{sc=Arab}\\p{sc=Beng}\\p{sc=Deva}\\p{sc=Gujr}\\p{sc=Guru}\\p{sc=Khmr}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Mong}\\p{sc=Mymr}\\p{sc=Orya}\\p{sc=Sinh}\\p{sc=Syrc}\\p{sc=Taml}\\p{sc=Telu}]';
/** Format characters that are part of a picture or a word. Elsewhere they would make two texts look alike. */
export const seenCharacters = [
  '\\p{ExtPict}',
  '(?<=[\\p{ExtPict}\\p{EMod}\\u{fe0f}])\\u{200d}(?=\\p{ExtPict})',
  '(?<=\\u{1f3f4})[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{2,6}\\u{e007f}',
  `(?<=${joining})[\\u{200c}\\u{200d}](?=${joining})`,
].join('|');

const breaking = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}';
/** Marks and overrides of direction among them. A variation selector belongs to the character before it. */
const invisible = '\\p{Cf}|(?!\\p{Variation_Selector})\\p{Default_Ignorable_Code_Point}';

const hidden = new RegExp(`(${seenCharacters})|[${breaking}]+|${invisible}`, 'gu');
const hiddenInLines = new RegExp(`(${seenCharacters})|(?![\\n\\t])[${breaking}]|${invisible}`, 'gu');

/** Whether a text is one line without control characters, invisible ones and those that change the direction. */
export function isPlain(text: string): boolean {
  return plain(text, '') === text;
}

/** One line of a text that may come from outside. @param gap in place of a control character or the end of a line */
export function plain(text: string, gap = ' '): string {
  return text.replace(hidden, (character, kept?: string) => kept ?? (isBreak.test(character) ? gap : ''));
}

const isBreak = new RegExp(`[${breaking}]`, 'u');

/** The same for a person's terminal: lines and tabs stay, and all else is written as JSON writes it, so that JSON stays itself. */
export function escapeHidden(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(hiddenInLines, (characters, kept?: string) => kept ?? escapeUnits(characters));
}

/** All on one line. */
export function escapeLine(text: string): string {
  return text.replace(hidden, (characters, kept?: string) => kept ?? escapeUnits(characters));
}

const shortEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeUnits(characters: string): string {
  return characters
    .split('')
    .map((unit) => shortEscapes[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
