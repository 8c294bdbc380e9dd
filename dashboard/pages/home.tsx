import { useEffect } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { NewProject } from '../components/new-project.tsx';
import { Page } from '../components/page.tsx';
import { Link, useRouter } from '../router/router.tsx';

interface HomeProps {
  projects: ProjectReply[];
  onProject: (project: ProjectReply) => void;
}

/** Where the address names no project: on to the first one, or to making one. */
export function Home({ projects, onProject }: HomeProps) {
  const { path, navigate } = useRouter();
  const [first] = projects;
  const isRoot = path === '/';
  useEffect(() => {
    if (isRoot && first) navigate(`/p/${first.id}`, { replace: true });
  }, [isRoot, first, navigate]);
  if (isRoot && first) return null;
  if (first) {
    return (
      <Page title="Nothing here" class="page-narrow">
        <p>No project has this address. It may have been removed.</p>
        <Link href="/" class="button primary">
          To the first project
        </Link>
      </Page>
    );
  }
  return (
    <Page title="Your first project" class="page-narrow">
      <p class="lead">
        A project is a site whose readers are counted. It gets a line of script and keys of its own.
      </p>
      <div class="card">
        <NewProject
          onProject={(project) => {
            onProject(project);
            navigate(`/p/${project.id}/install`);
          }}
        />
      </div>
    </Page>
  );
}
