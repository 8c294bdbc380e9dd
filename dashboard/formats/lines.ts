/** One entry a line, or with commas or spaces between them. */
export const splitLines = (text: string): string[] => text.split(/[\s,]+/).filter((entry) => entry !== '');
export const joinLines = (entries: readonly string[]): string => entries.join('\n');
