import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ProjectReply } from '../shared/accounts/admin.ts';
import { useAction } from './api/action.ts';
import { useApi } from './api/resource.ts';
import { Icon, Logo } from './components/icon.tsx';
import { LanguageMenu } from './components/language-menu.tsx';
import { lazy } from './components/lazy.tsx';
import { SkipLink } from './components/page.tsx';
import { Tabs } from './components/tabs.tsx';
import { ThemeButton } from './components/theme.tsx';
import { Switcher } from './projects/switcher.tsx';
import { pagesFor } from './router/project-pages.ts';
import { Link } from './router/router.tsx';
import { t as common } from './texts/common.ts';
import { t } from './texts/frame.ts';

const Palette = lazy(async () => (await import('./projects/palette.tsx')).Palette, null);

interface ShellProps {
  projects: ProjectReply[];
  project: ProjectReply | undefined;
  /** Whether the user may make projects. */
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
          <Link href="/" class="brand" aria-label={t.headcountHome}>
            <Logo />
            <span>Headcount</span>
          </Link>
          {project && (
            <Switcher projects={projects} project={project} mayAdd={mayAdd} onProject={onProject} />
          )}
          <span class="stretch" />
          <PaletteButton projects={projects} project={project} />
          <Link
            href="/installation"
            class="button quiet icon-button"
            aria-label={t.installation}
            title={t.installation}
          >
            <Icon name="gear" />
          </Link>
          <LanguageMenu />
          <ThemeButton />
          <button
            type="button"
            class="quiet icon-button"
            onClick={() => signOut.run()}
            aria-label={t.signOut}
            title={t.signOut}
          >
            <Icon name="out" />
          </button>
        </div>
        {project && <Tabs label={t.project} base={`/p/${project.id}`} pages={pagesFor(project.role)} />}
      </header>
      {children}
    </>
  );
}

/** Opens the list of all that one can go to, as Ctrl+K and ⌘K do. */
function PaletteButton(props: Pick<ShellProps, 'projects' | 'project'>) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isK = event.key === 'k' || (event.code === 'KeyK' && event.key > 'z');
      if (!isK || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        class="quiet icon-button wide-only"
        aria-label={common.goTo}
        title={common.goTo}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" />
      </button>
      {isOpen && <Palette {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
