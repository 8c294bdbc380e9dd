import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Count, Measured } from '../../shared/reports/analytics.ts';
import { CsvLink, HelpLink } from '../components/csv-link.tsx';
import { lazy } from '../components/lazy.tsx';
import { useIsNarrow } from '../components/narrow.ts';
import { boundsOf, isMissing, isUnmeasured } from '../formats/measured.ts';
import { formatBounds, formatCount, formatPeople } from '../formats/number.ts';
import { readable } from '../formats/text.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import type { Bin } from './bins.ts';
import { Legend } from './legend.tsx';
import { type ChartMark, marksOf } from './marks.ts';
import {
  type Before,
  countsBefore,
  drawPlot,
  type EarlierBins,
  type PlotOptions,
  type PointAt,
} from './plot.ts';

const ChartTable = lazy(async () => (await import('./details.tsx')).ChartTable, null);
const Readout = lazy(async () => (await import('./details.tsx')).Readout, null);

interface ChartProps {
  bins: Bin[];
  /** Those of an earlier time, laid beside them one by one, and of whom there are some. */
  earlier?: EarlierBins | undefined;
  marks: readonly ChartMark[];
  /** What is counted, such as "Visitors per day". */
  title: string;
  /** Whether they are of one AI client, and so of no people. */
  isClient?: boolean;
  /** What could be counted: the line of others would be a zero that nobody measured. Undefined: not known yet. */
  measured: Measured | undefined;
  isLoading: boolean;
  /** Beside the file. */
  tools?: ComponentChildren;
  /** Address of the same numbers as a file. */
  csv: string;
  onSelectRange: (firstDay: string, lastDay: string) => void;
}

/** The chart, with the numbers of the point that the mouse or the arrow keys have come to. */
export function Chart({ bins, earlier, marks, title, isClient = false, measured, ...props }: ChartProps) {
  const { isLoading, tools, csv, onSelectRange } = props;
  const has = (of: 'human' | 'ai') => !isUnmeasured(of, measured) || bins.some((bin) => (bin[of] ?? 0) > 0);
  const [point, setPoint] = useState<PointAt | null>(null);
  const [isTable, setTable] = useState(false);
  const height = useIsNarrow() ? 220 : 250;
  const { container, moveTo } = usePlot({
    bins,
    earlier,
    marks,
    hasPeople: !isClient && has('human'),
    hasAi: has('ai'),
    height,
    onPoint: setPoint,
    onSelectRange: (first, last) => onSelectRange(first.from, last.to),
  });
  const last = bins.length - 1;
  const index = Math.min(point?.index ?? last, last);
  const shown = bins[index];
  const measuredThen = shown?.measured ?? measured;
  const before = earlier && countsBefore(earlier, index);
  return (
    <figure class="chart">
      <figcaption class="chart-head">
        <span class="chart-title">{title}</span>
        <span class="legend" aria-hidden="true">
          {!isClient && <Legend of="human" />} <Legend of="ai" />
        </span>
        <div class="chart-tools">
          {tools}
          <CsvLink href={csv} title={title} />
          <HelpLink report="series" title={title} />
        </div>
      </figcaption>
      <Slider
        label={fill(t.pointInTime, { title })}
        text={
          shown
            ? describe(shown, before, measuredThen, marksOf(marks, shown))
            : isLoading
              ? t.loading
              : t.noData
        }
        {...{ index, last, moveTo }}
      >
        <div ref={container} class="chart-canvas" style={{ minHeight: `${height}px` }} aria-hidden="true" />
        {shown && point && (
          <Readout
            bin={shown}
            at={point}
            marks={marksOf(marks, shown)}
            {...{ before, isClient, measured: measuredThen }}
          />
        )}
      </Slider>
      <details class="alternative" onToggle={(event) => setTable(event.currentTarget.open)}>
        <summary>{t.showAsATable}</summary>
        {isTable && <ChartTable {...{ bins, earlier, title, measured }} />}
      </details>
    </figure>
  );
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -7, PageUp: 7 };

/** The point that a key leads to; undefined: the key is not of the chart. */
function pointAfter(key: string, index: number, last: number): number | undefined {
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  const step = steps[key];
  return step && Math.max(0, Math.min(last, index + step));
}

interface SliderProps {
  label: string;
  index: number;
  last: number;
  text: string;
  moveTo: (index: number) => void;
  children: ComponentChildren;
}

/** Makes the points of the chart reachable by keyboard, and audible. */
function Slider({ label, index, last, text, moveTo, children }: SliderProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const point = pointAfter(event.key, index, last);
    if (point === undefined) return;
    event.preventDefault();
    moveTo(point);
  };
  return (
    <div
      class="chart-field"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(last, 0)}
      aria-valuenow={Math.max(index, 0)}
      aria-valuetext={text}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}

function describe(
  bin: Bin,
  before: Before | undefined,
  measured: Bin['measured'],
  marks: ChartMark[],
): string {
  const { name, human, ai, total, isPartial } = bin;
  const textOf = (of: keyof Count) => formatBounds(boundsOf(bin, of));
  const people = bin.bounds ? `${t.people} ${textOf('human')}` : formatPeople(bin.human);
  const counts = fill(t.point, {
    name: isPartial ? `${name} ${t.soFar}` : name,
    human: isMissing('human', human, measured) ? t.peopleNotMeasured : people,
    ai: isMissing('ai', ai, measured) ? t.aiNotMeasured : fill(t.aiCount, { ai: textOf('ai') }),
    total: isMissing('total', total, measured) ? t.notMeasured : textOf('total'),
  });
  const earlier = [
    ...(typeof before?.human === 'number' ? [formatPeople(before.human)] : []),
    ...(typeof before?.ai === 'number' ? [fill(t.aiCount, { ai: formatCount(before.ai) })] : []),
  ];
  const compared = earlier.length > 0 ? [fill(t.beforeThat, { counts: earlier.join(t.comma) })] : [];
  return [counts, ...compared, ...marks.map(({ text }) => readable(text))].join('. ');
}

interface Plot {
  /** The element to draw in. */
  container: { current: HTMLDivElement | null };
  /** Moves the cursor to a point. */
  moveTo: (index: number) => void;
}

/** Keeps a drawing in the container: of these options, in the colours of the theme, and as wide as there is room. */
export function usePlot(options: PlotOptions): Plot {
  const { bins, earlier, marks, hasPeople, hasAi, height } = options;
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(options);
  latest.current = options;
  const themeChanges = useThemeChanges();
  useEffect(() => {
    const element = container.current;
    if (!element || bins.length === 0) return;
    latest.current.onPoint(null);
    const drawn = drawPlot(element, {
      ...latest.current,
      onSelectRange: (first, last) => latest.current.onSelectRange(first, last),
    });
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [bins, earlier, marks, hasPeople, hasAi, height, themeChanges]);
  const moveTo = (index: number) =>
    plot.current?.setCursor({ left: plot.current.valToPos(index, 'x'), top: 0 });
  return { container, moveTo };
}

/** Counts up whenever the colours change. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const count = () => setChanges((before) => before + 1);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', count);
    addEventListener('themechange', count);
    return () => {
      scheme.removeEventListener('change', count);
      removeEventListener('themechange', count);
    };
  }, []);
  return changes;
}
