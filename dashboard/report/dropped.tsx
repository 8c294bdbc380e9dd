import type { DroppedReply } from '../../shared/analytics.ts';
import { nameFamily } from '../../shared/bot-family.ts';
import { nameReason } from '../formats/names.ts';
import { formatCount } from '../formats/number.ts';
import { readable } from '../formats/text.ts';
import { NumberTable } from './count-table.tsx';
import { Panel, type ReportRequest } from './panel.tsx';

/** What was not counted, and why. */
export function Dropped({ request, base }: { request: Omit<ReportRequest, 'address'>; base: string }) {
  return (
    <Panel<DroppedReply>
      title="Not counted"
      name="dropped"
      request={{ ...request, address: `${base}/dropped` }}
      hasSearch={false}
      empty="Every hit was counted."
      rowsOf={({ dropped }) => dropped}
    >
      {({ dropped }) => {
        const most = Math.max(1, ...dropped.map(({ hits }) => hits));
        return (
          <NumberTable title="Hits that were not counted, by reason" heads={['Reason', 'Hits']}>
            {dropped.map(({ reason, family, hits }) => (
              <tr key={`${reason} ${family}`}>
                <th scope="row">
                  <Reason reason={reason} family={family} />
                  <span class="bar" aria-hidden="true">
                    <span class="bar-dropped" style={{ width: `${(100 * hits) / most}%` }} />
                  </span>
                </th>
                <td>{formatCount(hits)}</td>
              </tr>
            ))}
          </NumberTable>
        );
      }}
    </Panel>
  );
}

type Row = DroppedReply['dropped'][number];

function Reason({ reason, family }: Pick<Row, 'reason' | 'family'>) {
  const { name, description } = nameReason(reason);
  return (
    <span class="name" title={description}>
      {name}
      {family !== null && (
        <>
          {': '}
          <bdi>{readable(nameFamily(family))}</bdi>
        </>
      )}
    </span>
  );
}
