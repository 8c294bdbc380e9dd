import { useEffect } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { lazy } from '../components/lazy.tsx';
import { Page } from '../components/page.tsx';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/frame.ts';

const AllProjects = lazy(async () => (await import('./further.ts')).AllProjects);
const NewProject = lazy(async () => (await import('../projects/new-project.tsx')).NewProject, null);

interface HomeProps {
  projects: ProjectReply[];
  /** Whether the user may make projects. */
  mayAdd: boolean;
  onProject: (project: ProjectReply) => void;
}

/** Where the address names no project: all of them, or on to the only one, or to creating one. */
export function Home({ projects, mayAdd, onProject }: HomeProps) {
  const { path, navigate } = useRouter();
  const [first, second] = projects;
  const isRoot = path === '/';
  const only = second ? undefined : first;
  useEffect(() => {
    if (isRoot && only) navigate(`/p/${only.id}`, { replace: true });
  }, [isRoot, only, navigate]);
  if (!first) return mayAdd ? <FirstProject onProject={onProject} /> : <NothingShared />;
  if (!isRoot) return <NoProject isOnly={only !== undefined} />;
  return only ? null : <AllProjects mayAdd={mayAdd} onProject={onProject} />;
}

function FirstProject({ onProject }: Pick<HomeProps, 'onProject'>) {
  const { navigate } = useRouter();
  const open = (project: ProjectReply) => {
    onProject(project);
    navigate(`/p/${project.id}/install`);
  };
  return (
    <Page title={t.yourFirstProject} class="page-narrow">
      <p class="lead">{t.aProjectIsASiteWhoseVisitors}</p>
      <div class="card">
        <NewProject onProject={open} />
      </div>
    </Page>
  );
}

function NothingShared() {
  return (
    <Page title={t.noProjectYet} class="page-narrow">
      <p>{t.youHaveARoleInNoProjectAsk}</p>
    </Page>
  );
}

function NoProject({ isOnly }: { isOnly: boolean }) {
  return (
    <Page title={t.pageNotFound} class="page-narrow">
      <p>{t.thereIsNoProject}</p>
      <Link href="/" class="button primary">
        {isOnly ? t.goToTheFirstProject : t.goToAllProjects}
      </Link>
    </Page>
  );
}
