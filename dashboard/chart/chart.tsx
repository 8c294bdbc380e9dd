import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CsvLink } from '../components/csv-link.tsx';
import { Mark } from '../components/icon.tsx';
import { useIsNarrow } from '../components/narrow.ts';
import { formatCount, formatPeople } from '../formats/number.ts';
import { readable, shorten } from '../formats/text.ts';
import type { Bin } from './bins.ts';
import { type ChartMark, marksOf } from './marks.ts';
import { usePlot } from './use-plot.ts';

interface ChartProps {
  bins: Bin[];
  marks: readonly ChartMark[];
  /** What is counted, such as "Visitors per day". */
  title: string;
  hasPeople: boolean;
  /** False: nothing tells of AI, and its line would be a zero that nobody measured. */
  hasAi: boolean;
  isLoading: boolean;
  /** Beside the file. */
  tools?: ComponentChildren;
  /** Address of the same numbers as a file. */
  csv: string;
  onSelectRange: (firstDay: string, lastDay: string) => void;
}

/** The chart, with the numbers of the point that the mouse or the arrow keys have come to. */
export function Chart({ bins, marks, title, hasPeople, hasAi, ...props }: ChartProps) {
  const { isLoading, tools, csv, onSelectRange } = props;
  const [point, setPoint] = useState<number | null>(null);
  const height = useIsNarrow() ? 220 : 270;
  const { container, moveTo } = usePlot({
    bins,
    marks,
    hasPeople,
    hasAi,
    height,
    onPoint: setPoint,
    onSelectRange: (first, last) => onSelectRange(first.from, last.to),
  });
  const last = bins.length - 1;
  const index = Math.min(point ?? last, last);
  const shown = bins[index];
  return (
    <figure class="chart">
      <figcaption class="chart-head">
        <span class="chart-title">{title}</span>
        {shown && <Readout bin={shown} marks={marksOf(marks, shown)} {...{ hasPeople, hasAi }} />}
        <div class="chart-tools">
          {tools}
          <CsvLink href={csv} title={title} />
        </div>
      </figcaption>
      <Slider
        label={`${title}, point in time`}
        text={shown ? describe(shown, marksOf(marks, shown)) : isLoading ? 'Loading' : 'No data'}
        {...{ index, last, moveTo }}
      >
        <div ref={container} class="chart-canvas" style={{ minHeight: `${height}px` }} aria-hidden="true" />
      </Slider>
      <ChartTable bins={bins} title={title} />
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

function describe({ name, human, ai, total }: Bin, marks: ChartMark[]): string {
  const counts = `${name}: ${formatPeople(human)}, ${formatCount(ai)} AI, ${formatCount(total)} in total`;
  return [counts, ...marks.map(({ text }) => readable(text))].join('. ');
}

/** The legend, with the numbers of one point. */
interface ReadoutProps extends Pick<ChartProps, 'hasPeople' | 'hasAi'> {
  bin: Bin;
  marks: ChartMark[];
}

function Readout({ bin, marks, hasPeople, hasAi }: ReadoutProps) {
  return (
    <span class="readout" aria-hidden="true">
      <span class="readout-name">{bin.name}</span>
      {hasPeople && (
        <span>
          <Mark kind="human" /> People <b>{formatCount(bin.human)}</b>
        </span>
      )}
      <span>
        <Mark kind="ai" /> AI {hasAi ? <b>{formatCount(bin.ai)}</b> : 'not measured'}
      </span>
      {marks.map(({ text }, index) => (
        <span key={index} class="readout-mark">
          ▼ <bdi>{shorten(readable(text), 60)}</bdi>
        </span>
      ))}
    </span>
  );
}

/** The same numbers as a table. */
function ChartTable({ bins, title }: Pick<ChartProps, 'bins' | 'title'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="alternative" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than its frame is scrolled by the keyboard too
        <section class="scroll" tabIndex={0} aria-label={title}>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Date</th>
                <th scope="col">People</th>
                <th scope="col">AI</th>
                <th scope="col">Total</th>
              </tr>
            </thead>
            <tbody>
              {bins.toReversed().map((bin) => (
                <tr key={bin.name}>
                  <th scope="row">{bin.name}</th>
                  <td>{formatCount(bin.human)}</td>
                  <td>{formatCount(bin.ai)}</td>
                  <td>{formatCount(bin.total)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
