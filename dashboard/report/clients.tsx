import type { ClientPathsReply, ClientsReply } from '../../shared/reports/analytics.ts';
import { Bounded, Change } from '../components/count-cells.tsx';
import { Pictured } from '../components/pictured.tsx';
import { nameOperator, namePurpose } from '../formats/names.ts';
import { formatShare } from '../formats/number.ts';
import { describeProof, nameProof, proofMarks } from '../formats/terms.ts';
import { t as more } from '../texts/more.ts';
import { fill, list } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { t as terms } from '../texts/terms.ts';
import { ClientPageTable, clientPagesOf, ofClientAlone } from './client-pages.tsx';
import { Bar, widthOf } from './count-table.tsx';
import { describeUnmeasured } from './coverage.tsx';
import { isAnswered } from './filter.ts';
import { FilterLink } from './filter-link.tsx';
import { Panel } from './panel.tsx';
import type { Part, View } from './view.ts';

/** A client by one of the proofs that it came with. */
type ByProof = ClientsReply['clients'][number];

/** A client, with all proofs that it came with, the most frequent first. */
interface Client extends Pick<ByProof, 'client' | 'operator' | 'purpose' | 'visitors' | 'views' | 'bounds'> {
  proofs: ByProof[];
}

/** Null where it is not known: with filters together, of a client's only row. */
const sum = (rows: ByProof[], of: 'visitors' | 'views') =>
  rows.some((row) => row[of] === null) ? null : rows.reduce((all, row) => all + (row[of] ?? 0), 0);

function byClient({ clients }: ClientsReply): Client[] {
  return [...Map.groupBy(clients, ({ client }) => client).values()]
    .map((proofs) => ({
      ...(proofs[0] as ByProof),
      proofs,
      visitors: sum(proofs, 'visitors'),
      views: sum(proofs, 'views'),
    }))
    .sort((a, b) => (b.visitors ?? 0) - (a.visitors ?? 0));
}

export const clientsPart: Part = {
  name: 'ai-clients',
  show: Clients,
  isAnswered: (filter) => isAnswered('client', filter),
  isPublic: true,
};

/** Pages that the chosen client reads and people do not. */
export const unreadPart: Part = {
  name: 'client-paths',
  show: Unread,
  isThere: (filter) => ofClientAlone(filter) !== undefined,
  isAnswered: () => true,
  isPublic: true,
};

function Unread({ request, base, filter }: View) {
  const one = ofClientAlone(filter);
  if (!one) return null;
  return (
    <Panel<ClientPathsReply>
      title={more.notReadByPeople}
      name="paths"
      request={{
        ...request,
        ...{ address: clientPagesOf(base, one.client), filter: one.filter, own: { people: 'none' } },
      }}
      empty={more.peopleReadAllOfIt}
      of="human"
      rowsOf={({ paths }) => paths}
      note={<p class="panel-note">{fill(more.pagesThatPeopleDoNotView, one)}</p>}
    >
      {({ paths }) => <ClientPageTable title={more.notReadByPeople} paths={paths} />}
    </Panel>
  );
}

function Clients({ request, base }: View) {
  return (
    <Panel<ClientsReply>
      title={more.aiClients}
      name="clients"
      isFirst
      request={{ ...request, address: `${base}/ai-clients` }}
      empty={t.noAiClientsInThisPeriod}
      of="ai"
      rowsOf={byClient}
      isWhole
      isComparable
      note={<Explanation />}
    >
      {(data, isOnPage) => (
        <>
          <Table clients={byClient(data).filter(isOnPage)} />
          {data.unmeasured && <p class="panel-note">{describeUnmeasured(data.unmeasured)}</p>}
        </>
      )}
    </Panel>
  );
}

function Table({ clients }: { clients: Client[] }) {
  const most = Math.max(1, ...clients.map(({ visitors }) => visitors ?? 0));
  // Of a page alone it is not kept.
  const hasProof = clients.some(({ proofs }) => proofs[0]?.proof !== null);
  return (
    <table class="counts counts-across">
      <caption class="unseen">{more.aiClientsByVisitors}</caption>
      <thead>
        <tr>
          <th scope="col">{more.client}</th>
          <th scope="col" class="text wide-only">
            {more.purpose}
          </th>
          {hasProof && (
            <th scope="col" class="text">
              {more.identity}
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
          <Row key={row.client} {...row} {...{ most, hasProof }} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Client {
  most: number;
  hasProof: boolean;
}

function Row({ most, hasProof, ...row }: RowProps) {
  const { client, operator, purpose, proofs, visitors, views, bounds } = row;
  const within = (of: 'visitors' | 'views', from: number | null) => ({
    from,
    to: bounds?.[of].to ?? from ?? 0,
  });
  return (
    <tr>
      <th scope="row">
        <FilterLink by="client" value={client}>
          <Pictured kind="icon" of={operator ?? undefined}>
            <bdi>{client}</bdi>
          </Pictured>
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
          <Proof proofs={proofs} all={visitors} />
        </td>
      )}
      <td>
        <Bounded {...within('visitors', visitors)} />
        <Change row={row} by="client" of="visitors" />
      </td>
      <td>
        <Bounded {...within('views', views)} />
        <Change row={row} by="client" of="views" />
      </td>
    </tr>
  );
}

/** The most frequent one, with its share where there are others. */
function Proof({ proofs, all }: { proofs: ByProof[]; all: number | null }) {
  const [first, ...others] = proofs as [ByProof, ...ByProof[]];
  const { proof, check } = first;
  if (proof === null) return <>–</>;
  const shareOf = (row: ByProof) => formatShare(row.visitors ?? 0, all ?? 0);
  const shares = proofs.map((row) => `${nameProof(row.proof ?? '')} ${shareOf(row)}`);
  const words = others.length > 0 ? [fill(more.shareOfItsVisitors, { share: list(shares) })] : [];
  const title = [describeProof(proof, check), ...words].join(' ');
  return (
    <span class={`proof proof-${proof}`} title={title}>
      <span aria-hidden="true">{proofMarks[proof] ?? '?'}</span> {nameProof(proof)}
      {others.length > 0 && ` ${shareOf(first)}`}
      {(check || others.length > 0) && <span class="unseen"> ({title})</span>}
    </span>
  );
}

function Explanation() {
  return (
    <details class="explanation">
      <summary>{more.whatTheseTermsMean}</summary>
      <dl>
        {Object.entries(terms.proofDescriptions).map(([proof, description]) => (
          <Term key={proof} name={nameProof(proof)} description={description} />
        ))}
        {Object.entries(terms.purposeDescriptions).map(([purpose, description]) => (
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
