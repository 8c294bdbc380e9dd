import type { ClientsReply } from '../../shared/analytics.ts';
import { describeProof, nameOperator, namePurpose, proofs, purposeDescriptions } from '../formats/names.ts';
import { formatCount } from '../formats/number.ts';
import { Bar } from './count-table.tsx';
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
      title="AI clients"
      name="clients"
      isFirst
      request={{ ...request, address: `${base}/ai-clients` }}
      empty="No AI clients in this period."
      isOfAi
      rowsOf={({ clients }) => clients}
      note={<Explanation />}
    >
      {({ clients }) => <Table clients={clients} />}
    </Panel>
  );
}

function Table({ clients }: { clients: Client[] }) {
  const most = Math.max(1, ...clients.map(({ visitors }) => visitors));
  return (
    <table class="counts">
      <caption class="unseen">AI clients by visitors</caption>
      <thead>
        <tr>
          <th scope="col">Client</th>
          <th scope="col" class="text wide-only">
            Purpose
          </th>
          <th scope="col" class="text">
            Identity
          </th>
          <th scope="col">Visitors</th>
          <th scope="col">Views</th>
        </tr>
      </thead>
      <tbody>
        {clients.map((row) => (
          <Row key={`${row.client} ${row.proof}`} {...row} most={most} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ client, operator, purpose, proof, check, visitors, views, most }: Client & { most: number }) {
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
      <td class="text">
        <Proof proof={proof} check={check} />
      </td>
      <td>{formatCount(visitors)}</td>
      <td>{formatCount(views)}</td>
    </tr>
  );
}

function Proof({ proof, check }: Pick<Client, 'proof' | 'check'>) {
  if (proof === null) return <>–</>;
  const { mark, name } = proofs[proof] ?? { mark: '?', name: proof };
  return (
    <span class={`proof proof-${proof}`} title={describeProof(proof, check)}>
      <span aria-hidden="true">{mark}</span> {name}
      {check && <span class="unseen"> ({describeProof(proof, check)})</span>}
    </span>
  );
}

function Explanation() {
  return (
    <details class="explanation">
      <summary>What these terms mean</summary>
      <dl>
        {Object.entries(proofs).map(([key, { name, description }]) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>{description}</dd>
          </div>
        ))}
        {Object.entries(purposeDescriptions).map(([name, description]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description}.</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
