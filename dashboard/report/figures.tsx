import type { Count, DayCount } from '../../shared/analytics.ts';
import type { Measure } from '../chart/bins.ts';
import { Mark } from '../components/icon.tsx';
import { describeChange, formatCount, formatShare } from '../formats/number.ts';
import { Link } from '../router/router.tsx';

interface FiguresProps {
  now: DayCount | undefined;
  /** Of the earlier period; undefined: there is none to compare with. */
  before: DayCount | undefined;
  period: string;
  measure: Measure;
  /** Whether they are of one AI client, and so of no people. */
  isClient: boolean;
  /** Where one connects a server, when nothing tells of AI that runs no scripts; null: to nobody who looks on. */
  install: string | null | undefined;
}

const titles = {
  visitors: { human: 'People', ai: 'AI visitors', total: 'All visitors' },
  views: { human: 'Views by people', ai: 'Views by AI', total: 'All views' },
} as const;

/** The large numbers. */
export function Figures({ now, before, period, measure, isClient, install }: FiguresProps) {
  if (isClient) {
    return (
      <>
        {(['visitors', 'views'] as const).map((name) => (
          <Figure
            key={name}
            kind="ai"
            label={titles[name].ai}
            field="ai"
            now={now?.[name]}
            before={before?.[name]}
            period={period}
          />
        ))}
      </>
    );
  }
  const counts = { now: now?.[measure], before: before?.[measure], period };
  return (
    <>
      <Figure kind="human" label={titles[measure].human} field="human" shareOf={measure} {...counts} />
      <Figure
        kind="ai"
        label={titles[measure].ai}
        field="ai"
        shareOf={measure}
        install={install}
        {...counts}
      />
      <Figure label={titles[measure].total} field="total" {...counts} />
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
  /** Whether, and of what, the share is told. */
  shareOf?: Measure;
  install?: string | null | undefined;
}

function Figure({ kind, label, now, before, period, field, shareOf, install }: FigureProps) {
  // Before the first hit there is nothing to compare with.
  const isComparable = before !== undefined && before.total > 0;
  if (install !== undefined && now) return <NotMeasured label={label} seen={now.ai} install={install} />;
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
        {now && shareOf && kind && now.total > 0 && (
          <span>
            {formatShare(now[kind], now.human + now.ai)} of all {shareOf}
          </span>
        )}
        {now && !isComparable && !shareOf && <span>No earlier data</span>}
      </p>
    </section>
  );
}

interface NotMeasuredProps {
  label: string;
  /** AI that was seen all the same, as it runs scripts. */
  seen: number;
  install: string | null;
}

/** What was not measured is not zero. */
function NotMeasured({ label, seen, install }: NotMeasuredProps) {
  return (
    <section class="figure" aria-label={label}>
      <h2>
        <Mark kind="ai" />
        {label}
      </h2>
      <p class="figure-number" data-figure="ai">
        {seen > 0 ? formatCount(seen) : <span class="figure-words">Not measured</span>}
      </p>
      <p class="figure-note">
        <span>
          Your script sees no AI that runs none.{' '}
          {install && <Link href={install}>Connect your server or log</Link>}
        </span>
      </p>
    </section>
  );
}

function ChangeNote({ now, before, period }: { now: number; before: number; period: string }) {
  const { direction, text, sentence } = describeChange(now, before, period);
  return (
    <span class={`change change-${direction}`} title={sentence}>
      <span aria-hidden="true">{text}</span>
      <span class="unseen">{sentence}</span>
    </span>
  );
}
