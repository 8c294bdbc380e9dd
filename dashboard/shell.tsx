import type { ComponentChildren } from 'preact';
import type { ProjectReply } from '../shared/accounts/admin.ts';
import { useAction } from './api/action.ts';
import { useApi } from './api/resource.ts';
import { Icon, Logo } from './components/icon.tsx';
import { LanguageMenu } from './components/language-menu.tsx';
import { SkipLink } from './components/page.tsx';
import { Tabs } from './components/tabs.tsx';
import { ThemeButton } from './components/theme.tsx';
import { Switcher } from './projects/switcher.tsx';
import { pagesFor } from './router/project-pages.ts';
import { Link } from './router/router.tsx';
import { t } from './texts/frame.ts';

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
