import { useEffect, useRef } from 'preact/hooks';

/** Runs the task again and again while the page is visible, each time `everyMs` after the last run has ended. */
export function usePolling(task: () => Promise<unknown>, everyMs: number, isOn = true): void {
  const latest = useRef(task);
  latest.current = task;
  useEffect(() => {
    if (!isOn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const run = async () => {
      clearTimeout(timer);
      if (document.hidden) return;
      await latest.current().catch(() => undefined);
      if (!isOver) timer = setTimeout(run, everyMs);
    };
    document.addEventListener('visibilitychange', run);
    run();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [everyMs, isOn]);
}
