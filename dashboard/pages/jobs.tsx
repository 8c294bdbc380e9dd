import { useRef, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import type { EventsReply, JobReply, JobsReply } from '../../shared/job.ts';
import { useAction } from '../api/action.ts';
import { withQuery } from '../api/client.ts';
import { useApi } from '../api/context.ts';
import { makeIdempotencyKey } from '../api/idempotency-key.ts';
import { usePolling } from '../api/polling.ts';
import { useResource } from '../api/resource.ts';
import { AreaField, faultOf, submit } from '../components/field.tsx';
import { PullRequest, StatusBadge } from '../components/job-status.tsx';
import { Failure, Loaded, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatAgo, formatTime } from '../formats/day.ts';
import { readable, shorten } from '../formats/text.ts';
import { Link, parsePageNumber, useRouter } from '../router/router.tsx';

const perPage = 20;
const everyMs = 5_000;
const statuses = {
  '': 'All',
  active: 'Active',
  completed: 'Completed',
  failed: 'Failed',
  archived: 'Archived',
};

export function Jobs({ project }: { project: ProjectReply }) {
  const base = `/v2/agent/${project.id}`;
  const { query, hrefWith } = useRouter();
  const status = query.get('status') ?? '';
  const page = parsePageNumber(query.get('page'));
  const resource = useResource<JobsReply>(
    withQuery(`${base}/jobs`, { status, limit: perPage, offset: (page - 1) * perPage }),
  );
  const isWorking = resource.data?.jobs.some((job) => job.status === 'active') ?? false;
  usePolling(async () => resource.reload(), everyMs, isWorking);
  return (
    <Page title="Jobs" class="page-text">
      <p class="lead">
        Say what the site needs. An agent edits its repository, reads which pages people and AI come for, and
        a pull request comes back.
      </p>
      {canWork(project) ? <NewJob base={base} project={project} /> : <NotReady project={project} />}
      <section class="card">
        <header class="panel-head">
          <h2>All jobs</h2>
          <span class="stretch" />
          <nav class="switch" aria-label="Status">
            {Object.entries(statuses).map(([key, name]) => (
              <Link
                key={key}
                href={hrefWith({ status: key, page: null })}
                aria-current={key === status ? 'true' : undefined}
              >
                {name}
              </Link>
            ))}
          </nav>
        </header>
        <Loaded resource={resource} lines={5}>
          {({ jobs }) => (
            <JobList jobs={jobs} base={base} projectId={project.id} isFiltered={status !== ''} />
          )}
        </Loaded>
        <Pagination page={page} hasMore={resource.data?.hasMore ?? false} />
      </section>
    </Page>
  );
}

const canWork = ({ repository, model, agentCommand }: ProjectReply) =>
  repository !== null && (model !== null || agentCommand !== null);

function NotReady({ project: { id, repository } }: { project: ProjectReply }) {
  const missing = repository === null ? 'repository' : 'model';
  return (
    <Notice>
      <p>
        Jobs need {missing === 'repository' ? 'a repository to work in and a model' : 'a model'}.{' '}
        <Link href={`/p/${id}/settings#jobs`}>
          Name {missing === 'repository' ? 'them' : 'it'} in the settings
        </Link>
        .
      </p>
    </Notice>
  );
}

function NewJob({ base, project }: { base: string; project: ProjectReply }) {
  const { api } = useApi();
  const { navigate } = useRouter();
  const [prompt, setPrompt] = useState('');
  // The same while the same is asked for, so that a repeated request makes one job.
  const token = useRef(makeIdempotencyKey());
  const create = useAction(async () => {
    const key = { 'Idempotency-Key': token.current };
    const job = await api.send<JobReply>('POST', `${base}/job`, { prompt }, key);
    navigate(`/p/${project.id}/jobs/${job.id}`);
  });
  const type = (text: string) => {
    token.current = makeIdempotencyKey();
    setPrompt(text);
  };
  return (
    <form class="card form" onSubmit={submit(() => create.run())}>
      <AreaField
        label="New job"
        name="prompt"
        value={prompt}
        onText={type}
        rows={4}
        maxLength={32_000}
        required
        placeholder="Look which pages AI clients read most, and add an example to each."
        hint={<WorksOn project={project} />}
        fault={faultOf(create.failure, 'prompt')}
      />
      <Failure failure={create.failure} />
      <div class="actions">
        <button type="submit" class="primary" disabled={create.isBusy}>
          Start the job
        </button>
      </div>
    </form>
  );
}

function WorksOn({ project: { repository, ref, model, agentCommand } }: { project: ProjectReply }) {
  return (
    <>
      Works on <bdi>{repository}</bdi>
      {ref !== '' && (
        <>
          {' '}
          from <bdi>{ref}</bdi>
        </>
      )}{' '}
      with <bdi>{agentCommand?.[0] ?? model}</bdi>.
    </>
  );
}

interface JobListProps {
  jobs: JobReply[];
  base: string;
  projectId: string;
  isFiltered: boolean;
}

function JobList({ jobs, base, projectId, isFiltered }: JobListProps) {
  if (jobs.length === 0) return <p class="empty">{isFiltered ? 'No job has this status.' : 'No job yet.'}</p>;
  return (
    <ul class="rows">
      {jobs.map((job) => (
        <li key={job.id}>
          <div class="rows-main">
            <Link href={`/p/${projectId}/jobs/${job.id}`} class="strong name">
              <Prompt base={base} id={job.id} />
            </Link>
            <p class="hint">
              <time dateTime={job.createdAt} title={formatTime(job.createdAt)}>
                {formatAgo(job.createdAt)}
              </time>{' '}
              · <bdi>{job.model}</bdi>
            </p>
          </div>
          <PullRequest job={job} />
          <StatusBadge status={job.status} />
        </li>
      ))}
    </ul>
  );
}

/** A job is known by what was asked for, which is the first line of its transcript. */
function Prompt({ base, id }: { base: string; id: string }) {
  const { data } = useResource<EventsReply>(`${base}/job/${id}/events?limit=1`);
  const text = data?.events[0]?.data.text;
  return <bdi>{typeof text === 'string' ? shorten(readable(text), 140) : id}</bdi>;
}

function Pagination({ page, hasMore }: { page: number; hasMore: boolean }) {
  const { hrefWith } = useRouter();
  if (page === 1 && !hasMore) return null;
  return (
    <nav class="pager" aria-label="Pages of jobs">
      {page > 1 && <Link href={hrefWith({ page: page > 2 ? String(page - 1) : null })}>Newer</Link>}
      <span>Page {page}</span>
      {hasMore && <Link href={hrefWith({ page: String(page + 1) })}>Older</Link>}
    </nav>
  );
}
