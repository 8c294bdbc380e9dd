import { useEffect } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { NewProject } from '../components/new-project.tsx';
import { View } from '../components/view.tsx';
import { Link, usePlace } from '../router/router.tsx';

interface FirstProps {
  projects: ProjectReply[];
  onProject: (project: ProjectReply) => void;
}

/** Where the address names no project: on to the first one, or to making one. */
export function First({ projects, onProject }: FirstProps) {
  const { path, go } = usePlace();
  const [first] = projects;
  const isRoot = path === '/';
  useEffect(() => {
    if (isRoot && first) go(`/p/${first.id}`, { replace: true });
  }, [isRoot, first, go]);
  if (isRoot && first) return null;
  if (first) {
    return (
      <View title="Nothing here" class="view-narrow">
        <p>No project has this address. It may have been removed.</p>
        <Link href="/" class="button primary">
          To the first project
        </Link>
      </View>
    );
  }
  return (
    <View title="Your first project" class="view-narrow">
      <p class="lead">
        A project is a site whose readers are counted. It gets a line of script and keys of its own.
      </p>
      <div class="card">
        <NewProject
          onProject={(project) => {
            onProject(project);
            go(`/p/${project.id}/install`);
          }}
        />
      </div>
    </View>
  );
}
