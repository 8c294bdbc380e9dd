import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import type { AuditAction } from '../../shared/audit-actions.ts';
import type { AuditReply } from '../../shared/replies/audit.ts';
import { withQuery } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { CsvLink } from '../components/csv-link.tsx';
import { Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';

const perPage = 20;

/** What was done, before what it was done to. */
const actions: Record<AuditAction, string> = {
  'project.added': 'made the project',
  'project.changed': 'changed settings of the project',
  'project.removed': 'removed the project',
  'secrets.changed': 'changed secrets of the project',
  'key.added': 'made the API key',
  'key.revoked': 'revoked the API key',
  'link.added': 'made the share link',
  'link.revoked': 'revoked the share link',
  'user.added': 'added the user',
  'user.changed': 'gave other roles to the user',
  'user.removed': 'removed the user',
  'user.linked': 'made a new link for the user',
  'password.changed': 'changed the password of',
  'factor.added': 'turned on the second factor of',
  'factor.changed': 'made new recovery codes of',
  'factor.removed': 'turned off the second factor of',
  'factor.reset': 'reset the second factor of',
  'sign_on.connected': 'connected an account at a provider to',
  'sign_on.disconnected': 'disconnected the account at a provider from',
  'job.started': 'started the job',
  'job.continued': 'sent a message to the job',
  'job.archived': 'archived the job',
  'mark.added': 'noted',
  'mark.removed': 'removed the note',
  'paths.folded': 'folded personal paths of the project',
  'paths.forgotten': 'forgot paths of the project',
  'days.forgotten': 'forgot days of the project',
  'history.removed': 'took out history from another tool',
};

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
  const resource = useResource<AuditReply>(withQuery(path, query), { isLive: true });
  return (
    <section class="card" id="audit" aria-labelledby="audit-title">
      <header class="panel-head">
        <h2 id="audit-title">Who changed what</h2>
        <span class="stretch" />
        <CsvLink href={withQuery(path, { format: 'csv' })} title="Who changed what" />
      </header>
      <Loaded resource={resource} lines={5}>
        {({ entries }) => (
          <ul class="rows">
            {entries.map((entry, i) => (
              <EntryRow key={`${entry.at} ${i}`} entry={entry} projects={projects} />
            ))}
            {entries.length === 0 && <li class="empty">Nothing was changed yet.</li>}
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
        <ActorName actor={actor} /> {actions[action]} <bdi class="strong">{subject}</bdi>
        {project && (
          <>
            {' '}
            in <bdi>{project.name}</bdi>
          </>
        )}
        <p class="hint">
          <time dateTime={at}>{formatTime(at)}</time>
          {changes.length > 0 && (
            <>
              {' · '}
              <bdi>{changes.join('; ')}</bdi>
            </>
          )}
        </p>
      </div>
    </li>
  );
}

function ActorName({ actor: { kind, name } }: { actor: Entry['actor'] }) {
  if (kind === 'administrator') return <span class="strong">The administrator</span>;
  if (kind === 'command') return <span class="strong">Somebody on the command line</span>;
  return (
    <>
      {kind === 'key' && 'The API key '}
      <bdi class="strong">{name}</bdi>
    </>
  );
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
          Newer
        </button>
      )}
      {hasMore && (
        <button type="button" onClick={() => onPage(page + 1)}>
          Older
        </button>
      )}
    </div>
  );
}
