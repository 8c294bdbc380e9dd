import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { BoundedCount, Measured } from '../../shared/reports/analytics.ts';
import { boundsOf, isMissing, type Least } from '../formats/measured.ts';
import { formatBounds, formatCount } from '../formats/number.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';

export const columns = ['human', 'ai', 'total'] as const;

interface ChangeProps {
  row: object;
  /** Field of its name. */
  by: string;
  /** Field of a count. */
  of: string;
}

/** How a count of a row has changed. */
export type ShowChange = (change: ChangeProps) => ComponentChildren;

/** Null: nothing is compared. */
export const ChangeContext = createContext<ShowChange | null>(null);

export const Change = (props: ChangeProps) => <>{useContext(ChangeContext)?.(props)}</>;

interface CountCellsProps {
  count: BoundedCount;
  /** Field of the row's name. */
  by?: string;
  measured: Pick<Measured, 'people' | 'ai'> | undefined;
}

/** People, AI, and both. */
export function CountCells({ count, by, measured }: CountCellsProps) {
  return columns.map((key) => (
    <td key={key}>
      {isMissing(key, count[key], measured) ? <Unmeasured /> : <Bounded {...boundsOf(count, key)} />}
      {by && <Change row={count} by={by} of={key} />}
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
