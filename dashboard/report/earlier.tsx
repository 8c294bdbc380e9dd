import { useEffect } from 'preact/hooks';
import type { CombinedSeriesReply, Measure } from '../../shared/reports/analytics.ts';
import { useResource } from '../api/resource.ts';
import { sizeOf, toBins } from '../chart/bins.ts';
import type { EarlierBins } from '../chart/plot.ts';
import { CsvLink } from '../components/csv-link.tsx';
import { addDays, countDays, formatSpan } from '../formats/day.ts';
import {
  chartRange,
  daysOver,
  parseDays,
  type Range,
  rangeBefore,
  readComparison,
} from '../formats/range.ts';
import { useRouter } from '../router/router.tsx';
import { t as common } from '../texts/common.ts';
import { t } from '../texts/more.ts';
import { fill, plural } from '../texts/part.ts';
import { t as report } from '../texts/report.ts';
import { comparable, compareDays, daysOf } from './coverage.tsx';
import type { Compared } from './hours.ts';

/** The same weekdays, which a calendar's year before has not. */
const yearDays = 364;

interface Days {
  from: string;
  to: string;
}

/** Days that those of the range are laid beside. Null: nothing is to be compared, or there is no beginning. */
function comparedDays(range: Range, comparison: string): Days | null {
  const { from, to } = range;
  if (from === null || comparison === 'none') return null;
  if (comparison === 'before') return rangeBefore(range);
  return parseDays(comparison) ?? { from: addDays(from, -yearDays), to: addDays(to, -yearDays) };
}

export interface Beside {
  over: Days;
  before: Days;
}

/** The days that are over, and those beside them: of two periods that are as long as each other, the same days. */
export function daysBeside(range: Range, today: string, comparison: string): Beside | null {
  const over = daysOver(range, today);
  const days = over && comparedDays(range, comparison);
  if (!days || over.from === null) return null;
  const isAsLong = countDays(days.from, days.to) === countDays(over.from, range.to);
  // A month that goes on has the same days of the one before.
  const others = comparison === 'before' ? (rangeBefore(over) ?? days) : days;
  const before = isAsLong
    ? { from: days.from, to: addDays(days.to, -countDays(over.to, range.to)) }
    : { ...others };
  if (before.to > today) before.to = today;
  return before.from < before.to ? { over: { ...over, from: over.from }, before } : null;
}

export const spanOf = ({ from, to }: Days) => formatSpan(from, addDays(to, -1));

const say = (sentences: readonly (string | false)[]) => sentences.filter(Boolean).join(' ');

/** How many days each has, where one has more. */
function sayLengths({ over, before }: Beside): string | false {
  const [now, then] = [countDays(over.from, over.to), countDays(before.from, before.to)];
  return (
    now !== then &&
    fill(t.periodsDiffer, { now: plural(common.days, now), before: plural(common.days, then) })
  );
}

export const sayBeside = (beside: Beside): string =>
  say([
    fill(t.rowsAreCompared, { now: spanOf(beside.over), before: spanOf(beside.before) }),
    sayLengths(beside),
  ]);

/** What is laid beside the days of the chart, and beside the large numbers where these are not of the days before. */
export interface Earlier {
  bins: EarlierBins;
  compared: Compared | undefined;
}

interface EarlierDaysProps {
  range: Range;
  /** In the project's zone. */
  today: string;
  measure: Measure;
  title: string;
  /** Of the range. */
  now: CombinedSeriesReply | undefined;
  /** Address of the days of a range. */
  pathOf: (days: Pick<Range, 'from' | 'to'>) => string;
  onRead: (earlier: Earlier | undefined) => void;
}

/** Reads the days that are compared with, and says which these are where somebody chose them. */
export function EarlierDays({ range, today, measure, title, now, pathOf, onRead }: EarlierDaysProps) {
  const { query } = useRouter();
  const comparison = readComparison(query);
  const shown = chartRange(range);
  const size = sizeOf(countDays(shown.from ?? shown.to, shown.to), query.get('interval'));
  const own = parseDays(comparison);
  const isWidened = shown.from !== range.from;
  const ownShown = own && isWidened ? chartRange(own) : own;
  const days = ownShown ?? comparedDays(shown, comparison);
  // Several days are laid beside the range itself, and not beside the days before it that are shown, too.
  const beginning = own && days?.from === own.from ? range.from : shown.from;
  const beside = daysBeside(range, today, comparison);
  const { data, isBusy } = useResource<CombinedSeriesReply>(days && pathOf(days));
  useEffect(() => {
    if (isBusy || !days?.from || beginning === null || data?.days[0]?.date !== days.from) return;
    const shift = countDays(days.from, beginning);
    // Weeks and months are those of the days beside which they are laid.
    const moved = data.days.map((day) => ({ ...day, date: addDays(day.date, shift) }));
    const isCounted = data.measured.ways.length > 0;
    const { human, ai } = comparable(data);
    onRead({
      bins: { bins: toBins(moved, measure, size), has: { human: isCounted && human, ai: isCounted && ai } },
      compared:
        beside && now && comparison !== 'before'
          ? compareDays(daysOf(data, beside.before), daysOf(now, beside.over), sayFor(beside, range))
          : undefined,
    });
    return () => onRead(undefined);
  }, [data, isBusy, now, measure, size, comparison, range.key, today]);
  if (!own || !beside) return null;
  return (
    <p class="coverage">
      {sayBeside(beside)} <CsvLink href={`${pathOf(own)}&format=csv`} title={`${title}, ${spanOf(own)}`} />
    </p>
  );
}

const sayFor = (beside: Beside, range: Range) => ({
  period: fill(report.onDays, { days: spanOf(beside.before) }),
  without: say([beside.over.to < range.to && report.todayIsLeftOut, sayLengths(beside)]) || undefined,
});
