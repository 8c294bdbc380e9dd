import { useState } from 'preact/hooks';
import type { EffectReply } from '../../../shared/reports/insights.ts';
import { useResource } from '../../api/resource.ts';
import { Loaded } from '../../components/notice.tsx';
import { namePurpose } from '../../formats/names.ts';
import { formatCount, formatSigned } from '../../formats/number.ts';
import { t } from '../../texts/declared.ts';
import { fill, lookUp, plural } from '../../texts/part.ts';

/** Whether a change helped, asked when somebody wants to know. */
export function Effect({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.didItHelp}</summary>
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
          <p class="hint" dir="auto">
            {says}
          </p>
          {measures.length > 0 && <Measures measures={measures} days={days} />}
        </>
      )}
    </Loaded>
  );
}

type Measure = EffectReply['measures'][number];

/** What the sentence rests on. */
function Measures({ measures, days }: Pick<EffectReply, 'measures' | 'days'>) {
  const title = plural(t.viewsOfThePages, days);
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
  if (of === 'people') return t.people;
  return of === 'ai' ? t.allAi : namePurpose(of);
}

const fromTo = (before: number, after: number): string =>
  fill(t.beforeAfter, { before: formatCount(before), after: formatCount(after) });

function describeMeasure(measure: Measure): string {
  const { affectedBefore, affectedAfter, otherBefore, otherAfter } = measure;
  return fill(t.measure, {
    affected: fromTo(affectedBefore, affectedAfter),
    others: fromTo(otherBefore, otherAfter),
    verdict: describeVerdict(measure),
  });
}

function describeVerdict({ verdict, change, low, high }: Measure): string {
  const words = lookUp(t.withoutInterval, verdict);
  if (words !== undefined || change === null || low === null || high === null) return words ?? t.noEstimate;
  const interval = fill(t.interval, {
    change: formatSigned(change),
    low: formatSigned(low),
    high: formatSigned(high),
  });
  return verdict === 'none' ? fill(t.notMeasurable, { interval }) : interval;
}
