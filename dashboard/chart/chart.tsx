import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { Icon, Mark } from '../components/icon.tsx';
import { formatCount } from '../formats/number.ts';
import type { Bin } from './bins.ts';
import { drawPlot } from './plot.ts';

interface ChartProps {
  bins: Bin[];
  /** What is counted, for instance "Visitors a day". */
  title: string;
  hasPeople: boolean;
  /** Address of the same as a file. */
  csv: string;
  onSelectRange: (from: string, to: string) => void;
}

const height = 270;
const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -7, PageUp: 7 };

/** The chart, with the point under the mouse, or the one that the arrow keys have come to, in words. */
export function Chart({ bins, title, hasPeople, csv, onSelectRange }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [point, setPoint] = useState<number | null>(null);
  usePlot(holder, plot, { bins, hasPeople, onPoint: setPoint, onSelectRange });
  const last = bins.length - 1;
  const index = Math.min(point ?? last, last);
  const shown = bins[index];
  const move = (event: KeyboardEvent) => {
    const ends: Record<string, number> = { Home: 0, End: last };
    const to = ends[event.key] ?? index + (steps[event.key] ?? 0);
    if (!(event.key in steps) && !(event.key in ends)) return;
    event.preventDefault();
    placeCursor(plot.current, Math.max(0, Math.min(last, to)));
  };
  return (
    <figure class="chart">
      <figcaption class="chart-head">
        <span class="chart-title">{title}</span>
        {shown && <Readout bin={shown} hasPeople={hasPeople} />}
        <a
          class="button quiet icon-button"
          href={csv}
          download
          aria-label={`${title} as a CSV file`}
          title="CSV file"
        >
          <Icon name="file" />
        </a>
      </figcaption>
      <div
        class="chart-field"
        role="slider"
        tabIndex={0}
        aria-label={`${title}, point in time`}
        aria-valuemin={0}
        aria-valuemax={Math.max(last, 0)}
        aria-valuenow={Math.max(index, 0)}
        aria-valuetext={shown ? describe(shown) : 'Nothing to show'}
        onKeyDown={move}
      >
        <div ref={holder} class="chart-canvas" style={{ minHeight: `${height}px` }} aria-hidden="true" />
      </div>
      <Alternative bins={bins} title={title} />
    </figure>
  );
}

const describe = ({ name, human, ai, total }: Bin) =>
  `${name}: ${formatCount(human)} people, ${formatCount(ai)} AI, ${formatCount(total)} in all`;

/** The legend, with the numbers of one point. */
function Readout({ bin, hasPeople }: { bin: Bin; hasPeople: boolean }) {
  return (
    <span class="readout" aria-hidden="true">
      <span class="readout-name">{bin.name}</span>
      {hasPeople && (
        <span>
          <Mark kind="human" /> People <b>{formatCount(bin.human)}</b>
        </span>
      )}
      <span>
        <Mark kind="ai" /> AI <b>{formatCount(bin.ai)}</b>
      </span>
    </span>
  );
}

function usePlot(
  holder: { current: HTMLDivElement | null },
  plot: { current: uPlot | null },
  {
    bins,
    hasPeople,
    onPoint,
    onSelectRange,
  }: Pick<ChartProps, 'bins' | 'hasPeople' | 'onSelectRange'> & { onPoint: (index: number | null) => void },
): void {
  const [round, setRound] = useState(0);
  const latest = useRef(onSelectRange);
  latest.current = onSelectRange;
  useEffect(() => {
    const redraw = () => setRound((before) => before + 1);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    addEventListener('themechange', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      removeEventListener('themechange', redraw);
    };
  }, []);
  // Another round is another drawing: the colours have changed.
  useEffect(() => {
    const element = holder.current;
    if (!element || bins.length === 0) return;
    onPoint(null);
    const drawn = drawPlot(element, {
      bins,
      hasPeople,
      height,
      onPoint,
      onSelectRange: (from, to) => latest.current(from.from, to.to),
    });
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [bins, hasPeople, round]);
}

function placeCursor(plot: uPlot | null, index: number): void {
  plot?.setCursor({ left: plot.valToPos(index, 'x'), top: 0 });
}

/** The same as a table. */
function Alternative({ bins, title }: Pick<ChartProps, 'bins' | 'title'>) {
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
                <th scope="col">Time</th>
                <th scope="col">People</th>
                <th scope="col">AI</th>
                <th scope="col">All</th>
              </tr>
            </thead>
            <tbody>
              {bins.toReversed().map((bin) => (
                <tr key={bin.from}>
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
