import type { Count } from '../../shared/analytics.ts';
import type { Measure } from '../chart/bins.ts';
import { Mark } from '../parts/icon.tsx';
import { describeChange, formatCount, formatShare } from '../words/number.ts';

interface FiguresProps {
  now: Count | undefined;
  /** Of the period before; undefined: there is none to compare with. */
  before: Count | undefined;
  period: string;
  measure: Measure;
}

/** The large numbers. */
export function Figures({ now, before, period, measure }: FiguresProps) {
  const noun = measure === 'visitors' ? 'visitors' : 'views';
  return (
    <>
      <Figure kind="human" label={`Human ${noun}`} now={now} before={before} field="human" period={period} />
      <Figure kind="ai" label={`AI ${noun}`} now={now} before={before} field="ai" period={period} />
      <Figure label={`All ${noun}`} now={now} before={before} field="total" period={period} />
    </>
  );
}

interface FigureProps extends Omit<FiguresProps, 'measure'> {
  kind?: 'human' | 'ai';
  label: string;
  field: keyof Count;
}

function Figure({ kind, label, now, before, field, period }: FigureProps) {
  return (
    <section class={`figure ${kind ? `figure-${kind}` : ''}`} aria-label={label}>
      <h2>
        {kind && <Mark kind={kind} />}
        {label}
      </h2>
      <p class="figure-number" data-figure={field}>
        {now ? formatCount(now[field]) : <span class="placeholder" />}
      </p>
      <p class="figure-note">
        {now && before && <ChangeNote now={now[field]} before={before[field]} period={period} />}
        {now && kind && <span>{formatShare(now[kind], now.human + now.ai)} of readers</span>}
        {now && !before && !kind && <span>no earlier days to compare with</span>}
      </p>
    </section>
  );
}

function ChangeNote({ now, before, period }: { now: number; before: number; period: string }) {
  const { direction, text, words } = describeChange(now, before, period);
  return (
    <span class={`change change-${direction}`} title={words}>
      <span aria-hidden="true">{text}</span>
      <span class="unseen">{words}</span>
    </span>
  );
}
