import { useEffect } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { lazy } from '../components/lazy.tsx';
import { Page } from '../components/page.tsx';
import { NewProject } from '../projects/new-project.tsx';
import { Link, useRouter } from '../router/router.tsx';

const AllProjects = lazy(async () => (await import('./further.ts')).AllProjects);

interface HomeProps {
  projects: ProjectReply[];
  /** Whether whoever looks may make projects. */
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
    <Page title="Your first project" class="page-narrow">
      <p class="lead">
        A project is a site whose visitors are counted. It gets a script and keys of its own.
      </p>
      <div class="card">
        <NewProject onProject={open} />
      </div>
    </Page>
  );
}

function NothingShared() {
  return (
    <Page title="No project yet" class="page-narrow">
      <p>You have a role in no project. Ask an owner to give you one.</p>
    </Page>
  );
}

function NoProject({ isOnly }: { isOnly: boolean }) {
  return (
    <Page title="Page not found" class="page-narrow">
      <p>There is no project at this address. It may have been removed.</p>
      <Link href="/" class="button primary">
        Go to {isOnly ? 'the first project' : 'all projects'}
      </Link>
    </Page>
  );
}
