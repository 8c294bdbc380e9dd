import type { Count, DayCount, Measure } from '../../shared/analytics.ts';
import { Mark } from '../components/icon.tsx';
import { describeChange, formatCount, formatShare } from '../formats/number.ts';
import { Link } from '../router/router.tsx';
import type { Compared } from './hours.ts';

interface FiguresProps {
  now: DayCount | undefined;
  /** With an earlier period; undefined: there is none. */
  compared: Compared | undefined;
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
export function Figures({ now, compared, measure, isClient, install }: FiguresProps) {
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
            compared={compared}
            measure={name}
          />
        ))}
      </>
    );
  }
  const counts = { now: now?.[measure], compared, measure };
  return (
    <>
      <Figure kind="human" label={titles[measure].human} field="human" hasShare {...counts} />
      <Figure kind="ai" label={titles[measure].ai} field="ai" hasShare install={install} {...counts} />
      <Figure label={titles[measure].total} field="total" {...counts} />
    </>
  );
}

interface FigureProps {
  kind?: 'human' | 'ai';
  label: string;
  now: Count | undefined;
  compared: Compared | undefined;
  measure: Measure;
  field: keyof Count;
  hasShare?: boolean;
  install?: string | null | undefined;
}

function Figure(props: FigureProps) {
  const { kind, label, now, compared, measure, field, hasShare = false, install } = props;
  // Before the first hit there is nothing to compare with.
  const before = compared?.before[measure];
  const isMeasured = field === 'human' || compared?.hasAi;
  const isComparable = compared !== undefined && before !== undefined && before.total > 0 && isMeasured;
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
        {now && isComparable && (
          <ChangeNote
            now={compared.now[measure][field]}
            before={before[field]}
            period={compared.period}
            without={compared.without}
          />
        )}
        {now && hasShare && kind && now.total > 0 && (
          <span>
            {formatShare(now[kind], now.human + now.ai)} of all {measure}
          </span>
        )}
        {now && !isComparable && !hasShare && <span>No earlier data</span>}
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

interface ChangeNoteProps extends Pick<Compared, 'period' | 'without'> {
  now: number;
  before: number;
}

function ChangeNote({ now, before, period, without }: ChangeNoteProps) {
  const { direction, text, sentence: change } = describeChange(now, before, period);
  const sentence = without === undefined ? change : `${change} ${without}`;
  return (
    <span class={`change change-${direction}`} title={sentence}>
      <span aria-hidden="true">{text}</span>
      <span class="unseen">{sentence}</span>
    </span>
  );
}
