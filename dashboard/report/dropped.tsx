import type { DroppedReply } from '../../shared/reports/analytics.ts';
import { nameReason } from '../formats/names.ts';
import { formatCount } from '../formats/number.ts';
import { readable } from '../formats/text.ts';
import { t as names } from '../texts/names.ts';
import { lookUp } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { NumberTable } from './count-table.tsx';
import { Panel, type ReportRequest } from './panel.tsx';

/** What was not counted, and why. */
export function Dropped({ request, base }: { request: Omit<ReportRequest, 'address'>; base: string }) {
  return (
    <Panel<DroppedReply>
      title={t.notCounted}
      name="dropped"
      request={{ ...request, address: `${base}/dropped` }}
      hasSearch={false}
      empty={t.everyHitWasCounted}
      rowsOf={({ dropped }) => dropped}
    >
      {({ dropped }) => {
        const most = Math.max(1, ...dropped.map(({ hits }) => hits));
        return (
          <NumberTable title={t.hitsThatWereNotCounted} heads={[t.reason, t.hits]}>
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
          <bdi>{readable(lookUp(names.families, family) ?? family)}</bdi>
        </>
      )}
    </span>
  );
}
