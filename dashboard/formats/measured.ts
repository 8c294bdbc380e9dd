import type { Count, Measured as MeasuredRange } from '../../shared/reports/analytics.ts';

type Measured = Pick<MeasuredRange, 'people' | 'ai'>;

/** Whether nobody measured these; all that there is was measured if both were. @param measured undefined: not known yet */
export function isUnmeasured(of: keyof Count, measured: Measured | undefined): boolean {
  if (of === 'human') return measured?.people === false;
  if (of === 'ai') return measured?.ai === false;
  return isUnmeasured('human', measured) || isUnmeasured('ai', measured);
}

/** Whether a count is zero for that reason alone. What was counted all the same is told. */
export function isMissing(of: keyof Count, count: number, measured: Measured | undefined): boolean {
  return count === 0 && isUnmeasured(of, measured);
}
