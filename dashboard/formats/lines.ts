/** One entry a line, or with commas or spaces between them. */
export const splitLines = (text: string): string[] => text.split(/[\s,]+/).filter((entry) => entry !== '');
export const joinLines = (entries: readonly string[]): string => entries.join('\n');

/** The same of entries that have commas and spaces. */
export const splitWholeLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
