import { useEffect } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { NewProject } from '../components/new-project.tsx';
import { Page } from '../components/page.tsx';
import { Link, useRouter } from '../router/router.tsx';

interface HomeProps {
  projects: ProjectReply[];
  /** Whether whoever looks may make projects. */
  mayAdd: boolean;
  onProject: (project: ProjectReply) => void;
}

/** Where the address names no project: on to the first one, or to creating one. */
export function Home({ projects, mayAdd, onProject }: HomeProps) {
  const { path, navigate } = useRouter();
  const [first] = projects;
  const isRoot = path === '/';
  useEffect(() => {
    if (isRoot && first) navigate(`/p/${first.id}`, { replace: true });
  }, [isRoot, first, navigate]);
  if (!first) return mayAdd ? <FirstProject onProject={onProject} /> : <NothingShared />;
  return isRoot ? null : <NoProject />;
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

function NoProject() {
  return (
    <Page title="Page not found" class="page-narrow">
      <p>There is no project at this address. It may have been removed.</p>
      <Link href="/" class="button primary">
        Go to the first project
      </Link>
    </Page>
  );
}
