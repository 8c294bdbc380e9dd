interface SparklineProps {
  /** Of each day; null, a gap as in the chart: nobody measured. Empty: on no day. */
  human: readonly (number | null)[];
  ai: readonly (number | null)[];
}

/** Of a field that the style stretches. */
const [width, height] = [100, 24];

type Point = readonly [x: number, y: number];

/** The course of some days, without numbers, which stand beside it: people as in the chart a filled area, AI a dashed line. */
export function Sparkline({ human, ai }: SparklineProps) {
  const top = Math.max(1, ...[...human, ...ai].map(Number));
  const people = runsOf(human, top);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="spark-area" d={people.map(areaOf).join('')} />
      <path class="spark-human" d={people.map(lineOf).join('')} />
      <path class="spark-ai" d={runsOf(ai, top).map(lineOf).join('')} />
    </svg>
  );
}

/** The points between gaps. */
function runsOf(counts: readonly (number | null)[], top: number): Point[][] {
  const step = width / Math.max(1, counts.length - 1);
  const runs: Point[][] = [[]];
  for (const [day, count] of counts.entries()) {
    if (count === null) runs.push([]);
    else runs.at(-1)?.push([round(day * step), round(height - 1 - ((height - 2) * count) / top)]);
  }
  return runs.filter(({ length }) => length > 0).map(widen);
}

/** To a point between two gaps no line leads: it is a short one itself. */
function widen(run: Point[]): Point[] {
  const [[x, y] = [0, 0], ...more] = run;
  if (more.length > 0) return run;
  const from = Math.min(Math.max(0, x - 1), width - 2);
  return [from, from + 2].map((end) => [end, y]);
}

const lineOf = (run: readonly Point[]): string => `M${run.join('L')}`;

const areaOf = (run: readonly Point[]): string => `M${run[0]?.[0]},${height}L${run.join('L')}V${height}Z`;

const round = (place: number): number => Math.round(place * 10) / 10;
