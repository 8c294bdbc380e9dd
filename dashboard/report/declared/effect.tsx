import { useState } from 'preact/hooks';
import type { EffectReply } from '../../../shared/insights.ts';
import { useResource } from '../../api/resource.ts';
import { Loaded } from '../../components/notice.tsx';
import { namePurpose } from '../../formats/names.ts';
import { formatCount, formatSigned } from '../../formats/number.ts';

/** Whether a change helped, asked when somebody wants to know. */
export function Effect({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Did it help?</summary>
      {isOpen && <Outcome path={path} />}
    </details>
  );
}

function Outcome({ path }: { path: string }) {
  const effect = useResource<EffectReply>(path);
  return (
    <Loaded resource={effect} lines={1}>
      {({ says, measures, days }) => (
        <>
          <p class="hint">{says}</p>
          {measures.length > 0 && <Measures measures={measures} days={days} />}
        </>
      )}
    </Loaded>
  );
}

type Measure = EffectReply['measures'][number];

/** What the sentence rests on. */
function Measures({ measures, days }: Pick<EffectReply, 'measures' | 'days'>) {
  const title = `Views of the pages that it touched, and of the others, in ${days} days before and after`;
  return (
    <>
      <p class="hint">{title}:</p>
      <dl class="measures" aria-label={title}>
        {measures.map((measure) => (
          <div key={measure.of}>
            <dt>{nameReaders(measure.of)}</dt>
            <dd>{describeMeasure(measure)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function nameReaders(of: string): string {
  if (of === 'people') return 'People';
  return of === 'ai' ? 'All AI' : namePurpose(of);
}

const fromTo = (before: number, after: number): string => `${formatCount(before)} → ${formatCount(after)}`;

function describeMeasure(measure: Measure): string {
  const { touchedBefore, touchedAfter, untouchedBefore, untouchedAfter } = measure;
  const views = `${fromTo(touchedBefore, touchedAfter)}, others ${fromTo(untouchedBefore, untouchedAfter)}`;
  return `${views}: ${describeVerdict(measure)}`;
}

const withoutInterval: Readonly<Record<string, string>> = {
  too_little: 'too few to tell',
  moved_before: 'went apart before, too',
};

function describeVerdict({ verdict, change, low, high }: Measure): string {
  const words = withoutInterval[verdict];
  if (words !== undefined || change === null || low === null || high === null) return words ?? 'not told';
  const interval = `${formatSigned(change)} (${formatSigned(low)} to ${formatSigned(high)})`;
  return verdict === 'none' ? `${interval}, not measurable` : interval;
}
