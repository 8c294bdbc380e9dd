import type { Day } from './calendar.ts';
import { type CappedViews, maxNewNamesPerDay, otherName } from './names/name-cap.ts';

/** What people did on a day under one name, as another tool counted it. */
export interface HistorySum {
  what: number;
  /** Empty: it is of the site. */
  text: string;
  visitors: number;
  views: number;
}

/** A day of another tool. */
export interface HistoryDay {
  day: Day;
  /** The display name, such as `Plausible`. */
  tool: string;
  site: Pick<HistorySum, 'visitors' | 'views'>;
  /** Each name once. */
  sums: readonly HistorySum[];
}

const historyMark = 'history\t';

/** The group of a tool's days in the counter of sources. */
export function historyGroup(tool: string): string {
  return `${historyMark}${tool}`;
}

/** What such groups begin with, as SQL compares texts, and where in them the tool begins. */
export const historyGroups = { like: `${historyMark}%`, toolFrom: historyMark.length + 1 } as const;

/** Which new names of a day are added, and which count under `otherName`. */
export function admitNames(
  { sums, site }: HistoryDay,
  isKnown: (sum: HistorySum) => boolean,
): { sums: HistorySum[]; capped: CappedViews[] } {
  const taken = new Map<number, number>();
  const admitted: HistorySum[] = [];
  const others = new Map<number, HistorySum>();
  for (const sum of sums) {
    const before = taken.get(sum.what) ?? 0;
    if (sum.text !== otherName && (isKnown(sum) || before < maxNewNamesPerDay)) {
      if (!isKnown(sum)) taken.set(sum.what, before + 1);
      admitted.push(sum);
      continue;
    }
    const other = others.get(sum.what) ?? { what: sum.what, text: otherName, visitors: 0, views: 0 };
    other.views += sum.views;
    other.visitors = Math.min(other.visitors + sum.visitors, site.visitors);
    others.set(sum.what, other);
  }
  const capped = [...others.values()].map(({ what, views }): CappedViews => {
    return { what, cap: 'day', kind: 'human', client: '', views };
  });
  return { sums: [...admitted, ...others.values()], capped };
}
