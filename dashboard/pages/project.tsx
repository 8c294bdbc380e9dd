import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { lazy } from '../components/lazy.tsx';
import { Page } from '../components/page.tsx';
import { ProjectRoleContext, useMayOpen } from '../router/project-pages.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/frame.ts';
import { Overview } from './overview.tsx';

const further = () => import('./further.ts');
const Install = lazy(async () => (await further()).Install);
const Job = lazy(async () => (await further()).Job);
const Jobs = lazy(async () => (await further()).Jobs);
const Keys = lazy(async () => (await further()).Keys);
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
    <ProjectRoleContext.Provider value={props.project.role}>
      <ProjectPage {...props} />
    </ProjectRoleContext.Provider>
  );
}

function ProjectPage(props: ProjectProps) {
  const { project } = props;
  const { path } = useRouter();
  const [, , , page = '', item, more] = path.replace(/\/$/, '').split('/');
  const mayOpen = useMayOpen(`/${page}`);
  if (page === '') return <Overview project={project} />;
  if (!mayOpen) return <NoPage project={project} />;
  if (page === 'jobs' && item !== undefined && more === undefined)
    return <Job key={item} project={project} id={item} />;
  if (item === undefined) {
    if (page === 'install') return <Install project={project} />;
    if (page === 'rules') return <Rules project={project} />;
    if (page === 'keys') return <Keys project={project} />;
    if (page === 'jobs') return <Jobs project={project} />;
    if (page === 'settings') return <Settings {...props} />;
  }
  return <NoPage project={project} />;
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
