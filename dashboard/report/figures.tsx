import type { Count, DayCount } from '../../shared/analytics.ts';
import type { Measure } from '../chart/bins.ts';
import { Mark } from '../components/icon.tsx';
import { describeChange, formatCount, formatShare } from '../formats/number.ts';

interface FiguresProps {
  now: DayCount | undefined;
  /** Of the period before; undefined: there is none to compare with. */
  before: DayCount | undefined;
  period: string;
  measure: Measure;
  /** Of one AI client: people have no part in it. */
  isClient: boolean;
}

/** The large numbers. */
export function Figures({ now, before, period, measure, isClient }: FiguresProps) {
  if (isClient) {
    return (
      <>
        <Figure
          kind="ai"
          label="Its visitors"
          now={now?.visitors}
          before={before?.visitors}
          field="ai"
          period={period}
        />
        <Figure
          kind="ai"
          label="Its views"
          now={now?.views}
          before={before?.views}
          field="ai"
          period={period}
        />
      </>
    );
  }
  const counts = { now: now?.[measure], before: before?.[measure], period };
  return (
    <>
      <Figure kind="human" label={`Human ${measure}`} field="human" hasShare {...counts} />
      <Figure kind="ai" label={`AI ${measure}`} field="ai" hasShare {...counts} />
      <Figure label={`All ${measure}`} field="total" {...counts} />
    </>
  );
}

interface FigureProps {
  kind?: 'human' | 'ai';
  label: string;
  now: Count | undefined;
  before: Count | undefined;
  period: string;
  field: keyof Count;
  hasShare?: boolean;
}

function Figure({ kind, label, now, before, period, field, hasShare = false }: FigureProps) {
  // Before the first hit there is nothing to compare with.
  const isComparable = before !== undefined && before.total > 0;
  return (
    <section class="figure" aria-label={label}>
      <h2>
        {kind && <Mark kind={kind} />}
        {label}
      </h2>
      <p class="figure-number" data-figure={field}>
        {now ? formatCount(now[field]) : <span class="placeholder" />}
      </p>
      <p class="figure-note">
        {now && isComparable && <ChangeNote now={now[field]} before={before[field]} period={period} />}
        {now && hasShare && kind && now.total > 0 && (
          <span>{formatShare(now[kind], now.human + now.ai)} of readers</span>
        )}
        {now && !isComparable && !hasShare && <span>no earlier days</span>}
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
