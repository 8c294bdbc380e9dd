import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { withQuery } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { CsvLink } from '../components/csv-link.tsx';
import { Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { t } from '../texts/installation.ts';
import { mix } from '../texts/part.ts';

const perPage = 20;

type Entry = AuditReply['entries'][number];

interface AuditProps {
  /** Of the list in the API. */
  path: string;
  /** Where the list is of several projects, to name them. */
  projects?: readonly ProjectReply[];
}

/** Who changed what. */
export function Audit({ path, projects = [] }: AuditProps) {
  const [page, setPage] = useState(0);
  const query = { limit: perPage, offset: page * perPage };
  const resource = useResource<AuditReply>(withQuery(path, query), {
    isLive: true,
    followsChanges: true,
  });
  return (
    <section class="card" id="audit" aria-labelledby="audit-title">
      <header class="panel-head">
        <h2 id="audit-title">{t.whoChangedWhat}</h2>
        <span class="stretch" />
        <CsvLink href={withQuery(path, { format: 'csv' })} title={t.whoChangedWhat} />
      </header>
      <Loaded resource={resource} lines={5}>
        {({ entries }) => (
          <ul class="rows">
            {entries.map((entry, i) => (
              <EntryRow key={`${entry.at} ${i}`} entry={entry} projects={projects} />
            ))}
            {entries.length === 0 && <li class="empty">{t.nothingWasChangedYet}</li>}
          </ul>
        )}
      </Loaded>
      <Pager page={page} hasMore={resource.data?.hasMore ?? false} onPage={setPage} />
    </section>
  );
}

function EntryRow({ entry, projects }: { entry: Entry; projects: readonly ProjectReply[] }) {
  const { at, actor, action, subject, projectId, changes } = entry;
  const isOfProject = /^(project|secrets|paths|days)\./.test(action);
  const project = isOfProject ? undefined : projects.find(({ id }) => id === projectId);
  return (
    <li>
      <div class="rows-main">
        {mix(t.actions[action], {
          actor: <ActorName actor={actor} />,
          subject: <bdi class="strong">{subject}</bdi>,
        })}
        {project && <> {mix(t.inTheProject, { project: <bdi>{project.name}</bdi> })}</>}
        <p class="hint">
          <time dateTime={at}>{formatTime(at)}</time>
          {changes.length > 0 && (
            <>
              {' · '}
              <bdi>{changes.map((change) => withNames(change, projects)).join('; ')}</bdi>
            </>
          )}
        </p>
      </div>
    </li>
  );
}

/** Such as `editor of Docs`: the list has a role with the project's id, as names change. */
function withNames(change: string, projects: readonly ProjectReply[]): string {
  const project = projects.find(({ id }) => change.endsWith(` of ${id}`));
  return project ? change.slice(0, -project.id.length) + project.name : change;
}

function ActorName({ actor: { kind, name } }: { actor: Entry['actor'] }) {
  if (kind === 'administrator') return <span class="strong">{t.theAdministrator}</span>;
  if (kind === 'command') return <span class="strong">{t.somebodyOnTheCommandLine}</span>;
  if (kind === 'server') return <span class="strong">{t.theServer}</span>;
  const shown = <bdi class="strong">{name}</bdi>;
  if (kind === 'automation') return <>{mix(t.theAutomation, { name: shown })}</>;
  return <>{kind === 'key' ? mix(t.theApiKey, { name: shown }) : shown}</>;
}

interface PagerProps {
  page: number;
  hasMore: boolean;
  onPage: (page: number) => void;
}

function Pager({ page, hasMore, onPage }: PagerProps) {
  if (page === 0 && !hasMore) return null;
  return (
    <div class="actions">
      {page > 0 && (
        <button type="button" onClick={() => onPage(page - 1)}>
          {t.newer}
        </button>
      )}
      {hasMore && (
        <button type="button" onClick={() => onPage(page + 1)}>
          {t.older}
        </button>
      )}
    </div>
  );
}
