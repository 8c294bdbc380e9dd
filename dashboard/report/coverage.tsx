import type { SeriesReply } from '../../shared/reports/analytics.ts';
import type { HitWay } from '../../shared/reports/tallies.ts';
import { formatDay, formatSpan } from '../formats/day.ts';
import { fill, list } from '../texts/part.ts';
import { t } from '../texts/report.ts';

const afterAll = '9999-12-31';

type Series = Pick<SeriesReply, 'measured' | 'coverage'>;

/** By which ways in the numbers came, and since when where one joined later: what nobody told of is in none of them. */
export function Coverage({ series }: { series: Series }) {
  const { measured } = series;
  if (measured.ways.length === 0) return null;
  const counted = measured.ways.filter((way) => way !== 'history');
  return (
    <p class="coverage">
      {counted.length > 0 &&
        `${fill(t.countedFrom, { ways: list(counted.map((way) => t.ways[way] + sinceWhen(way, series))) })} `}
      {importedFrom(series).map((sentence) => `${sentence} `)}
      {measured.ai === false && `${t.aiThatRunsNoScripts} `}
      {measured.people === false && t.peopleAreNotMeasured}
    </p>
  );
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

function sinceWhen(way: HitWay, { coverage }: Series): string {
  const { first } = spanOf(coverage.filter((run) => run.way === way));
  return first > spanOf(coverage).first ? ` ${fill(t.sinceDay, { day: formatDay(first) })}` : '';
}

/** Whom the days before `end` can be compared of. */
export function comparable(series: Series, end?: string): Record<'human' | 'ai', boolean> {
  return { human: series.measured.people !== false, ai: isAiMeasured(series, end) };
}

/** Whether AI was measured from the first of the days to the last. */
function isAiMeasured({ measured, coverage }: Series, end = afterAll): boolean {
  if (measured.ai === null) return true;
  const all = spanOf(coverage, end);
  const ofAi = spanOf(
    coverage.filter(({ way }) => way === 'report' || way === 'log'),
    end,
  );
  return ofAi.first <= all.first && ofAi.last >= all.last;
}

/** The first and the last day with a hit; where there is none, a first one after all others and a last one before. */
function spanOf(coverage: Series['coverage'], end = afterAll): { first: string; last: string } {
  const runs = coverage.filter(({ from }) => from < end);
  return {
    first: runs.map(({ from }) => from).toSorted()[0] ?? afterAll,
    last:
      runs
        .map(({ to }) => (to < end ? to : end))
        .toSorted()
        .at(-1) ?? '',
  };
}
