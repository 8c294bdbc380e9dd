import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { Icon } from '../components/icon.tsx';
import { lazy } from '../components/lazy.tsx';
import { byName, findByName } from '../formats/project-names.ts';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/frame.ts';
import { fill } from '../texts/part.ts';

const AddProject = lazy(async () => (await import('./new-project.tsx')).AddProject, null);

interface SwitcherProps {
  projects: ProjectReply[];
  project: ProjectReply;
  /** Whether the user may make projects. */
  mayAdd: boolean;
  onProject: (project: ProjectReply) => void;
}

/** Other projects, and a new one. A popover closes by itself on Escape and on a click beside it. */
export function Switcher({ projects, project, mayAdd, onProject }: SwitcherProps) {
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
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
        aria-label={fill(t.projectSwitch, { name: project.name })}
      >
        <bdi>{project.name}</bdi>
        <Icon name="down" />
      </button>
      <div
        ref={menu}
        id="projects"
        class="menu"
        popover="auto"
        onBeforeToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && <ProjectList projects={projects} current={project} onChoose={close} />}
        {projects.length > 1 && (
          <Link href="/" onClickCapture={close}>
            {t.allProjects}
          </Link>
        )}
        {mayAdd && (
          <button type="button" class="quiet" onClick={add}>
            <Icon name="plus" /> {t.newProject}
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
  const { navigate } = useRouter();
  const [search, setSearch] = useState('');
  const found = findByName(projects, search).sort(byName);
  const openFirst = () => {
    const [first] = found;
    if (!first) return;
    onChoose();
    navigate(`/p/${first.id}`);
  };
  return (
    <>
      {projects.length > maxUnsearched && (
        <ProjectSearch value={search} onText={setSearch} onEnter={openFirst} />
      )}
      <nav aria-label={t.projects}>
        {found.length === 0 && <p class="empty">{t.noProjectHasThisName}</p>}
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

interface ProjectSearchProps {
  value: string;
  onText: (text: string) => void;
  /** Opens the first that was found. */
  onEnter: () => void;
}

/** Has the focus as soon as it is there: who opens a long list is about to type. */
function ProjectSearch({ value, onText, onEnter }: ProjectSearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // The popover is shown right after this.
    const frame = requestAnimationFrame(() => input.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <label class="search">
      <span class="unseen">{t.searchProjects}</span>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        placeholder={t.search}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // The button of the menu has the focus next, and would open it again.
          event.preventDefault();
          onEnter();
        }}
      />
    </label>
  );
}
