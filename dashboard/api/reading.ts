import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Refusal, useTools } from './api.tsx';

/** Something read from the server. While it is read again, what was read before stays. */
export interface Reading<T> {
  data: T | undefined;
  failure: Refusal | undefined;
  isBusy: boolean;
  reload(): void;
  /** Puts in what an answer to a change said. */
  set(data: T): void;
}

/** @param path null: nothing to read yet. */
export function useReading<T>(path: string | null, { isLive = false } = {}): Reading<T> {
  const { api, beat } = useTools();
  const [state, setState] = useState<{ data?: T; failure?: Refusal; isBusy: boolean }>({ isBusy: true });
  const [round, setRound] = useState(0);
  const when = isLive ? beat : 0;
  // A new round or beat reads the same again.
  useEffect(() => {
    if (path === null) return;
    const controller = new AbortController();
    setState((before) => ({ ...before, isBusy: true }));
    api.get<T>(path, controller.signal).then(
      (data) => controller.signal.aborted || setState({ data, isBusy: false }),
      (failure: Refusal) =>
        controller.signal.aborted || setState((before) => ({ ...before, failure, isBusy: false })),
    );
    return () => controller.abort();
  }, [api, path, round, when]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const set = useCallback((data: T) => setState({ data, isBusy: false }), []);
  return { data: state.data, failure: state.failure, isBusy: state.isBusy, reload, set };
}

/** Calls again and again, each time after the last call has ended, while the page is looked at. */
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
