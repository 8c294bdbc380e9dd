/** A part of a text. */
export interface Stretch {
  start: number;
  end: number;
}

/** What stands in the place of something keeps its length and its lines. */
export function blank(text: string, stretches: readonly Stretch[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of stretches) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    pieces.push(text.slice(at, from), text.slice(from, end).replace(/[^\r\n]/g, ' '));
    at = end;
  }
  return pieces.join('') + text.slice(at);
}
