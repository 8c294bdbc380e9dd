import type { BoundedCount, Measured } from '../../shared/reports/analytics.ts';
import { boundsOf, isMissing, type Least } from '../formats/measured.ts';
import { formatBounds, formatCount } from '../formats/number.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';

export const columns = ['human', 'ai', 'total'] as const;

interface CountCellsProps {
  count: BoundedCount;
  measured: Pick<Measured, 'people' | 'ai'> | undefined;
}

/** People, AI, and both. */
export function CountCells({ count, measured }: CountCellsProps) {
  return columns.map((key) => (
    <td key={key}>
      {isMissing(key, count[key], measured) ? <Unmeasured /> : <Bounded {...boundsOf(count, key)} />}
    </td>
  ));
}

/** A number, the least and the most that it can be, or that it is not known. */
export function Bounded({ from, to }: Least) {
  if (from === null) return <Unmeasured />;
  if (from === to) return formatCount(from);
  return (
    <span title={t.withinBounds}>
      <span aria-hidden="true">{formatBounds({ from, to })}</span>
      <span class="unseen">{fill(t.leastAndMost, { from: formatCount(from), to: formatCount(to) })}</span>
    </span>
  );
}

/** What was not measured is not zero. */
export function Unmeasured() {
  return (
    <span title={t.notMeasuredHere}>
      <span aria-hidden="true">–</span>
      <span class="unseen">{t.notMeasured}</span>
    </span>
  );
}
