import { useRef } from 'preact/hooks';
import type { CombinedSeriesReply, UnmeasuredDays } from '../../shared/reports/analytics.ts';
import type { HitDataSource } from '../../shared/reports/counters.ts';
import { addDays, formatDay, formatSpan } from '../formats/day.ts';
import type { Range } from '../formats/range.ts';
import { fill, list, plural } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { type Compared, sumOf } from './hours.ts';

type Series = Pick<CombinedSeriesReply, 'measured' | 'coverage' | 'unmeasured'>;

/** By which ways in the numbers came, and since when where one joined later: what nobody reported is in none of them. */
export function Coverage({ series }: { series: Series | undefined }) {
  const last = useRef(series);
  last.current = series ?? last.current;
  // While other days are read nothing moves.
  return (
    <p class={series ? 'coverage' : 'coverage coverage-unread'}>{last.current && describe(last.current)}</p>
  );
}

function describe(series: Series): string {
  const { measured } = series;
  if (measured.ways.length === 0) return '';
  const counted = measured.ways.filter((way) => way !== 'history');
  const ways = list(counted.map((way) => t.ways[way] + sinceWhen(way, series)));
  return [
    ...(counted.length > 0 ? [fill(t.countedFrom, { ways })] : []),
    ...importedFrom(series),
    ...(measured.ai === false ? [t.aiThatRunsNoScripts] : []),
    ...(measured.people === false ? [t.peopleAreNotMeasured] : []),
    ...(series.unmeasured ? [describeUnmeasured(series.unmeasured)] : []),
  ].join(' ');
}

export function describeUnmeasured({ days, first, last, message, isOfSection }: UnmeasuredDays): string {
  const span = formatSpan(first, last);
  if (isOfSection) return fill(t.sectionUnknown, { span });
  return plural(message ? t.filtersNotKnownOnDays : t.notMeasuredOnDays, days, { span });
}

/** A sentence for each other tool that counted some of the days. */
function importedFrom({ coverage }: Series): string[] {
  const tools = Map.groupBy(
    coverage.filter(({ way }) => way === 'history'),
    ({ tool = t.anotherTool }) => tool,
  );
  return Array.from(tools, ([tool, runs]) => {
    const { first, last } = spanOf(runs);
    return fill(t.importedFrom, { tool, days: formatSpan(first, last) });
  });
}

function sinceWhen(way: HitDataSource, { coverage }: Series): string {
  const { first } = spanOf(coverage.filter((run) => run.way === way));
  return first > spanOf(coverage).first ? ` ${fill(t.sinceDay, { day: formatDay(first) })}` : '';
}

/** Whom these days can be compared of. */
export function comparable(series: Series): Record<'human' | 'ai', boolean> {
  const isKnown = !series.unmeasured;
  return { human: isKnown && series.measured.people !== false, ai: isKnown && isAiMeasured(series) };
}

/** Sums of days, and of others that they are compared with. */
export function compareDays(
  before: CombinedSeriesReply,
  now: CombinedSeriesReply,
  said: Pick<Compared, 'period' | 'without'>,
): Compared {
  const [had, has] = [comparable(before), comparable(now)];
  return {
    now: now.totals,
    before: before.totals,
    has: { human: had.human && has.human, ai: had.ai && has.ai },
    ...said,
  };
}

/** Whether AI was measured from the first of the days to the last. */
function isAiMeasured({ measured, coverage }: Series): boolean {
  if (measured.ai === null) return true;
  const all = spanOf(coverage);
  const ofAi = spanOf(coverage.filter(({ way }) => way === 'report' || way === 'log'));
  return ofAi.first <= all.first && ofAi.last >= all.last;
}

/** The first and the last day with a hit; where there is none, a first one after all others and a last one before. */
function spanOf(coverage: Series['coverage']): { first: string; last: string } {
  return {
    first: coverage.map(({ from }) => from).toSorted()[0] ?? '9999-12-31',
    last:
      coverage
        .map(({ to }) => to)
        .toSorted()
        .at(-1) ?? '',
  };
}

const onAny = (days: readonly (boolean | null)[]) =>
  days.includes(true) || (days.includes(false) ? false : null);

/** Some days of a series, as the server answers for these alone. */
export function daysOf(
  series: CombinedSeriesReply,
  { from, to }: Pick<Range, 'from' | 'to'>,
): CombinedSeriesReply {
  const first = from ?? '';
  const last = addDays(to, -1);
  const days = series.days.filter(({ date }) => date >= first && date <= last);
  // Nothing is known of these with filters together, whatever was measured; of a section no visitors.
  const isUnknown = ({ measured }: (typeof days)[number]) =>
    Boolean(series.unmeasured) && measured.people === false && measured.ai === false;
  const lacksVisitors = ({ visitors, views }: (typeof days)[number]) => visitors.bounds && !views.bounds;
  const unknown = days.filter(series.unmeasured?.isOfSection ? lacksVisitors : isUnknown);
  const known = days.filter((day) => !isUnknown(day));
  const coverage = series.coverage
    .filter((run) => run.from <= last && run.to >= first)
    .map((run) => ({
      ...run,
      from: run.from < first ? first : run.from,
      to: run.to > last ? last : run.to,
    }));
  return {
    totals: sumOf(days),
    days,
    measured: {
      people: onAny(known.map(({ measured }) => measured.people)),
      ai: onAny(known.map(({ measured }) => measured.ai)),
      ways: series.measured.ways.filter((way) => coverage.some((run) => run.way === way)),
    },
    coverage,
    unmeasured: series.unmeasured &&
      unknown[0] && {
        ...series.unmeasured,
        days: unknown.length,
        first: unknown[0].date,
        last: unknown.at(-1)?.date ?? '',
      },
  };
}
