import type { ComponentChildren, JSX } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { addressOf, pathOf } from './address.ts';
import { mayLeave } from './unsaved.ts';

/** The page's address: its path and query, and ways to change them. */
export interface Router {
  path: string;
  query: URLSearchParams;
  /** Path and query as text. */
  href: string;
  /** False until somebody has gone from page to page: a page that was just loaded leaves the focus where it is. */
  hasNavigated: boolean;
  /** @param isClick it is answered at once, and what it asks for is drawn after that */
  navigate(href: string, options?: { replace?: boolean; isClick?: boolean }): void;
  /** The present address with some parameters changed; null removes one. */
  hrefWith(changes: Record<string, string | null>): string;
}

const RouterContext = createContext<Router | null>(null);

export function useRouter(): Router {
  return useContext(RouterContext) as Router;
}

const currentHref = () => pathOf(location.pathname) + location.search;

export function RouterProvider({ children }: { children: ComponentChildren }) {
  const [{ href, hasNavigated }, setState] = useState({ href: currentHref(), hasNavigated: false });
  const shown = useRef(href);
  shown.current = href;
  useEffect(() => {
    const follow = () => {
      if (isOtherPage(shown.current, currentHref()) && !mayLeave()) {
        history.pushState(null, '', addressOf(shown.current));
      } else setState({ href: currentHref(), hasNavigated: true });
    };
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const navigate = useCallback((to: string, { replace = false, isClick = false } = {}) => {
    const pathBefore = location.pathname;
    if (isOtherPage(currentHref(), to) && !mayLeave()) return;
    if (replace) history.replaceState(null, '', addressOf(to));
    else history.pushState(null, '', addressOf(to));
    const draw = () => {
      if (location.pathname !== pathBefore) scrollTo(0, 0);
      setState({ href: currentHref(), hasNavigated: true });
    };
    if (isClick) afterPaint(draw);
    else draw();
  }, []);
  const router = useMemo(() => {
    const url = new URL(href, location.origin);
    const hrefWith: Router['hrefWith'] = (changes) => withParameters(url, changes);
    return { path: url.pathname, query: url.searchParams, href, hasNavigated, navigate, hrefWith };
  }, [href, hasNavigated, navigate]);
  return <RouterContext.Provider value={router}>{children}</RouterContext.Provider>;
}

/** A page in the background is not painted. */
function afterPaint(then: () => void): void {
  if (document.hidden) then();
  else requestAnimationFrame(() => setTimeout(then));
}

const isOtherPage = (one: string, other: string) => one.split(/[?#]/)[0] !== other.split(/[?#]/)[0];

function withParameters(url: URL, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(url.searchParams);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return url.pathname + (text && `?${text}`);
}

/** A part of an address as text; what is no escape stays as it is. */
export function decode(text = ''): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The page number of a list; what is no number is the first page. */
export function parsePageNumber(text: string | null): number {
  return Math.min(Math.max(1, Math.floor(Number(text)) || 1), 1e9);
}

interface LinkProps extends Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'href'> {
  href: string;
  /** Called before it is followed without loading the page again. */
  onFollow?: (link: HTMLAnchorElement) => void;
}

/** A link inside the dashboard: followed without loading the page again, and still a link for the browser. */
export function Link({ href, onFollow, ...rest }: LinkProps) {
  const { navigate } = useRouter();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (event.currentTarget instanceof HTMLAnchorElement) onFollow?.(event.currentTarget);
    navigate(href, { isClick: true });
  };
  return <a href={addressOf(href)} onClick={follow} {...rest} />;
}

/** Where to go after signing in: only to addresses of the dashboard itself. */
export function safeRedirect(next: string | null): string {
  const url = next === null ? null : URL.parse(next, location.origin);
  // By itself a path that begins with two slashes is another site's address.
  const isOwn = url?.origin === location.origin && !url.pathname.startsWith('//');
  return isOwn ? url.pathname + url.search : '/';
}
