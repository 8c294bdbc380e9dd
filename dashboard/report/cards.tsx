import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { BoundedCount } from '../../shared/reports/analytics.ts';
import type { WorklistReply } from '../../shared/reports/faults.ts';
import type { OperatorsReply } from '../../shared/reports/insights.ts';
import { withQuery } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { Bounded } from '../components/count-cells.tsx';
import { Loaded } from '../components/notice.tsx';
import { boundsOf, isUnmeasured } from '../formats/measured.ts';
import { nameOperator, namePurpose } from '../formats/names.ts';
import { formatCount, formatShare } from '../formats/number.ts';
import { Fix, type StartedFix } from '../job/fix.tsx';
import { usePageAddress } from '../router/project-pages.ts';
import { Link } from '../router/router.tsx';
import { t as common } from '../texts/common.ts';
import { fill, plural } from '../texts/part.ts';
import { t } from '../texts/report.ts';
import { FaultFacts } from './fault-facts.tsx';
import { FilterLink, PagePath } from './filter-link.tsx';
import { Included, type NamedRows, NoRows } from './panel.tsx';
import { labelOf } from './traits.tsx';
import type { View } from './view.ts';

export type SourcesReply = NamedRows & {
  sources: (BoundedCount & { source: string })[];
  totals: BoundedCount;
};

interface CardsProps extends Pick<View, 'base' | 'request'> {
  projectId: string;
  sources: Resource<SourcesReply>;
}

const most = 3;

/** Three answers: who came, what AI did, and what there is to do. */
export function Cards({ base, request: { dateFrom, dateTo }, projectId, sources }: CardsProps) {
  const days = { dateFrom, dateTo, limit: most };
  const operators = useResource<OperatorsReply>(withQuery(`${base}/operators`, days), { isLive: true });
  const faults = useResource<WorklistReply>(withQuery(`${base}/worklist`, { state: 'open', limit: most }), {
    ...{ isLive: true, followsChanges: true },
  });
  const [started, setStarted] = useState<StartedFix[]>([]);
  const address = usePageAddress(`/p/${projectId}`);
  return (
    <div class="cards">
      <Card title={t.people} resource={sources}>
        {(reply) => <People {...reply} dateTo={dateTo} />}
      </Card>
      <Card title={t.ai} resource={operators} more={<Link href={address('/ai')}>{t.allOfAi}</Link>}>
        {(reply) => <Ai {...reply} dateTo={dateTo} />}
      </Card>
      <Card title={t.toDo} resource={faults} more={<Link href={address('/fix')}>{t.allToDo}</Link>}>
        {(reply) => (
          <ToDo
            {...reply}
            {...{ projectId, started }}
            onStarted={(job) => setStarted((all) => [...all, job])}
          />
        )}
      </Card>
    </div>
  );
}

type Days = Pick<View['request'], 'dateTo'>;

interface CardProps<T> {
  title: string;
  resource: Resource<T>;
  /** Leads to all of it. */
  more?: ComponentChildren;
  children: (reply: T) => ComponentChildren;
}

function Card<T>({ title, resource, more, children }: CardProps<T>) {
  return (
    <div class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        {more}
      </header>
      <Loaded resource={resource} lines={most}>
        {children}
      </Loaded>
    </div>
  );
}

function Row({ name, number }: { name: ComponentChildren; number: ComponentChildren }) {
  return (
    <li>
      {name} <span class="card-number">{number}</span>
    </li>
  );
}

function People({ sources, totals, measured, dateTo, ...said }: SourcesReply & Days) {
  const { lacksDetails } = said;
  const rows = sources.filter((row) => boundsOf(row, 'human').to > 0).slice(0, most);
  if (rows.length === 0 || isUnmeasured('human', measured))
    return <NoRows of="human" {...{ measured, dateTo, lacksDetails }} />;
  return (
    <>
      <ul class="card-rows" aria-label={t.topSources}>
        {rows.map((row) => (
          <Row
            key={row.source}
            name={
              <FilterLink by="source" value={row.source}>
                {labelOf('source')(row.source)}
              </FilterLink>
            }
            number={
              <>
                <Bounded {...boundsOf(row, 'human')} />{' '}
                {!row.bounds && !totals.bounds && !lacksDetails && (
                  <span class="beside">
                    {fill(t.shareOf.people, { share: formatShare(row.human, totals.human) })}
                  </span>
                )}
              </>
            }
          />
        ))}
      </ul>
      <Included {...said} />
    </>
  );
}

function Ai({ operators, purposes, measured, dateTo, ...said }: OperatorsReply & Days) {
  if (operators.length === 0 || isUnmeasured('ai', measured))
    return (
      <NoRows
        of="ai"
        {...{ measured, dateTo, lacksDetails: said.lacksDetails }}
        empty={t.noAiClientsInThisPeriod}
      />
    );
  const all = purposes.reduce((sum, { views }) => sum + views, 0);
  const shares = purposes
    .slice(0, most)
    .map(({ purpose, views }) => `${namePurpose(purpose)} ${formatShare(views, all)}`);
  return (
    <>
      <p class="card-line">{fill(t.shareOf.aiViews, { share: shares.join(' · ') })}</p>
      <ul class="card-rows" aria-label={t.readsAndVisits}>
        {operators.slice(0, most).map(({ operator, aiViews, visits }) => (
          <Row
            key={operator}
            name={<bdi>{nameOperator(operator)}</bdi>}
            number={
              <>
                {plural(t.reads, aiViews)}{' '}
                <span class="beside">{fill(t.visitsBack, { visits: formatCount(visits) })}</span>
              </>
            }
          />
        ))}
      </ul>
      <Included {...said} />
    </>
  );
}

interface ToDoProps extends WorklistReply {
  projectId: string;
  /** They are not listed any more. */
  started: readonly StartedFix[];
  onStarted: (job: StartedFix) => void;
}

function ToDo({ faults, measured, includesExcluded, projectId, started, onStarted }: ToDoProps) {
  return (
    <>
      {faults.length === 0 && <NoRows of="ai" measured={measured} empty={t.nothingToDo} />}
      <ul class="card-rows">
        {faults.map((fault) => (
          <li key={fault.id}>
            <span class="card-fault">
              <PagePath path={fault.path} />
              <span class="beside">
                <FaultFacts fault={fault} />
              </span>
            </span>
            <Fix {...{ fault, projectId, onStarted }} />
          </li>
        ))}
      </ul>
      <Included includesExcluded={includesExcluded} />
      <div role="status">
        {started.map(({ path, id }) => (
          <p key={id} class="card-line">
            <Link href={`/p/${projectId}/jobs/${id}`}>{fill(common.jobFor, { path })}</Link>
          </p>
        ))}
      </div>
    </>
  );
}
