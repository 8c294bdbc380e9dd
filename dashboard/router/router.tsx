import type { ComponentChildren, JSX } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';

/** Where one is: path and query of the page's address. */
export interface Place {
  path: string;
  query: URLSearchParams;
  /** Path and query as text. */
  here: string;
  /** False until one has gone from page to page: a page that was just loaded leaves the focus alone. */
  hasMoved: boolean;
  go(href: string, options?: { replace?: boolean }): void;
  /** The present address with some parameters changed; null takes one out. */
  with(changes: Record<string, string | null>): string;
}

const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  return useContext(PlaceContext) as Place;
}

const current = () => location.pathname + location.search;

export function PlaceProvider({ children }: { children: ComponentChildren }) {
  const [{ here, hasMoved }, setState] = useState({ here: current(), hasMoved: false });
  useEffect(() => {
    const follow = () => setState({ here: current(), hasMoved: true });
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const go = useCallback((href: string, { replace = false } = {}) => {
    const before = location.pathname;
    if (replace) history.replaceState(null, '', href);
    else history.pushState(null, '', href);
    if (location.pathname !== before) scrollTo(0, 0);
    setState({ here: current(), hasMoved: true });
  }, []);
  const place = useMemo(() => {
    const url = new URL(here, location.origin);
    const changed = (changes: Record<string, string | null>) => change(url, changes);
    return { path: url.pathname, query: url.searchParams, here, hasMoved, go, with: changed };
  }, [here, hasMoved, go]);
  return <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>;
}

function change(url: URL, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(url.searchParams);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return url.pathname + (text && `?${text}`);
}

interface LinkProps extends Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'href'> {
  href: string;
}

/** A link inside the dashboard: followed without loading the page anew, and still a link for the browser. */
export function Link({ href, ...rest }: LinkProps) {
  const { go } = usePlace();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}

/** Only addresses of this page may be gone to after signing in. */
export function safeNext(next: string | null): string {
  const url = next === null ? null : URL.parse(next, location.origin);
  return url && url.origin === location.origin ? url.pathname + url.search : '/';
}
