import type { Measured } from '../../shared/reports/analytics.ts';
import { CountCells } from '../components/count-cells.tsx';
import { boundsOf, isMissing } from '../formats/measured.ts';
import { formatBounds, formatCount } from '../formats/number.ts';
import { readable, shorten } from '../formats/text.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import type { Bin } from './bins.ts';
import { Legend } from './legend.tsx';
import type { ChartMark } from './marks.ts';
import { type Before, countsBefore, type EarlierBins, type PointAt } from './plot.ts';

interface ReadoutProps {
  isClient: boolean;
  bin: Bin;
  at: PointAt;
  measured: Bin['measured'];
  before: Before | undefined;
  marks: ChartMark[];
}

/** The numbers of one point, beside it where there is more room. */
export function Readout({ bin, at, before, marks, isClient, measured }: ReadoutProps) {
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

interface TableProps {
  bins: Bin[];
  earlier: EarlierBins | undefined;
  title: string;
  measured: Measured | undefined;
}

/** The numbers of the chart. */
export function ChartTable({ bins, earlier, title, measured }: TableProps) {
  return (
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
              {earlier && <BeforeCells {...countsBefore(earlier, index)} />}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function BeforeCells({ human, ai }: Before) {
  return [human, ai].map((count, index) => <td key={index}>{count === null ? '–' : formatCount(count)}</td>);
}
