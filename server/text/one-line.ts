const maxQuoted = 200;

/** One line of a text that may come from outside. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** What another server says, cut and in one line. */
export function quoted(text: string): string {
  return Array.from(oneLine(text)).slice(0, maxQuoted).join('');
}
