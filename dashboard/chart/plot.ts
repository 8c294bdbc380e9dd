import uPlot from 'uplot';
import { formatDay } from '../formats/day.ts';
import { boundsOf, isMissing } from '../formats/measured.ts';
import { formatShort } from '../formats/number.ts';
import type { Bin } from './bins.ts';
import { type ChartMark, drawMarks } from './marks.ts';

interface Colors {
  human: string;
  ai: string;
  text: string;
  grid: string;
}

/** Points of an earlier time, beside which others are laid one by one. */
export interface EarlierBins {
  bins: Bin[];
  /** Of whom there are some. */
  has: Record<'human' | 'ai', boolean>;
}

/** Of an earlier time, what there is of a point; whom it has none of is null. */
export type Before = Record<'human' | 'ai', number | null>;

export function countsBefore({ bins, has }: EarlierBins, index: number): Before {
  const bin = bins[index];
  const countOf = (of: 'human' | 'ai') =>
    bin && has[of] && !bin.bounds && !isMissing(of, bin[of], bin.measured) ? bin[of] : null;
  return { human: countOf('human'), ai: countOf('ai') };
}

/** A point that the mouse or the arrow keys have come to, and how far it is from both ends of the chart. */
export interface PointAt {
  index: number;
  left: number;
  right: number;
}

export interface PlotOptions {
  bins: Bin[];
  earlier?: EarlierBins | undefined;
  marks: readonly ChartMark[];
  /** Whether there is a line of people beside that of AI. */
  hasPeople: boolean;
  hasAi: boolean;
  height: number;
  onPoint: (point: PointAt | null) => void;
  /** A stretch was drawn over with the mouse. */
  onSelectRange: (from: Bin, to: Bin) => void;
}

const font = '12px system-ui, sans-serif';
const labelWidth = 76;

/**
 * People as a solid line over a filled area, AI as a dashed line: a second area would hide the first. Those of an earlier time
 * are faint, and behind them.
 */
export function drawPlot(parent: HTMLElement, options: PlotOptions): uPlot {
  const { bins, earlier, height } = options;
  const before = bins.map((_, index) => earlier?.bins[index]);
  const { whole, partial } = partsOf(bins);
  const data: uPlot.AlignedData = [
    bins.map((_, index) => index),
    before.map((bin) => bin && heightOf(bin, 'human')),
    before.map((bin) => bin && heightOf(bin, 'ai')),
    ...[whole, partial].flatMap((part) => [
      part.map((bin) => bin && heightOf(bin, 'human')),
      part.map((bin) => bin && heightOf(bin, 'ai')),
    ]),
    whole.map((bin) => bin && mostOf(bin, 'human')),
    whole.map((bin) => bin && mostOf(bin, 'ai')),
  ];
  const colors = readColors(parent);
  return new uPlot(
    {
      width: Math.max(parent.clientWidth, 100),
      height,
      legend: { show: false },
      padding: [12, roomForLast(bins), 0, 0],
      cursor: cursorOf(colors),
      scales: scalesOf(bins),
      axes: axesOf(bins, colors),
      series: seriesOf(options, colors),
      // From what is certain to what is possible.
      bands: [
        { series: [7, 3], fill: transparent(colors.human, 0.3) },
        { series: [8, 4], fill: transparent(colors.ai, 0.3) },
      ],
      hooks: hooksOf(options, colors),
    },
    data,
    parent,
  );
}

type Part = readonly (Bin | null)[];

/** The days that are over; and the last of them with what has come since, which is no fall. */
function partsOf(bins: readonly Bin[]): { whole: Part; partial: Part } {
  const isLast = (index: number) => index === bins.length - 1;
  if (bins.at(-1)?.isPartial !== true) return { whole: bins, partial: bins.map(() => null) };
  return {
    whole: bins.map((bin, index) => (isLast(index) ? null : bin)),
    partial: bins.map((bin, index) => (index >= bins.length - 2 ? bin : null)),
  };
}

/** Null, a gap in the line, where nobody measured: that is not zero. */
function heightOf(bin: Bin, of: 'human' | 'ai'): number | null {
  return isMissing(of, bin[of], bin.measured) ? null : bin[of];
}

/** Where it is only known within bounds, the upper one. */
function mostOf(bin: Bin, of: 'human' | 'ai'): number | null {
  return heightOf(bin, of) === null ? null : boundsOf(bin, of).to;
}

/** A single point stands in the middle, with no other day beside it. */
function scalesOf({ length }: Bin[]): uPlot.Scales {
  return {
    x: { time: false, range: () => (length === 1 ? [-1, 1] : [0, length - 1]) },
    y: { range: (_plot, _min, max) => [0, niceTop(max)] },
  };
}

function cursorOf(colors: Colors): uPlot.Cursor {
  return {
    y: false,
    // To the point whose numbers are shown.
    move: (plot, left, top) => [left < 0 ? left : plot.valToPos(plot.posToIdx(left), 'x'), top],
    drag: { x: true, y: false, setScale: false },
    points: { size: 9, width: 2, stroke: (_plot, index) => (index % 2 === 1 ? colors.human : colors.ai) },
  };
}

