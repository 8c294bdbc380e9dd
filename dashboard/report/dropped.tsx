import { nameReason } from '../formats/names.ts';
import { formatCount } from '../formats/number.ts';
import { readable } from '../formats/text.ts';
import { Panel, type ReportRequest } from './panel.tsx';

/** `GET …/dropped` */
interface DroppedReply {
  dropped: { reason: string; family: string | null; hits: number }[];
  hasMore: boolean;
}

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
          <table class="counts">
            <caption class="unseen">Hits that were not counted, by reason</caption>
            <thead>
              <tr>
                <th scope="col">Reason</th>
                <th scope="col">Hits</th>
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        );
      }}
    </Panel>
  );
}

function Reason({ reason, family }: { reason: string; family: string | null }) {
  const { name, description } = nameReason(reason);
  return (
    <span class="name" title={description}>
      {name}
      {family !== null && (
        <>
          {': '}
          <bdi>{readable(family)}</bdi>
        </>
      )}
    </span>
  );
}
