interface SparklineProps {
  /** Of each day. */
  human: readonly number[];
  ai: readonly number[];
  /** False: nothing tells of AI, and its line would be a zero that nobody measured. */
  hasAi: boolean;
}

/** Of a field that the style stretches. */
const [width, height] = [100, 24];

/** The course of some days, without numbers, which stand beside it: people as in the chart a filled area, AI a dashed line. */
export function Sparkline({ human, ai, hasAi }: SparklineProps) {
  const top = Math.max(1, ...human, ...ai);
  const people = pointsOf(human, top);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon class="spark-area" points={`0,${height} ${people.join(' ')} ${width},${height}`} />
      <polyline class="spark-human" points={people.join(' ')} />
      {hasAi && <polyline class="spark-ai" points={pointsOf(ai, top).join(' ')} />}
    </svg>
  );
}

function pointsOf(counts: readonly number[], top: number): string[] {
  const step = width / Math.max(1, counts.length - 1);
  return counts.map(
    (count, day) => `${round(day * step)},${round(height - 1 - ((height - 2) * count) / top)}`,
  );
}

const round = (place: number): number => Math.round(place * 10) / 10;
