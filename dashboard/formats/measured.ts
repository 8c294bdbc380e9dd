import type { BoundedCount, Count, Measured as MeasuredRange } from '../../shared/reports/analytics.ts';

type Measured = Pick<MeasuredRange, 'people' | 'ai'>;

/** Whether nobody measured these; all that there is was measured if both were. @param measured undefined: not known yet */
export function isUnmeasured(of: keyof Count, measured: Measured | undefined): boolean {
  if (of === 'human') return measured?.people === false;
  if (of === 'ai') return measured?.ai === false;
  return isUnmeasured('human', measured) || isUnmeasured('ai', measured);
}

/** Whether a count is not known, or zero for that reason alone. What was counted anyway is shown. */
export function isMissing(of: keyof Count, count: number | null, measured: Measured | undefined): boolean {
  return count === null || (count === 0 && isUnmeasured(of, measured));
}

/** The least there can be, null where that is not known, and the most: the same, where a count is exact. */
export interface Least {
  from: number | null;
  to: number;
}

export function boundsOf(count: BoundedCount, of: keyof Count): Least {
  return count.bounds ? { from: count[of], to: count.bounds[of].to } : { from: count[of], to: count[of] };
}

/** What is not known is left out, and makes nothing else not zero but unknown. */
export function addCounts(one: BoundedCount, other: BoundedCount): BoundedCount {
  const sum = (of: keyof Count): Least => {
    const [first, second] = [boundsOf(one, of), boundsOf(other, of)];
    const from = (first.from ?? 0) + (second.from ?? 0);
    const isKnown = from > 0 || (first.from !== null && second.from !== null);
    return { from: isKnown ? from : null, to: first.to + second.to };
  };
  const sums = { human: sum('human'), ai: sum('ai'), total: sum('total') };
  const [human, ai, total] = [sums.human.from, sums.ai.from, sums.total.from];
  if (!one.bounds && !other.bounds) return { human: human ?? 0, ai: ai ?? 0, total: total ?? 0 };
  const bounds = { human: known(sums.human), ai: known(sums.ai), total: known(sums.total) };
  return { human, ai, total, bounds };
}

const known = ({ from, to }: Least) => ({ from: from ?? 0, to });
