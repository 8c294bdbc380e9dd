import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

const everyMs = 60_000;

interface Refresh {
  /** Counts up with each refresh. */
  tick: number;
  refresh: () => void;
}

/** Refreshes each minute while the page is visible, and when the server can be reached again. */
export function useRefresh(isReachable: boolean): Refresh {
  const [tick, setTick] = useState(0);
  const refresh = useCallback(() => setTick((before) => before + 1), []);
  useEffect(() => {
    const refreshIfVisible = () => document.hidden || refresh();
    const timer = setInterval(refreshIfVisible, everyMs);
    addEventListener('online', refresh);
    document.addEventListener('visibilitychange', refreshIfVisible);
    return () => {
      clearInterval(timer);
      removeEventListener('online', refresh);
      document.removeEventListener('visibilitychange', refreshIfVisible);
    };
  }, [refresh]);
  const wasReachable = useRef(true);
  useEffect(() => {
    if (isReachable && !wasReachable.current) refresh();
    wasReachable.current = isReachable;
  }, [isReachable, refresh]);
  return { tick, refresh };
}
