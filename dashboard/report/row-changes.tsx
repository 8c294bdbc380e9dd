import { useContext, useEffect } from 'preact/hooks';
import type { Count, Measured, UnmeasuredDays } from '../../shared/reports/analytics.ts';
import { useResource } from '../api/resource.ts';
import { type ShowChange, Unmeasured } from '../components/count-cells.tsx';
import { isUnmeasured } from '../formats/measured.ts';
import { type Range, readComparison } from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { Today } from './comparison.tsx';
import { daysBeside, sayBeside, spanOf } from './earlier.tsx';
import { ChangeNote } from './figures.tsx';

interface Reply {
  hasMore: boolean;
  measured?: Measured;
  totals?: object;
  unmeasured?: UnmeasuredDays | null | undefined;
}

interface RowChangesProps {
  /** What the table is of. */
  days: { dateFrom: string | null; dateTo: string | null };
  /** Of the same table of other days. */
  pathOf: (days: RowChangesProps['days']) => string;
  /** Whom the table is of alone. */
  of?: 'human' | 'ai' | undefined;
  rowsOf: (data: never) => unknown[];
  /** Each row is of several of the reply's. */
  isWhole?: boolean | undefined;
  onChange: (show: ShowChange | null) => void;
}

/** Reads the same table of the days that are compared with, and says which these are; today, which is not over, is left out of both. */
export function RowChanges({
  days: { dateFrom, dateTo },
  pathOf,
  of,
  rowsOf,
  isWhole,
  onChange,
}: RowChangesProps) {
  const { query } = useRouter();
  const range: Range = { key: query.get('range') ?? '', from: dateFrom, to: dateTo ?? '' };
  const beside = daysBeside(range, useContext(Today), readComparison(query));
  const read = (days: Pick<Range, 'from' | 'to'> | null) =>
    days && pathOf({ dateFrom: days.from, dateTo: days.to });
  const { data: later } = useResource<Reply>(read(beside?.over ?? null));
  const { data: earlier } = useResource<Reply>(read(beside?.before ?? null));
  const days = beside && spanOf(beside.before);
  useEffect(() => {
    if (!later || !earlier || days === null) return;
    const replies = [later, earlier].map((reply) => ({
      reply,
      rows: (isWhole && reply.hasMore ? null : rowsOf(reply as never)) as Row[] | null,
    }));
    const find = (rows: Row[], row: Row, by: string | readonly string[]) =>
      rows.find((other) => [by].flat().every((field) => other[field] === row[field]));
    onChange(({ row, by, of: field }) => {
      const kind = (['human', 'ai', 'total'] as const).find((name) => name === field) ?? of ?? 'total';
      const [now, then] = replies.map(
        ({ reply, rows }) => rows && countIn(reply, find(rows, row as Row, by), field, kind),
      );
      return (
        <span class="row-change">
          {typeof now === 'number' && typeof then === 'number' ? (
            <ChangeNote now={now} before={then} period={fill(t.onDays, { days })} />
          ) : (
            <Unmeasured />
          )}
        </span>
      );
    });
    return () => onChange(null);
  }, [later, earlier, days]);
  return beside && <p class="panel-note">{sayBeside(beside)}</p>;
}

type Row = Record<string, unknown>;

/** Goals, funnels and sections are measured since they were set. */
const lacksDays = (of: object | undefined) => Boolean((of as Row | undefined)?.unmeasuredDays);

/** Null where it is not known: not measured, known within bounds alone, or beyond the rows that are read. */
function countIn(
  { hasMore, measured, totals, unmeasured }: Reply,
  row: Row | undefined,
  field: string,
  kind: keyof Count,
): number | null {
  if (unmeasured || measured?.ways.length === 0 || isUnmeasured(kind, measured)) return null;
  if (lacksDays(totals) || lacksDays(row)) return null;
  if (row === undefined) return hasMore ? null : 0;
  // A matrix has no column of what a row has none of.
  const { [field]: count = 0 } = row;
  return row.bounds ? null : (count as number | null);
}
