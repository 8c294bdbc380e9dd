import { createContext } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CombinedSeriesReply, Measure } from '../../shared/reports/analytics.ts';
import { useResource } from '../api/resource.ts';
import { toBins } from '../chart/bins.ts';
import type { EarlierBins } from '../chart/plot.ts';
import { addDays, countDays } from '../formats/day.ts';
import type { Range } from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { t } from '../texts/report.ts';
import { comparable } from './coverage.tsx';

type Comparison = keyof typeof t.comparisons;

/** The same weekdays, which a calendar's year before has not. */
const yearDays = 364;

/** Days that those of the chart are laid beside. */
interface ComparedDays {
  from: string;
  to: string;
  /** How many days they are earlier. */
  shift: number;
}

/** In the project's zone. */
export const Today = createContext('');

export function readComparison(query: URLSearchParams): Comparison {
  const text = query.get('compare');
  return text === 'before' || text === 'year' ? text : 'none';
}

/** Null: nothing is to be compared, or there is no beginning. */
export function comparedDays({ from, to }: Range, comparison: Comparison): ComparedDays | null {
  if (from === null || comparison === 'none') return null;
  const shift = comparison === 'year' ? yearDays : countDays(from, to);
  return { from: addDays(from, -shift), to: addDays(to, -shift), shift };
}

/** @param pathOf address of the days of a range */
export function useEarlierDays(
  range: Range,
  measure: Measure,
  pathOf: (days: Pick<Range, 'from' | 'to'>) => string,
): EarlierBins | undefined {
  const { query } = useRouter();
  const days = comparedDays(range, readComparison(query));
  const { data } = useResource<CombinedSeriesReply>(days && pathOf(days));
  const shift = days?.shift;
  const interval = query.get('interval');
  return useMemo(
    () => (data && shift !== undefined ? toEarlier(data, measure, interval, shift) : undefined),
    [data, measure, interval, shift],
  );
}

/** Weeks and months are those of the days beside which they are laid. */
function toEarlier(
  series: CombinedSeriesReply,
  measure: Measure,
  interval: string | null,
  shift: number,
): EarlierBins {
  const moved = series.days.map((day) => ({ ...day, date: addDays(day.date, shift) }));
  const isCounted = series.measured.ways.length > 0;
  const { human, ai } = comparable(series);
  return { bins: toBins(moved, measure, interval), has: { human: isCounted && human, ai: isCounted && ai } };
}

/** Chooses what the chart is compared with, and how many days are a point. */
export function ChartChoices({ range }: { range: Range }) {
  return (
    <>
      <Choice name="interval" label={t.interval} options={t.intervals} standard="auto" />
      {range.from !== null && (
        <Choice name="compare" label={t.compareWith} options={t.comparisons} standard="none" />
      )}
    </>
  );
}

interface ChoiceProps {
  /** Of its parameter in the address. */
  name: string;
  label: string;
  options: Readonly<Record<string, string>>;
  standard: string;
}

function Choice({ name, label, options, standard }: ChoiceProps) {
  const { query, navigate, hrefWith } = useRouter();
  const given = query.get(name) ?? '';
  return (
    <select
      class="compare"
      aria-label={label}
      value={Object.hasOwn(options, given) ? given : standard}
      onChange={({ currentTarget: { value } }) =>
        navigate(hrefWith({ [name]: value === standard ? null : value }))
      }
    >
      {Object.entries(options).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
