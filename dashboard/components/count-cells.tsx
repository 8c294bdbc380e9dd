import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { BoundedCount, Measured } from '../../shared/reports/analytics.ts';
import { boundsOf, isMissing, type Least } from '../formats/measured.ts';
import { formatBounds, formatCount, formatShare } from '../formats/number.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';

export const columns = ['human', 'ai', 'total'] as const;

interface ChangeProps {
  row: object;
  /** Field of its name, or several. */
  by: string | readonly string[];
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
export function Bounded({ from, to, why = t.withinBounds }: Least & { why?: string }) {
  if (from === null) return <Unmeasured />;
  if (from === to) return formatCount(from);
  const sentence = fill(t.leastAndMost, { from: formatCount(from), to: formatCount(to) });
  return <Brief class="between" text={formatBounds({ from, to })} sentence={sentence} title={why} />;
}

/** What was not measured is not zero. */
export const Unmeasured = () => <Brief text="–" sentence={t.notMeasured} title={t.notMeasuredHere} />;

interface ShareProps {
  part: number;
  all: number;
  /** Names what it is a percent of. */
  of: string;
}

/** A percent, with what it is of. */
export function Share({ part, all, of }: ShareProps) {
  const share = formatShare(part, all);
  return <Brief text={share} sentence={fill<string>(of, { share })} />;
}

interface BriefProps {
  text: string;
  /** The same for who hears it or points at it. */
  sentence: string;
  title?: string;
  class?: string;
}

export const Brief = ({ text, sentence, title = sentence, class: name }: BriefProps) => (
  <span class={name} title={title}>
    <span aria-hidden="true">{text}</span>
    <span class="unseen">{sentence}</span>
  </span>
);
