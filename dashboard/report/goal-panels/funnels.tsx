import type { FunnelsReply } from '../../../shared/reports/analytics.ts';
import { Share } from '../../components/count-cells.tsx';
import { formatCount, formatDays } from '../../formats/number.ts';
import { readable, shorten } from '../../formats/text.ts';
import { t } from '../../texts/goals.ts';
import { fill } from '../../texts/part.ts';
import { NumberTable } from '../count-table.tsx';
import { Panel } from '../panel.tsx';
import type { Part, View } from '../view.ts';

type Step = FunnelsReply['funnels'][number];

/** How many people made each step of each funnel. */
export const funnelsPart: Part = { name: 'funnels', show: Funnels };

function Funnels({ base, request }: View) {
  return (
    <Panel<FunnelsReply>
      title={t.funnels}
      name="funnels"
      request={{ ...request, address: `${base}/funnels` }}
      isLazy
      empty={t.noFunnelIsSetNameTheSteps}
      rowsOf={({ funnels }) => funnels}
    >
      {({ funnels }) => (
        <>
          <Table steps={funnels} />
          <p class="panel-note">{describe(funnels)}</p>
        </>
      )}
    </Panel>
  );
}

function Table({ steps }: { steps: readonly Step[] }) {
  return (
    <NumberTable
      title={t.stepsOfFunnelsByPeople}
      heads={[t.step, t.madeIt, t.ofTheFirst]}
      rows={steps.map(({ step, goal, conversions, began }) => ({
        name: (
          <>
            {step}. <bdi>{shorten(readable(goal))}</bdi>
          </>
        ),
        bar: { human: conversions ?? 0, ai: 0 },
        numbers:
          conversions === null
            ? [null, null]
            : [
                formatCount(conversions),
                <Share key={step} part={conversions} all={began ?? 0} of={t.shareOfTheFirst} />,
              ],
      }))}
    />
  );
}

function describe(steps: readonly Step[]): string {
  const days = Math.max(...steps.map(({ unmeasuredDays }) => unmeasuredDays));
  if (days === 0) return t.peopleWhoMadeTheStep;
  return `${t.peopleWhoMadeTheStep} ${fill(t.notMeasuredForOneFunnelOrMore, { days: formatDays(days) })}`;
}
