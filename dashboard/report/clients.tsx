import type { ClientsReply } from '../../shared/reports/analytics.ts';
import { describeProof, nameOperator, nameProof, namePurpose, proofMarks } from '../formats/names.ts';
import { formatCount } from '../formats/number.ts';
import { t as names } from '../texts/names.ts';
import { t } from '../texts/report.ts';
import { Bar, widthOf } from './count-table.tsx';
import { FilterLink } from './filter-link.tsx';
import { Panel, type ReportRequest } from './panel.tsx';

/** A client by each proof that it came with. */
type Client = ClientsReply['clients'][number];

interface ClientsProps {
  request: Omit<ReportRequest, 'address'>;
  base: string;
}

export function Clients({ request, base }: ClientsProps) {
  return (
    <Panel<ClientsReply>
      title={t.aiClients}
      name="clients"
      isFirst
      request={{ ...request, address: `${base}/ai-clients` }}
      empty={t.noAiClientsInThisPeriod}
      of="ai"
      rowsOf={({ clients }) => clients}
      note={<Explanation />}
    >
      {({ clients }) => <Table clients={clients} />}
    </Panel>
  );
}

function Table({ clients }: { clients: Client[] }) {
  const most = Math.max(1, ...clients.map(({ visitors }) => visitors));
  // Of a page alone it is not kept.
  const hasProof = clients.some(({ proof }) => proof !== null);
  return (
    <table class="counts">
      <caption class="unseen">{t.aiClientsByVisitors}</caption>
      <thead>
        <tr>
          <th scope="col">{t.client}</th>
          <th scope="col" class="text wide-only">
            {t.purpose}
          </th>
          {hasProof && (
            <th scope="col" class="text">
              {t.identity}
            </th>
          )}
          <th scope="col" class={widthOf(t.visitors)}>
            {t.visitors}
          </th>
          <th scope="col">{t.views}</th>
        </tr>
      </thead>
      <tbody>
        {clients.map((row) => (
          <Row key={`${row.client} ${row.proof}`} {...row} {...{ most, hasProof }} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Client {
  most: number;
  hasProof: boolean;
}

function Row({ client, operator, purpose, proof, check, visitors, views, most, hasProof }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <FilterLink by="client" value={client}>
          <bdi>{client}</bdi>
        </FilterLink>{' '}
        <span class="beside">
          {operator && nameOperator(operator)}
          <span class="narrow-text"> · {namePurpose(purpose)}</span>
        </span>
        <Bar human={0} ai={visitors} most={most} />
      </th>
      <td class="text wide-only">{namePurpose(purpose)}</td>
      {hasProof && (
        <td class="text">
          <Proof proof={proof} check={check} />
        </td>
      )}
      <td>{formatCount(visitors)}</td>
      <td>{formatCount(views)}</td>
    </tr>
  );
}

function Proof({ proof, check }: Pick<Client, 'proof' | 'check'>) {
  if (proof === null) return <>–</>;
  return (
    <span class={`proof proof-${proof}`} title={describeProof(proof, check)}>
      <span aria-hidden="true">{proofMarks[proof] ?? '?'}</span> {nameProof(proof)}
      {check && <span class="unseen"> ({describeProof(proof, check)})</span>}
    </span>
  );
}

function Explanation() {
  return (
    <details class="explanation">
      <summary>{t.whatTheseTermsMean}</summary>
      <dl>
        {Object.entries(names.proofDescriptions).map(([proof, description]) => (
          <Term key={proof} name={nameProof(proof)} description={description} />
        ))}
        {Object.entries(names.purposeDescriptions).map(([purpose, description]) => (
          <Term key={purpose} name={namePurpose(purpose)} description={description} />
        ))}
      </dl>
    </details>
  );
}

function Term({ name, description }: { name: string; description: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{description}</dd>
    </div>
  );
}
