import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/common.ts';
import { Skeleton } from './notice.tsx';
import { Page } from './page.tsx';

/**
 * A part of the dashboard that is loaded when somebody comes to it.
 *
 * @param whileLoading what stands in its place
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  whileLoading: ComponentChildren = <LoadingPage />,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (Part) return;
      Promise.all([load(), addStyle('later')]).then(
        ([found]) => {
          loaded = found;
          setPart(() => found);
        },
        () => setFailed(true),
      );
    }, []);
    if (Part) return <Part {...props} />;
    return hasFailed ? <NotLoaded /> : whileLoading;
  };
}

const styles: Record<string, Promise<unknown>> = {};

/** What some parts alone look like: the address is in the page, under this name. */
export function addStyle(name: 'later' | 'flag' | 'icon'): Promise<unknown> {
  styles[name] ??= new Promise((onload, onerror) => {
    const { content: href } = document.querySelector(`meta[name=${name}]`) as HTMLMetaElement;
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'stylesheet', href, onload, onerror }),
    );
  });
  return styles[name];
}

function LoadingPage() {
  return (
    <main id="main" class="page" aria-busy="true">
      <Skeleton lines={12} />
    </main>
  );
}

const retryMs = 3_000;
/** What is missing from a page that was reloaded just now is missing for good. */
const reloadedMs = 60_000;

const wasReloaded = () =>
  performance.now() < reloadedMs &&
  performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'reload');

/** Loads the page again as soon as the server answers, as a browser does not try to load a script twice. */
function useReload(): void {
  useEffect(() => {
    if (wasReloaded()) return;
    const timer = setInterval(async () => {
      const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
      if (answer?.ok) location.reload();
    }, retryMs);
    return () => clearInterval(timer);
  }, []);
}

/** The server may have been updated since: what this page would load is there no more. */
function NotLoaded() {
  useReload();
  return (
    <Page title={t.thisPageCouldNotBeLoaded} class="page-narrow">
      <p>{t.headcountMayHaveBeenUpdated}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        {t.loadItAgain}
      </button>
    </Page>
  );
}
