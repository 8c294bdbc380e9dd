import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

const everyMs = 60_000;
/** While the server cannot be reached. */
const retryMs = 5_000;

interface Refresh {
  /** Counts up with each refresh. */
  tick: number;
  refresh: () => void;
}

/** Refreshes each minute while the page is visible, sooner while the server is gone, and when it is back. */
export function useRefresh(isReachable: boolean): Refresh {
  const [tick, setTick] = useState(0);
  const refresh = useCallback(() => setTick((before) => before + 1), []);
  useEffect(() => {
    const refreshIfVisible = () => document.hidden || refresh();
    const timer = setInterval(refreshIfVisible, isReachable ? everyMs : retryMs);
    addEventListener('online', refresh);
    document.addEventListener('visibilitychange', refreshIfVisible);
    return () => {
      clearInterval(timer);
      removeEventListener('online', refresh);
      document.removeEventListener('visibilitychange', refreshIfVisible);
    };
  }, [refresh, isReachable]);
  const wasReachable = useRef(true);
  useEffect(() => {
    if (isReachable && !wasReachable.current) refresh();
    wasReachable.current = isReachable;
  }, [isReachable, refresh]);
  return { tick, refresh };
}
