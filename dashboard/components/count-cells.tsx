import type { Count, Measured } from '../../shared/reports/analytics.ts';
import { isMissing } from '../formats/measured.ts';
import { formatCount } from '../formats/number.ts';
import { t } from '../texts/report.ts';

export const columns = ['human', 'ai', 'total'] as const;

interface CountCellsProps {
  count: Count;
  measured: Pick<Measured, 'people' | 'ai'> | undefined;
}

/** People, AI, and both. */
export function CountCells({ count, measured }: CountCellsProps) {
  return columns.map((key) => (
    <td key={key}>{isMissing(key, count[key], measured) ? <Unmeasured /> : formatCount(count[key])}</td>
  ));
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
