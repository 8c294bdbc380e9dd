import type { SeriesReply } from '../../shared/analytics.ts';
import type { WayIn } from '../../shared/tallies.ts';
import { formatDay } from '../formats/day.ts';

const names: Record<WayIn, string> = {
  script: 'the script',
  image: 'the image',
  report: 'your server',
  log: 'access logs',
};

const list = new Intl.ListFormat('en');

type Series = Pick<SeriesReply, 'measured' | 'coverage'>;

/** By which ways in the numbers came, and since when where one joined later: what nobody told of is in none of them. */
export function Coverage({ series }: { series: Series }) {
  const { measured } = series;
  if (measured.ways.length === 0) return null;
  return (
    <p class="coverage">
      Counted from {list.format(measured.ways.map((way) => `${names[way]}${sinceWhen(way, series)}`))}.
      {measured.ai === false && ' AI that runs no scripts is not measured.'}
      {measured.people === false && ' People are not measured.'}
    </p>
  );
}

function sinceWhen(way: WayIn, { coverage }: Series): string {
  const first = firstDay(coverage, way);
  return first > firstDay(coverage) ? ` (since ${formatDay(first)})` : '';
}

/** Whether AI was measured from the first of the days on: numbers of before and after are not to be compared. */
export function isAiMeasured({ measured, coverage }: Series): boolean {
  if (measured.ai === null) return true;
  return firstDay(coverage, 'report', 'log') <= firstDay(coverage);
}

function firstDay(coverage: Series['coverage'], ...ways: WayIn[]): string {
  const days = coverage.filter(({ way }) => ways.length === 0 || ways.includes(way)).map(({ from }) => from);
  // After all days there are.
  return days.toSorted()[0] ?? '9999-12-31';
}
