import type { FunnelsReply } from '../../../shared/reports/analytics.ts';
import { Share } from '../../components/count-cells.tsx';
import { formatDays } from '../../formats/number.ts';
import { readable, shorten } from '../../formats/text.ts';
import { t } from '../../texts/goals.ts';
import { fill } from '../../texts/part.ts';
import { NumberTable } from '../count-table.tsx';
import { Panel } from '../panel.tsx';
import type { Part, View } from '../view.ts';
import { Counted } from './counted.tsx';

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
      isComparable
      of="human"
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
      rows={steps.map((row) => ({
        name: (
          <span class="name">
            {row.step}. <bdi>{shorten(readable(row.goal))}</bdi>
          </span>
        ),
        bar: { human: row.conversions ?? 0, ai: 0 },
        numbers:
          row.conversions === null
            ? [null, null]
            : [
                <Counted key="count" row={row} by={['funnel', 'step']} of="conversions" />,
                <Share key="share" part={row.conversions} all={row.began ?? 0} of={t.shareOfTheFirst} />,
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
