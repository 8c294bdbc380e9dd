import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Count, Measured } from '../../shared/reports/analytics.ts';
import { CountCells } from '../components/count-cells.tsx';
import { CsvLink } from '../components/csv-link.tsx';
import { Mark } from '../components/icon.tsx';
import { useIsNarrow } from '../components/narrow.ts';
import { boundsOf, isMissing, isUnmeasured } from '../formats/measured.ts';
import { formatBounds, formatCount, formatPeople } from '../formats/number.ts';
import { readable, shorten } from '../formats/text.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import type { Bin } from './bins.ts';
import { type ChartMark, marksOf } from './marks.ts';
import { drawPlot, type EarlierBins, type PlotOptions, type PointAt } from './plot.ts';

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
  const height = useIsNarrow() ? 220 : 270;
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
  const before = earlier && pointOf(earlier, index);
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
      <ChartTable {...{ bins, earlier, title, measured }} />
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

/** Of an earlier time, what there is of a point; whom it has none of is null. */
type Before = Record<'human' | 'ai', number | null>;

function pointOf({ bins, has }: EarlierBins, index: number): Before {
  const bin = bins[index];
  const countOf = (of: 'human' | 'ai') =>
    bin && has[of] && !bin.bounds && !isMissing(of, bin[of], bin.measured) ? bin[of] : null;
  return { human: countOf('human'), ai: countOf('ai') };
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

function Legend({ of }: { of: 'human' | 'ai' }) {
  return (
    <span>
      <Mark kind={of} /> {of === 'human' ? t.people : t.ai}
    </span>
  );
}

interface ReadoutProps extends Pick<ChartProps, 'isClient'> {
  bin: Bin;
  at: PointAt;
  measured: Bin['measured'];
  before: Before | undefined;
  marks: ChartMark[];
}

/** The numbers of one point, beside it where there is more room. */
function Readout({ bin, at, before, marks, isClient, measured }: ReadoutProps) {
  const side = at.left < at.right ? 'left' : 'right';
  const countOf = (of: 'human' | 'ai') =>
    isMissing(of, bin[of], measured) ? t.notMeasured : <b>{formatBounds(boundsOf(bin, of))}</b>;
  return (
    <span class="readout" style={{ [side]: `${at[side] + 22}px` }} aria-hidden="true">
      <span class="readout-name">
        {bin.name} {bin.isPartial && t.soFar}
      </span>
      {!isClient && (
        <span>
          <Legend of="human" /> {countOf('human')}
          <BeforeCount count={before?.human} />
        </span>
      )}
      <span>
        <Legend of="ai" /> {countOf('ai')}
        <BeforeCount count={before?.ai} />
      </span>
      {marks.map(({ text }, index) => (
        <span key={index} class="readout-mark">
          ▼ <bdi>{shorten(readable(text), 60)}</bdi>
        </span>
      ))}
    </span>
  );
}

function BeforeCount({ count }: { count: number | null | undefined }) {
  return typeof count === 'number' ? <> {fill(t.earlierCount, { count: formatCount(count) })}</> : null;
}

type TableProps = Pick<ChartProps, 'bins' | 'earlier' | 'title' | 'measured'>;

/** The same numbers as a table. */
function ChartTable({ bins, earlier, title, measured }: TableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="alternative" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t.showAsATable}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than its frame is scrolled by the keyboard too
        <section class="scroll" tabIndex={0} aria-label={title}>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">{t.date}</th>
                <th scope="col">{t.people}</th>
                <th scope="col">{t.ai}</th>
                <th scope="col">{t.total}</th>
                {earlier && <th scope="col">{t.peopleBefore}</th>}
                {earlier && <th scope="col">{t.aiBefore}</th>}
              </tr>
            </thead>
            <tbody>
              {[...bins.entries()].reverse().map(([index, bin]) => (
                <tr key={bin.name}>
                  <th scope="row">{bin.name}</th>
                  <CountCells count={bin} measured={bin.measured ?? measured} />
                  {earlier && <BeforeCells {...pointOf(earlier, index)} />}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

function BeforeCells({ human, ai }: Before) {
  return [human, ai].map((count, index) => <td key={index}>{count === null ? '–' : formatCount(count)}</td>);
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
