import type uPlot from 'uplot';
import type { Bin } from './bins.ts';

/** Something that happened on a day, such as a merged pull request. */
export interface ChartMark {
  date: string;
  text: string;
}

/** Those of a point of the chart, which may be a week or a month. */
export function marksOf(marks: readonly ChartMark[], { from, to }: Bin): ChartMark[] {
  return marks.filter(({ date }) => date >= from && date <= to);
}

/** A dotted line with a flag on top at each point that has marks. */
export function drawMarks(
  plot: uPlot,
  { bins, marks, color }: { bins: readonly Bin[]; marks: readonly ChartMark[]; color: string },
): void {
  const { ctx: brush, bbox } = plot;
  const flag = 5 * devicePixelRatio;
  brush.save();
  brush.strokeStyle = color;
  brush.fillStyle = color;
  brush.lineWidth = devicePixelRatio;
  brush.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const [index, bin] of bins.entries()) {
    if (marksOf(marks, bin).length === 0) continue;
    const x = Math.round(plot.valToPos(index, 'x', true));
    brush.beginPath();
    brush.moveTo(x, bbox.top);
    brush.lineTo(x, bbox.top + bbox.height);
    brush.stroke();
    brush.beginPath();
    brush.moveTo(x - flag, bbox.top - flag);
    brush.lineTo(x + flag, bbox.top - flag);
    brush.lineTo(x, bbox.top + flag);
    brush.fill();
  }
  brush.restore();
}
