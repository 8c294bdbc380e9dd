import { useEffect } from 'preact/hooks';
import type { InstallReply, ProjectReply } from '../../shared/accounts/admin.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { lazy } from '../components/lazy.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { OverviewReport } from '../report/overview.tsx';
import type { ReportPageName } from '../report/pages.tsx';
import { ImportedContext, movedTo, ProjectContext, useMayOpen } from '../router/project-pages.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t as common } from '../texts/common.ts';
import { t } from '../texts/frame.ts';

const further = () => import('./further.ts');
const Install = lazy(async () => (await further()).Install);
const InstallWays = lazy(async () => (await further()).InstallWays);
const Job = lazy(async () => (await further()).Job);
const Jobs = lazy(async () => (await further()).Jobs);
const Live = lazy(async () => (await further()).Live, null);
const ReportPage = lazy(async () => (await further()).ReportPage);
const Rules = lazy(async () => (await further()).Rules);
const Settings = lazy(async () => (await further()).Settings);

interface ProjectProps {
  project: ProjectReply;
  onProject: (project: ProjectReply) => void;
  onRemoved: (project: ProjectReply) => void;
}

/** The pages of one project. */
export function Project(props: ProjectProps) {
  return (
    <ProjectContext.Provider value={props.project}>
      <ProjectPage {...props} />
    </ProjectContext.Provider>
  );
}

/** Read where no page was seen yet: those that were have hosts. */
function useInstall({ id, seenHosts }: ProjectReply): Resource<InstallReply> {
  const path = seenHosts.length === 0 ? `/v1/admin/projects/${id}/install` : null;
  return useResource<InstallReply>(path, { isLive: true });
}

const isImported = ({ data }: Resource<InstallReply>) => typeof data?.firstDay === 'string';

function ProjectPage(props: ProjectProps) {
  const { project } = props;
  const { path, query, navigate } = useRouter();
  const base = `/p/${project.id}`;
  const here = path.replace(/\/$/, '');
  const moved = movedTo(base, here, query, location.hash);
  useEffect(() => {
    if (moved !== null) navigate(moved, { replace: true });
  }, [moved]);
  const end = here.slice(base.length);
  const job = /^\/jobs\/([^/]+)$/.exec(end)?.[1];
  const mayOpen = useMayOpen(job === undefined ? end : '/jobs');
  if (moved !== null) return null;
  if (!mayOpen) return <NoPage project={project} />;
  if (job !== undefined) return <Job key={job} project={project} id={job} />;
  if (end === '') return <Overview project={project} />;
  if (end === '/install') return <Install project={project} />;
  if (end === '/rules') return <Rules project={project} />;
  if (end === '/jobs') return <Jobs project={project} />;
  if (end.startsWith('/settings')) return <Settings key={end} {...props} end={end} />;
  const page = end.slice(1) as ReportPageName | 'live';
  return <Numbers key={page} project={project} page={page} />;
}

interface NumbersProps {
  project: ProjectReply;
  page: ReportPageName | 'live';
}

function Numbers({ project, page }: NumbersProps) {
  const { id: projectId, timeZone } = project;
  const install = useInstall(project);
  const address = `/v1/analytics/${projectId}`;
  return (
    <Page title={common.projectPages[page]} class="page-report">
      {page === 'live' ? (
        <Live base={address} />
      ) : (
        <ImportedContext.Provider value={isImported(install)}>
          <ReportPage page={page} base={address} {...{ projectId, timeZone }} />
        </ImportedContext.Provider>
      )}
    </Page>
  );
}

function NoPage({ project }: Pick<ProjectProps, 'project'>) {
  return (
    <Page title={t.pageNotFound} class="page-narrow">
      <p>
        {t.thisProjectHasNoSuchPage}
        {project.role !== 'owner' && ` ${t.someAreForItsOwnersAlone}`}
      </p>
      <Link href={`/p/${project.id}`} class="button primary">
        {t.goToItsOverview}
      </Link>
    </Page>
  );
}

/** Numbers, or how to begin where nothing was ever counted. */
function Overview({ project }: { project: ProjectReply }) {
  const { id, name, timeZone, role, seenHosts } = project;
  const mayInstall = useMayOpen('/install');
  const install = useInstall(project);
  const mayBeNew = seenHosts.length === 0;
  const isNew = mayBeNew && install.data?.firstDay === null;
  return (
    <Page title={name} class={isNew ? 'page-text' : 'page-report'}>
      {mayBeNew && !install.data ? (
        <Loaded resource={install} lines={12}>
          {() => null}
        </Loaded>
      ) : !isNew ? (
        <ImportedContext.Provider value={isImported(install)}>
          <OverviewReport
            base={`/v1/analytics/${id}`}
            timeZone={timeZone}
            projectId={id}
            mayNote={role !== 'viewer'}
          />
        </ImportedContext.Provider>
      ) : mayInstall ? (
        <InstallWays project={project} resource={install} />
      ) : (
        <p class="empty">{t.noPageViewsYet}</p>
      )}
    </Page>
  );
}
