/** The days that a surge is held against: those before it. */
export const surgeDays = 28;
/** Fewer days say nothing of what is usual. */
export const minSurgeDays = 14;
const factor = 3;

export interface Surge {
  count: number;
  /** On a day before, on average. */
  usual: number;
}

/**
 * Whether a day has more than three times what is usual, and the day before had not: one that goes on is told once.
 *
 * @param counts of each day, the newest last, from the first on which anything could have been counted
 * @param least that is worth telling
 */
export function findSurge(counts: readonly number[], least: number): Surge | null {
  const surge = surgeOf(counts, least);
  return surge && !surgeOf(counts.slice(0, -1), least) ? surge : null;
}

function surgeOf(counts: readonly number[], least: number): Surge | null {
  const count = counts.at(-1) ?? 0;
  const before = counts.slice(-surgeDays - 1, -1);
  if (before.length < minSurgeDays || count < least) return null;
  const usual = before.reduce((sum, one) => sum + one, 0) / before.length;
  return count > factor * usual ? { count, usual } : null;
}