/** In the order of the data. */
function seriesOf({ bins, earlier, hasPeople, hasAi }: PlotOptions, { human, ai }: Colors): uPlot.Series[] {
  const points = { show: bins.length <= 45, filter: findLonely, size: 5 };
  const faint = { width: 1.5, points: { show: false } };
  // Hollow, where all days that are over are not.
  const soFar = {
    width: 1.5,
    dash: [2, 4],
    points: { show: true, size: 7, width: 1.5, filter: () => [bins.length - 1] },
  };
  const hasBounds = bins.some((bin) => bin.bounds);
  const possible = { width: 1, dash: [2, 2], points: { show: bins.length === 1 } };
  return [
    {},
    { ...faint, show: hasPeople && earlier?.has.human === true, stroke: transparent(human, 0.5) },
    { ...faint, show: earlier?.has.ai === true, stroke: transparent(ai, 0.5), dash: [3, 4] },
    {
      show: hasPeople,
      stroke: human,
      width: 2,
      fill: transparent(human, 0.16),
      points: { ...points, fill: human },
    },
    {
      show: hasAi,
      stroke: ai,
      width: 2,
      dash: [6, 4],
      points: { ...points, size: 6, width: 1.5, fill: ai },
    },
    { ...soFar, show: hasPeople, stroke: human },
    { ...soFar, show: hasAi, stroke: ai },
    { ...possible, show: hasPeople && hasBounds, stroke: transparent(human, 0.6) },
    { ...possible, show: hasAi && hasBounds, stroke: transparent(ai, 0.6) },
  ];
}

/** Points between two gaps, to which no line leads: they are drawn also where all would be too many. */
function findLonely(plot: uPlot, series: number, areAllShown: boolean): number[] | null {
  const counts = plot.data[series] ?? [];
  const isThere = (index: number) => typeof counts[index] === 'number';
  const lonely = Array.from(counts.keys()).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
  return areAllShown || lonely.length === 0 ? null : lonely;
}

function axesOf(bins: Bin[], { text, grid }: Colors): uPlot.Axis[] {
  const common = { stroke: text, font, ticks: { show: false } };
  return [
    {
      ...common,
      size: 32,
      grid: { show: false },
      space: labelWidth,
      incrs: [1, 2, 3, 5, 7, 10, 14, 20, 28, 50, 100, 200],
      values: (_plot, splits) => splits.map((index) => nameTick(bins, index)),
    },
    {
      ...common,
      size: 46,
      grid: { stroke: grid, width: 1 },
      incrs: [1, 2, 5]
        .flatMap((step) => Array.from({ length: 10 }, (_, power) => step * 10 ** power))
        .sort((a, b) => a - b),
      values: (_plot, splits) => splits.map(formatShort),
    },
  ];
}

function nameTick(bins: Bin[], index: number): string {
  const bin = bins[index];
  if (!bin) return '';
  if (bin.tick !== undefined) return bin.tick;
  return formatDay(bin.from, bins.length > 40 && isFar(bins) ? 'shortMonth' : 'shortDay');
}

/** Half of the last label stands beyond the last point, and is not to be cut off there. */
function roomForLast(bins: Bin[]): number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return labelWidth / 2;
  context.font = font;
  return Math.ceil(context.measureText(nameTick(bins, bins.length - 1)).width / 2) + 4;
}

const isFar = (bins: Bin[]) => bins[0]?.from !== bins[0]?.to;

/** Room above the highest point, and never a chart without height. */
function niceTop(max: number | null): number {
  return Math.max(4, Math.ceil((max ?? 0) * 1.08));
}

function hooksOf(
  { bins, marks, onPoint, onSelectRange }: PlotOptions,
  { text, grid }: Colors,
): uPlot.Hooks.Arrays {
  return {
    draw: [(plot) => drawMidnight(plot, bins, grid), (plot) => drawMarks(plot, { bins, marks, color: text })],
    setCursor: [(plot) => onPoint(pointOf(plot))],
    setSelect: [
      (plot) => {
        const { left, width } = plot.select;
        if (width < 8) return;
        const from = bins[plot.posToIdx(left)];
        const to = bins[plot.posToIdx(left + width)];
        plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        if (from && to) onSelectRange(from, to);
      },
    ],
  };
}

function pointOf(plot: uPlot): PointAt | null {
  const index = plot.cursor.idx ?? null;
  if (index === null) return null;
  const left = plot.over.offsetLeft + plot.valToPos(index, 'x');
  return { index, left, right: plot.width - left };
}

/** A line between two days whose hours stand beside each other. */
function drawMidnight(plot: uPlot, bins: readonly Bin[], color: string): void {
  const { ctx: brush, bbox } = plot;
  for (const [index, { tick, from }] of bins.entries()) {
    if (index === 0 || tick === undefined || from === bins[index - 1]?.from) continue;
    const x = Math.round(plot.valToPos(index, 'x', true));
    brush.save();
    brush.strokeStyle = color;
    brush.lineWidth = 2 * devicePixelRatio;
    brush.beginPath();
    brush.moveTo(x, bbox.top);
    brush.lineTo(x, bbox.top + bbox.height);
    brush.stroke();
    brush.restore();
  }
}

/** Canvas knows no custom properties: elements carry the colours as they are now. */
function readColors(parent: HTMLElement): Colors {
  const probes = ['human', 'ai', 'text', 'grid'].map((name) => {
    const probe = document.createElement('i');
    probe.className = `ink-${name}`;
    return probe;
  });
  // All at once, as each change of the page has its styles worked out anew.
  parent.append(...probes);
  const [human = '', ai = '', text = '', grid = ''] = probes.map((probe) => getComputedStyle(probe).color);
  for (const probe of probes) probe.remove();
  return { human, ai, text, grid };
}

function transparent(color: string, alpha: number): string {
  return `color-mix(in srgb, ${color} ${alpha * 100}%, transparent)`;
}
