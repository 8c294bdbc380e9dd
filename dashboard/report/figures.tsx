import { useContext } from 'preact/hooks';
import type { BoundedCount, Count, Measure, Measured } from '../../shared/reports/analytics.ts';
import { Bounded, Brief } from '../components/count-cells.tsx';
import { Mark } from '../components/icon.tsx';
import { boundsOf, isUnmeasured } from '../formats/measured.ts';
import { describeChange, formatCount, formatShare } from '../formats/number.ts';
import { ImportedContext } from '../router/project-pages.ts';
import { Link } from '../router/router.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import type { Compared, Sums } from './hours.ts';

interface FiguresProps {
  now: Sums | undefined;
  /** With an earlier period; undefined: there is none. */
  compared: Compared | undefined;
  measure: Measure;
  /** Whether they are of one AI client, and so of no people. */
  isClient: boolean;
  /** Whether today, which is not over, is among the days. */
  isSoFar: boolean;
  /** What could be counted; undefined: not known yet. */
  measured: Measured | undefined;
  /** Where one installs the script and connects a server; null: to nobody who looks on. */
  install: string | null;
}

/** The large numbers. */
export function Figures({ now, compared, measure, isClient, isSoFar, measured, install }: FiguresProps) {
  // Days without a hit, of a site that is known by what was imported.
  const isUnknown = useContext(ImportedContext) && measured?.ways.length === 0;
  const shared = { compared, measured, install, isSoFar, isUnknown };
  if (isClient) {
    return (
      <>
        {(['visitors', 'views'] as const).map((name) => (
          <OneKind key={name} kind="ai" now={now?.[name]} measure={name} {...shared} />
        ))}
      </>
    );
  }
  const counts = { now: now?.[measure], measure };
  const hasShare = !isUnmeasured('total', measured);
  return (
    <>
      <OneKind kind="human" hasShare={hasShare} {...counts} {...shared} />
      <OneKind kind="ai" hasShare={hasShare} {...counts} {...shared} />
      <Figure
        label={t.figures[measure].total}
        field="total"
        {...{ compared, isSoFar, isUnknown }}
        {...counts}
      />
    </>
  );
}

interface OneKindProps
  extends Pick<FiguresProps, 'compared' | 'measure' | 'measured' | 'install' | 'isSoFar'>,
    Pick<FigureProps, 'isUnknown'> {
  kind: 'human' | 'ai';
  now: BoundedCount | undefined;
  hasShare?: boolean;
}

/** Of people or of AI, unless these were not measured. */
function OneKind({ kind, measured, install, ...counts }: OneKindProps) {
  const label = t.figures[counts.measure][kind];
  return isUnmeasured(kind, measured) && counts.now ? (
    <NotMeasured kind={kind} label={label} now={counts.now} install={install} />
  ) : (
    <Figure kind={kind} label={label} field={kind} {...counts} />
  );
}

interface FigureProps {
  kind?: 'human' | 'ai';
  label: string;
  now: BoundedCount | undefined;
  compared: Compared | undefined;
  measure: Measure;
  field: keyof Count;
  isSoFar: boolean;
  /** Whether nothing came of which it could be a count. */
  isUnknown: boolean;
  hasShare?: boolean;
}

function Figure(props: FigureProps) {
  const { kind, label, now, compared, measure, field, isSoFar, isUnknown, hasShare = false } = props;
  // Before the first hit there is nothing to compare with.
  const before = compared?.before[measure];
  const then = compared?.now[measure];
  const isMeasured = (field === 'ai' || compared?.has.human) && (field === 'human' || compared?.has.ai);
  // What is only known within bounds has no change.
  const isComparable = isMeasured && then && !then.bounds && before && !before.bounds && before.total > 0;
  return (
    <section class="figure" aria-label={label}>
      <h2>
        {kind && <Mark kind={kind} />}
        {label} {isSoFar && <span class="unit">{t.soFar}</span>}
      </h2>
      <p class="figure-number" data-figure={field}>
        {now && isUnknown && <span class="figure-words">{t.notMeasuredHere}</span>}
        {now && !isUnknown && <Bounded {...boundsOf(now, field)} />}
        {!now && <span class="placeholder" />}
      </p>
      <p class="figure-note">
        {now && isComparable && (
          <ChangeNote
            now={then[field]}
            before={before[field]}
            period={compared.period}
            without={compared.without}
          />
        )}
        {now && !now.bounds && hasShare && kind && now.total > 0 && (
          <span>{fill(t.shareOf[measure], { share: formatShare(now[kind], now.total) })}</span>
        )}
        {now && !isUnknown && !isComparable && !hasShare && (
          <span>{now.bounds ? t.withinBounds : t.nothingToCompareWith}</span>
        )}
        {now && !now.bounds && field === 'total' && now.human + now.ai > now.total && (
          <span title={t.bothExplained}>
            {fill(t.countAsBoth, { count: now.human + now.ai - now.total })}
            <span class="unseen"> {t.bothExplained}</span>
          </span>
        )}
      </p>
    </section>
  );
}

interface NotMeasuredProps {
  kind: 'human' | 'ai';
  label: string;
  /** Of whom some were seen all the same, as AI that runs scripts. */
  now: BoundedCount | undefined;
  install: string | null;
}

/** What was not measured is not zero. */
function NotMeasured({ kind, label, now, install }: NotMeasuredProps) {
  const seen = now?.[kind] ?? 0;
  const { why, link } = t.connectFirst[kind];
  return (
    <section class="figure" aria-label={label}>
      <h2>
        <Mark kind={kind} />
        {label}
      </h2>
      <p class="figure-number" data-figure={kind}>
        {seen > 0 ? formatCount(seen) : <span class="figure-words">{t.notMeasuredHere}</span>}
      </p>
      <p class="figure-note">
        <span>
          {why} {install && <Link href={install}>{link}</Link>}
        </span>
      </p>
    </section>
  );
}

interface ChangeNoteProps extends Pick<Compared, 'period'>, Partial<Pick<Compared, 'without'>> {
  now: number;
  before: number;
}

export function ChangeNote({ now, before, period, without }: ChangeNoteProps) {
  const { direction, text, sentence: change } = describeChange(now, before, period);
  const sentence = without === undefined ? change : `${change} ${without}`;
  return <Brief class={`change change-${direction}`} {...{ text, sentence }} />;
}
