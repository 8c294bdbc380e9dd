import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { ApiClient, RequestError } from './client.ts';

/** Something read from the server. While it is being read again, the last data stays. */
export interface Resource<T> {
  data: T | undefined;
  failure: RequestError | undefined;
  isBusy: boolean;
  reload(): void;
  /** Replaces the data by what the answer to a change said. */
  set(data: T): void;
}

interface State<T> {
  /** The path that `data` was read from. */
  path: string | null;
  data: T | undefined;
  failure: RequestError | undefined;
  isBusy: boolean;
}

/** Data of another path stays this long, so that quick answers take its place without a flicker. */
const otherDataMs = 150;

interface Rereading {
  /** It is read again with each tick. */
  isLive?: boolean;
  /** It is read again after each change that was made here. */
  followsChanges?: boolean;
}

/** @param path null: nothing to read yet. */
export function useResource<T>(
  path: string | null,
  { isLive = false, followsChanges = false }: Rereading = {},
): Resource<T> {
  const { api, tick, changes } = useApi();
  const [state, setState] = useState<State<T>>({ path, data: undefined, failure: undefined, isBusy: true });
  const [reloads, setReloads] = useState(0);
  const lastTick = useRef(tick);
  // Another reload, tick or change reads the same path again.
  useEffect(() => {
    const isTick = lastTick.current !== tick;
    lastTick.current = tick;
    // What was refused is refused again.
    if (path === null || (isTick && state.path === path && state.failure?.isRefusal)) return;
    const controller = new AbortController();
    setState((before) => ({ ...before, isBusy: before.path !== path || isBare(before, isTick) }));
    const timer = setTimeout(() => setState((before) => forgetOther(before, path)), otherDataMs);
    api.get<T>(path, controller.signal).then(
      (data) => controller.signal.aborted || setState({ path, data, failure: undefined, isBusy: false }),
      (failure: RequestError) =>
        controller.signal.aborted || setState((before) => fail(before, path, failure)),
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [api, path, reloads, isLive ? tick : 0, followsChanges ? changes : 0]);
  const reload = useCallback(() => setReloads((before) => before + 1), []);
  // What could not be reached is read again with all that is live.
  const isUnreached = state.failure?.isUnreachable ?? false;
  useEffect(() => {
    if (isUnreached && !isLive) reload();
  }, [tick]);
  const set = useCallback(
    (data: T) => setState((before) => ({ ...before, data, failure: undefined, isBusy: false })),
    [],
  );
  return { data: state.data, failure: state.failure, isBusy: state.isBusy, reload, set };
}

/** Whether there is nothing to show meanwhile. What could not be read stays so on a tick, as it would blink each minute. */
function isBare<T>({ data, failure }: State<T>, isTick: boolean): boolean {
  return data === undefined && !(isTick && failure !== undefined);
}

/** Numbers of other days, or of another page, would be taken for those that were asked for. */
function forgetOther<T>(before: State<T>, path: string): State<T> {
  return before.path === path ? before : { ...before, path, data: undefined, failure: undefined };
}

/** Old data of the same path may stay; data of another path would be taken for what could not be read. */
function fail<T>(before: State<T>, path: string, failure: RequestError): State<T> {
  const data = before.path === path ? before.data : undefined;
  return { path, data, failure, isBusy: false };
}

export interface ApiState {
  api: ApiClient;
  /** Counts up each minute while the page is visible, and when the server is back: what is shown is read again. */
  tick: number;
  refresh(): void;
  /** Counts up with each change that was made here. */
  changes: number;
}

export const ApiContext = createContext<ApiState | null>(null);

export function useApi(): ApiState {
  return useContext(ApiContext) as ApiState;
}

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
