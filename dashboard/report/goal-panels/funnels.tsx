import type { FunnelsReply } from '../../../shared/reports/analytics.ts';
import { Unmeasured } from '../../components/count-cells.tsx';
import { formatCount, formatDays, formatShare } from '../../formats/number.ts';
import { readable, shorten } from '../../formats/text.ts';
import { t } from '../../texts/goals.ts';
import { fill } from '../../texts/part.ts';
import { Bar, NumberTable } from '../count-table.tsx';
import { Panel, type SitePanelProps } from '../panel.tsx';

type Step = FunnelsReply['funnels'][number];

/** How many people made each step of each funnel. */
export function Funnels({ base, request }: SitePanelProps) {
  return (
    <Panel<FunnelsReply>
      title={t.funnels}
      name="funnels"
      request={{ ...request, address: `${base}/funnels` }}
      isLazy
      unit={t.unitPeople}
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
  const most = Math.max(1, ...steps.map(({ conversions }) => conversions ?? 0));
  return (
    <NumberTable title={t.stepsOfFunnelsByPeople} heads={[t.step, t.madeIt, t.ofTheFirst]}>
      {steps.map((step) => (
        <tr key={`${step.funnel} ${step.step}`}>
          <th scope="row">
            {step.step}. <bdi>{shorten(readable(step.goal))}</bdi>
            <Bar human={step.conversions ?? 0} ai={0} most={most} />
          </th>
          <td>{step.conversions === null ? <Unmeasured /> : formatCount(step.conversions)}</td>
          <td>
            {step.conversions === null ? <Unmeasured /> : formatShare(step.conversions, step.began ?? 0)}
          </td>
        </tr>
      ))}
    </NumberTable>
  );
}

function describe(steps: readonly Step[]): string {
  const days = Math.max(...steps.map(({ unmeasuredDays }) => unmeasuredDays));
  if (days === 0) return t.peopleWhoMadeTheStep;
  return `${t.peopleWhoMadeTheStep} ${fill(t.notMeasuredForOneFunnelOrMore, { days: formatDays(days) })}`;
}
