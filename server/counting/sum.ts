import type { CountedKind } from './view.ts';

/** The counts of one name on a day, or in a block of days. */
export interface Sum {
  humanVisitors: number;
  aiVisitors: number;
  /** Those of either kind, each once. */
  visitors: number;
  humanViews: number;
  aiViews: number;
}

export const emptySum = (): Sum => ({
  humanVisitors: 0,
  aiVisitors: 0,
  visitors: 0,
  humanViews: 0,
  aiViews: 0,
});

/** Kinds of view in one number: for a visitor, 0 is none and 3 is both. As stored. */
export const kindBits = { human: 1, ai: 2 } as const satisfies Record<CountedKind, number>;

export type KindBit = (typeof kindBits)[CountedKind];

/** One more view; and a visitor, if none of this kind (or of any kind, for the total) was seen before. */
export function addView(sum: Sum, kind: KindBit, before: number): void {
  const isNew = (before & kind) === 0 ? 1 : 0;
  if (kind === kindBits.human) {
    sum.humanViews++;
    sum.humanVisitors += isNew;
  } else {
    sum.aiViews++;
    sum.aiVisitors += isNew;
  }
  if (before === 0) sum.visitors++;
}
