import type { ComponentChildren } from 'preact';
import type { ProjectReply } from '../shared/accounts/admin.ts';
import { useAction } from './api/action.ts';
import { useApi } from './api/context.ts';
import { useChosenInSight } from './components/chosen-in-sight.ts';
import { Icon, Logo } from './components/icon.tsx';
import { LanguageMenu } from './components/language-menu.tsx';
import { SkipLink } from './components/skip-link.tsx';
import { ThemeButton } from './components/theme.tsx';
import { Switcher } from './projects/switcher.tsx';
import { pagesFor } from './router/project-pages.ts';
import { Link, useRouter } from './router/router.tsx';
import { t } from './texts/frame.ts';

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
        {project && <Tabs project={project} />}
      </header>
      {children}
    </>
  );
}

function Tabs({ project: { id, role } }: { project: ProjectReply }) {
  const { path } = useRouter();
  const base = `/p/${id}`;
  const row = useChosenInSight(path);
  return (
    <nav ref={row} class="tabs" aria-label={t.project}>
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
