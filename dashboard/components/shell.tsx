import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { pagesFor } from '../router/project-pages.ts';
import { Link, useRouter } from '../router/router.tsx';
import { Dialog } from './dialog.tsx';
import { Icon, Logo } from './icon.tsx';
import { NewProject } from './new-project.tsx';
import { ThemeButton } from './theme.tsx';

export function SkipLink() {
  return (
    <a class="skip" href="#main">
      Skip to content
    </a>
  );
}

interface ShellProps {
  projects: ProjectReply[];
  project: ProjectReply | undefined;
  /** Whether whoever looks may make projects. */
  mayAdd: boolean;
  onProject: (project: ProjectReply) => void;
  onSignedOut: () => void;
  children: ComponentChildren;
}

/** The frame of all pages behind the sign-in. */
export function Shell({ projects, project, mayAdd, onProject, onSignedOut, children }: ShellProps) {
  const { api } = useApi();
  const signOut = useAction(async () => {
    await api.send('DELETE', '/v1/admin/session');
    onSignedOut();
  });
  return (
    <>
      <SkipLink />
      <header class="top">
        <div class="top-row">
          <Link href="/" class="brand" aria-label="Headcount, home">
            <Logo />
            <span>Headcount</span>
          </Link>
          {project && (
            <Switcher projects={projects} project={project} mayAdd={mayAdd} onProject={onProject} />
          )}
          <span class="stretch" />
          <Link
            href="/installation"
            class="button quiet icon-button"
            aria-label="Installation"
            title="Installation"
          >
            <Icon name="gear" />
          </Link>
          <ThemeButton />
          <button
            type="button"
            class="quiet icon-button"
            onClick={() => signOut.run()}
            aria-label="Sign out"
            title="Sign out"
          >
            <Icon name="out" />
          </button>
        </div>
        {project && <Tabs project={project} />}
      </header>
      {children}
    </>
  );
}

function Tabs({ project: { id, role } }: { project: ProjectReply }) {
  const { path } = useRouter();
  const base = `/p/${id}`;
  return (
    <nav class="tabs" aria-label="Project">
      {pagesFor(role).map(({ end, name }) => {
        const isHere = end === '' ? path === base : path.startsWith(base + end);
        return (
          <Link key={end} href={base + end} aria-current={isHere ? 'page' : undefined}>
            {name}
          </Link>
        );
      })}
    </nav>
  );
}

/** Other projects, and a new one. A popover closes by itself on Escape and on a click beside it. */
function Switcher({
  projects,
  project,
  mayAdd,
  onProject,
}: Pick<ShellProps, 'projects' | 'mayAdd' | 'onProject'> & { project: ProjectReply }) {
  const menu = useRef<HTMLDivElement>(null);
  const [isAdding, setAdding] = useState(false);
  const close = () => menu.current?.hidePopover();
  const add = () => {
    close();
    setAdding(true);
  };
  return (
    <>
      <button
        type="button"
        class="quiet switcher"
        popovertarget="projects"
        aria-label={`Project ${project.name}, switch`}
      >
        <bdi>{project.name}</bdi>
        <Icon name="down" />
      </button>
      <div ref={menu} id="projects" class="menu" popover="auto">
        <ProjectList projects={projects} current={project} onChoose={close} />
        {mayAdd && (
          <button type="button" class="quiet" onClick={add}>
            <Icon name="plus" /> New project
          </button>
        )}
      </div>
      {isAdding && <AddProject onProject={onProject} onClose={() => setAdding(false)} />}
    </>
  );
}

interface ProjectListProps {
  projects: ProjectReply[];
  current: ProjectReply;
  onChoose: () => void;
}

/** More than so many are searched. */
const maxUnsearched = 8;

function ProjectList({ projects, current, onChoose }: ProjectListProps) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = projects.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      {projects.length > maxUnsearched && <ProjectSearch value={search} onText={setSearch} />}
      <nav aria-label="Projects">
        {found.length === 0 && <p class="empty">No project has this name.</p>}
        {found.map(({ id, name }) => (
          <Link
            key={id}
            href={`/p/${id}`}
            aria-current={id === current.id ? 'true' : undefined}
            onClickCapture={onChoose}
          >
            <bdi>{name}</bdi>
            {id === current.id && <Icon name="done" />}
          </Link>
        ))}
      </nav>
    </>
  );
}

function ProjectSearch({ value, onText }: { value: string; onText: (text: string) => void }) {
  return (
    <label class="search">
      <span class="unseen">Search projects</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder="Search"
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </label>
  );
}

function AddProject({ onProject, onClose }: Pick<ShellProps, 'onProject'> & { onClose: () => void }) {
  const { navigate } = useRouter();
  const open = (added: ProjectReply) => {
    onClose();
    onProject(added);
    navigate(`/p/${added.id}/install`);
  };
  return (
    <Dialog title="New project" onClose={onClose}>
      <NewProject onProject={open} />
    </Dialog>
  );
}
