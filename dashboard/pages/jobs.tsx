import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { EventsReply, JobReply, JobsReply } from '../../shared/jobs/job.ts';
import { withQuery } from '../api/client.ts';
import { usePolling, useResource } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Loaded, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Switch } from '../components/switch.tsx';
import { formatAgo, formatTime } from '../formats/day.ts';
import { Automations } from '../job/automations.tsx';
import { NewJob } from '../job/new-job.tsx';
import { findPrompt, keepPrompt } from '../job/prompt.ts';
import { StartedBy } from '../job/started-by.tsx';
import { PullRequest, StatusBadge } from '../job/status.tsx';
import { Link, parsePageNumber, useRouter } from '../router/router.tsx';
import { t } from '../texts/jobs.ts';
import { mix } from '../texts/part.ts';

const perPage = 20;
const everyMs = 5_000;

export function Jobs({ project }: { project: ProjectReply }) {
  return (
    <Page title={t.jobs} class="page-text">
      <p class="lead">{t.describeAChangeToYourSite}</p>
      {isReady(project) ? <NewJob project={project} /> : <NotReady project={project} />}
      <AllJobs projectId={project.id} />
      <Automations project={project} />
    </Page>
  );
}

const isReady = ({ repository, model, agentCommand }: ProjectReply) =>
  repository !== null && (model !== null || agentCommand !== null);

function NotReady({ project: { id, repository } }: { project: ProjectReply }) {
  const prompt = keepPrompt(id, useRouter().query);
  const missing = repository === null ? t.aRepositoryToWorkInAndAModel : t.aModel;
  return (
    <Notice>
      <p>
        {mix(t.jobsNeed, {
          missing,
          link: <Link href={`/p/${id}/settings/jobs`}>{t.chooseThemInTheSettings}</Link>,
        })}
      </p>
      {prompt !== '' && (
        <>
          <p>{t.thePromptIsKept}</p>
          <Code text={prompt} what={t.thePrompt} />
        </>
      )}
    </Notice>
  );
}

function AllJobs({ projectId }: { projectId: string }) {
  const { query, hrefWith } = useRouter();
  const given = query.get('status') ?? '';
  const status = Object.hasOwn(t.filters, given) ? given : '';
  const page = parsePageNumber(query.get('page'));
  const resource = useResource<JobsReply>(
    withQuery(`/v2/agent/${projectId}/jobs`, { status, limit: perPage, offset: (page - 1) * perPage }),
  );
  const isWorking = resource.data?.jobs.some((job) => job.status === 'active') ?? false;
  usePolling(async () => resource.reload(), everyMs, isWorking);
  return (
    <section class="card">
      <header class="panel-head">
        <h2>{t.allJobs}</h2>
        <span class="stretch" />
        <Switch
          label={t.status}
          options={t.filters}
          value={status}
          hrefOf={(key) => hrefWith({ status: key, page: null })}
        />
      </header>
      <Loaded resource={resource} lines={5}>
        {({ jobs }) => <JobList jobs={jobs} projectId={projectId} isFiltered={status !== ''} />}
      </Loaded>
      <Pagination page={page} hasMore={resource.data?.hasMore ?? false} />
    </section>
  );
}

interface JobListProps {
  jobs: JobReply[];
  projectId: string;
  isFiltered: boolean;
}

function JobList({ jobs, projectId, isFiltered }: JobListProps) {
  if (jobs.length === 0)
    return <p class="empty">{isFiltered ? t.noJobHasThisStatus : t.thereAreNoJobsYet}</p>;
  return (
    <ul class="rows">
      {jobs.map((job) => (
        <JobRow key={job.id} job={job} projectId={projectId} />
      ))}
    </ul>
  );
}

function JobRow({ job, projectId }: { job: JobReply; projectId: string }) {
  const { data } = useResource<EventsReply>(`/v2/agent/${projectId}/job/${job.id}/events?limit=1`);
  return (
    <li>
      <div class="rows-main">
        <Link href={`/p/${projectId}/jobs/${job.id}`} class="strong name">
          <bdi>{findPrompt(data?.events, 140) ?? job.id}</bdi>
        </Link>
        <p class="hint">
          <time dateTime={job.createdAt} title={formatTime(job.createdAt)}>
            {formatAgo(job.createdAt)}
          </time>{' '}
          · <bdi>{job.model}</bdi>
          {job.startedBy && (
            <>
              {' · '}
              <StartedBy starter={job.startedBy} />
            </>
          )}
        </p>
      </div>
      <PullRequest job={job} />
      <StatusBadge job={job} />
    </li>
  );
}

function Pagination({ page, hasMore }: { page: number; hasMore: boolean }) {
  const { hrefWith } = useRouter();
  if (page === 1 && !hasMore) return null;
  return (
    <nav class="pager" aria-label={t.pagesOfJobs}>
      {page > 1 && <Link href={hrefWith({ page: page > 2 ? String(page - 1) : null })}>{t.newer}</Link>}
      <span>{mix(t.page, { page })}</span>
      {hasMore && <Link href={hrefWith({ page: String(page + 1) })}>{t.older}</Link>}
    </nav>
  );
}
