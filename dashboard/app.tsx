import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ProjectReply, ProjectsReply, SessionReply } from '../shared/admin.ts';
import { Api, ToolsContext } from './api/api.tsx';
import { useReading } from './api/reading.ts';
import { Loaded } from './components/notice.tsx';
import { Offline } from './components/offline.tsx';
import { Shell } from './components/shell.tsx';
import { View } from './components/view.tsx';
import { First } from './pages/first.tsx';
import { Project } from './pages/project.tsx';
import { Setup } from './pages/setup.tsx';
import { Share } from './pages/share.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { PlaceProvider, usePlace } from './router/router.tsx';

const beatMs = 60_000;

export function App() {
  return (
    <PlaceProvider>
      <Connected />
    </PlaceProvider>
  );
}

/** Knows whether the server is there, and who is signed in. */
function Connected() {
  const [isSignedOut, setSignedOut] = useState(false);
  const [isReached, setReached] = useState(true);
  const [beat, setBeat] = useState(0);
  const api = useMemo(() => new Api({ onSignedOut: () => setSignedOut(true), onReach: setReached }), []);
  const refresh = useCallback(() => setBeat((before) => before + 1), []);
  const tools = useMemo(() => ({ api, beat, refresh }), [api, beat, refresh]);
  useEffect(() => {
    const look = () => document.hidden || refresh();
    const timer = setInterval(look, beatMs);
    addEventListener('online', refresh);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      removeEventListener('online', refresh);
      document.removeEventListener('visibilitychange', look);
    };
  }, [refresh]);
  // What could not be read is read once the server is back.
  const wasAway = useRef(false);
  useEffect(() => {
    if (isReached && wasAway.current) refresh();
    wasAway.current = !isReached;
  }, [isReached, refresh]);
  return (
    <ToolsContext.Provider value={tools}>
      <Offline isReached={isReached} />
      <Pages isSignedOut={isSignedOut} setSignedOut={setSignedOut} />
    </ToolsContext.Provider>
  );
}

interface PagesProps {
  isSignedOut: boolean;
  setSignedOut: (isSignedOut: boolean) => void;
}

function Pages({ isSignedOut, setSignedOut }: PagesProps) {
  const { path } = usePlace();
  const [, first, token] = path.split('/');
  if (first === 'share') return <Share key={token} token={decode(token)} />;
  if (first === 'setup') return <Setup onDone={() => setSignedOut(false)} />;
  if (first === 'sign-in') return <SignIn onDone={() => setSignedOut(false)} />;
  return isSignedOut ? <Away /> : <Inside onSignedOut={() => setSignedOut(true)} />;
}

function decode(text = ''): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** To the sign-in, and from there back to where one was. */
function Away() {
  const { go, here } = usePlace();
  useEffect(() => go(`/sign-in?next=${encodeURIComponent(here)}`, { replace: true }), [go, here]);
  return null;
}

/** For who is signed in. */
function Inside({ onSignedOut }: { onSignedOut: () => void }) {
  const { go } = usePlace();
  // Asking makes the session last longer.
  useReading<SessionReply>('/v1/admin/session');
  const reading = useReading<ProjectsReply>('/v1/admin/projects', { isLive: true });
  const projects = reading.data?.projects ?? [];
  const put = (project: ProjectReply) =>
    reading.set({ projects: [...projects.filter(({ id }) => id !== project.id), project] });
  const remove = (removed: ProjectReply) => {
    reading.set({ projects: projects.filter(({ id }) => id !== removed.id) });
    go('/');
  };
  const project = useProject(projects);
  return (
    <Shell projects={projects} project={project} onProject={put} onSignedOut={onSignedOut}>
      {reading.data === undefined ? (
        <View title="Headcount">
          <Loaded reading={reading} lines={12}>
            {() => null}
          </Loaded>
        </View>
      ) : project ? (
        <Project
          key={project.id}
          project={project}
          onProject={put}
          onRemoved={remove}
          onSignedOut={onSignedOut}
        />
      ) : (
        <First projects={projects} onProject={put} />
      )}
    </Shell>
  );
}

/** The project that the address names. */
function useProject(projects: ProjectReply[]): ProjectReply | undefined {
  const { path } = usePlace();
  const [, first, id] = path.split('/');
  return first === 'p' ? projects.find((project) => project.id === id) : undefined;
}
