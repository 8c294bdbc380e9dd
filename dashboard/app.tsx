import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ProjectReply, ProjectsReply, SessionReply } from '../shared/accounts/admin.ts';
import { ApiClient } from './api/client.ts';
import { ApiContext, type Resource, useApi, useRefresh, useResource } from './api/resource.ts';
import { noteSession } from './api/session-note.ts';
import { lazy } from './components/lazy.tsx';
import { Loaded } from './components/notice.tsx';
import { Page } from './components/page.tsx';
import { Home } from './pages/home.tsx';
import { Project } from './pages/project.tsx';
import { decode, RouterProvider, useRouter } from './router/router.tsx';
import { Shell } from './shell.tsx';
import { t } from './texts/common.ts';

const Installation = lazy(async () => (await import('./pages/further.ts')).Installation);
const Invitation = lazy(async () => (await import('./pages/further.ts')).Invitation);
const Setup = lazy(async () => (await import('./pages/further.ts')).Setup);
const Share = lazy(async () => (await import('./pages/share.tsx')).Share);
const SignIn = lazy(async () => (await import('./pages/sign-in.tsx')).SignIn);
const SignOn = lazy(async () => (await import('./pages/further.ts')).SignOn);

export function App() {
  const [isSignedOut, setSignedOut] = useState(false);
  const [isReachable, setReachable] = useState(true);
  const [changes, setChanges] = useState(0);
  const api = useMemo(
    () =>
      new ApiClient({
        onSignedOut: () => setSignedOut(true),
        onReachable: setReachable,
        onChanged: () => setChanges((before) => before + 1),
      }),
    [],
  );
  const { tick, refresh } = useRefresh(isReachable);
  const state = useMemo(() => ({ api, tick, refresh, changes }), [api, tick, refresh, changes]);
  return (
    <RouterProvider>
      <ApiContext.Provider value={state}>
        <Offline isReachable={isReachable} />
        <Routes isSignedOut={isSignedOut} setSignedOut={setSignedOut} />
      </ApiContext.Provider>
    </RouterProvider>
  );
}

interface RoutesProps {
  isSignedOut: boolean;
  setSignedOut: (isSignedOut: boolean) => void;
}

function Routes({ isSignedOut, setSignedOut }: RoutesProps) {
  const { path } = useRouter();
  const [, page, token] = path.split('/');
  if (page === 'share') return <Share key={token} token={decode(token)} />;
  if (page === 'setup') return <Setup onDone={() => setSignedOut(false)} />;
  if (page === 'invitation') return <Invitation onDone={() => setSignedOut(false)} />;
  if (page === 'sign-in') return <SignIn onDone={() => setSignedOut(false)} />;
  if (page === 'sign-on') return <SignOn onDone={() => setSignedOut(false)} />;
  const signOut = () => {
    noteSession(false);
    setSignedOut(true);
  };
  return isSignedOut ? <ToSignIn /> : <SignedIn onSignedOut={signOut} />;
}

/** To the sign-in page, which leads back to this one. */
function ToSignIn() {
  const { navigate, href } = useRouter();
  useEffect(() => navigate(`/sign-in?next=${encodeURIComponent(href)}`, { replace: true }), [navigate, href]);
  return null;
}

/** The pages behind the sign-in. */
function SignedIn({ onSignedOut }: { onSignedOut: () => void }) {
  // Asking prolongs the session.
  const session = useResource<SessionReply>('/v1/admin/session').data;
  const isOwner = session?.role === 'owner';
  const resource = useResource<ProjectsReply>('/v1/admin/projects', { isLive: true });
  const { projects, put, remove } = useProjects(resource);
  const project = useCurrentProject(projects);
  const { path } = useRouter();
  const isRead = resource.data !== undefined;
  useEffect(() => {
    if (isRead) noteSession(true);
  }, [isRead]);
  return (
    <Shell projects={projects} project={project} mayAdd={isOwner} onProject={put} onSignedOut={onSignedOut}>
      {resource.data === undefined ? (
        <LoadingProjects resource={resource} />
      ) : project ? (
        <Project key={project.id} project={project} onProject={put} onRemoved={remove} />
      ) : path === '/installation' ? (
        session && <Installation projects={projects} session={session} onSignedOut={onSignedOut} />
      ) : (
        session && <Home projects={projects} mayAdd={isOwner} onProject={put} />
      )}
    </Shell>
  );
}

function LoadingProjects({ resource }: { resource: Resource<ProjectsReply> }) {
  return (
    <Page title="Headcount">
      <Loaded resource={resource} lines={12}>
        {() => null}
      </Loaded>
    </Page>
  );
}

/** The projects as they were read, with the changes made since. */
function useProjects({ data, set }: Resource<ProjectsReply>) {
  const { navigate } = useRouter();
  const projects = data?.projects ?? [];
  const without = (id: string) => projects.filter((project) => project.id !== id);
  return {
    projects,
    put: (project: ProjectReply) => {
      const isNew = projects.every(({ id }) => id !== project.id);
      const changed = projects.map((before) => (before.id === project.id ? project : before));
      set({ projects: isNew ? [...projects, project] : changed });
    },
    remove: ({ id }: ProjectReply) => {
      set({ projects: without(id) });
      navigate('/');
    },
  };
}

/** The project that the address names. */
function useCurrentProject(projects: ProjectReply[]): ProjectReply | undefined {
  const { path } = useRouter();
  const [, page, id] = path.split('/');
  return page === 'p' ? projects.find((project) => project.id === id) : undefined;
}

/** Says that what is shown may be out of date. */
function Offline({ isReachable }: { isReachable: boolean }) {
  const { refresh } = useApi();
  const isOnline = useOnline();
  const isOffline = !isOnline || !isReachable;
  return (
    <div class="offline-place" role="status">
      {isOffline && (
        <div class="offline">
          <p>
            {isOnline ? t.theServerDoesNotRespond : t.youAreOffline} {t.mayBeOutOfDate}
          </p>
          <button type="button" class="small" onClick={refresh}>
            {t.tryNow}
          </button>
        </div>
      )}
    </div>
  );
}

function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return isOnline;
}
