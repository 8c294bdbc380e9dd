import type { TrackerHit } from '../shared/hit.ts';
import { visibleSeconds } from '../shared/visible-time.ts';
import { agents } from './agents.ts';
import { explain } from './explain.ts';
import { ofDocument } from './page.ts';

declare global {
  interface Navigator {
    /** https://www.w3.org/TR/gpc/ */
    globalPrivacyControl?: boolean;
  }
}

/** As the attributes of a script element say it: a switch is on when it is there at all, be it empty. */
export interface Settings {
  project?: string | undefined;
  hash?: string | undefined;
  manual?: string | undefined;
  respectGpc?: string | undefined;
  time?: string | undefined;
}

/** How many seconds the view was in sight. */
interface Seen {
  t?: number;
}

/** A URL is its text in JSON, and what is undefined stays away. */
interface Hit extends Partial<Record<keyof TrackerHit, unknown>> {
  u?: URL & Seen;
  a: string;
}

/** Reports something that happened on the page. */
export type SendEvent = (name: string, properties?: Record<string, unknown>) => void;

/** Sends what happens on a page besides its views. @returns looks at each new address */
type Further = (send: SendEvent) => () => void;

/**
 * Counts views for as long as the page lives. The returned function counts one more; nothing here throws.
 *
 * One long function, as the script has 950 bytes: names that its parts share would be properties, which pack worse.
 *
 * @param further where it is left out, nothing of that is in the built script
 */
export function track(
  settings: Settings,
  endpoint: URL,
  further?: Further,
  isStopped?: () => boolean,
): (url?: string) => void {
  /** Address of the page at the last look, by which navigations are distinguished from other calls. */
  let seen = '';
  /** Address of a view that is not sent yet. */
  let due = '';
  let look = () => {};
  let hit: Hit = { p: settings.project, h: settings.hash, a: '' };
  /** Of a landing Chromium says here which passage a link was to (`#:~:text=`), which an address leaves out. */
  let passage = '';

  // A fragment may hold a secret, so it stays here unless it is the route: then `/`, `/#/` and `/#!/` are one.
  const here = (_?: unknown) => location.href.replace(settings.hash != null ? /#!?\/?$/ : /#.*/, '');

  /**
   * The browser's owner asks not to be counted and the site respects that, or the page is a local file. What is cast is
   * made a text or a number by its operator, which packs better than saying so.
   */
  const isSilenced = () =>
    !/^h/.test(location as unknown as string) ||
    (settings.respectGpc != null &&
      (navigator.doNotTrack as unknown as number) | (navigator.globalPrivacyControl as unknown as number)) ||
    isStopped?.();

  /** Sends the view that is due, or that an agent has come to the one before. */
  const flush = async () => {
    const about = explain && { page: due, event: hit.e };
    try {
      // In the background, prerendered, or in a frame without a size, such as one for a silent sign-in: nobody has seen it so
      // far, and perhaps nobody will. What happens on a page happens all the same.
      if ((innerHeight * innerWidth < 1000 || ofDocument('hidden')) && !(further && hit.e))
        return explain?.('hidden', about);
      let news = due;
      due = '';
      hit.r = hit.u || ofDocument('referrer') + passage;
      if (news) {
        // Longer queries than any that is counted, such as a playground's code, are cut: a hit has its limits.
        // All browsers have the other name of URL, and no page has a variable of that name.
        hit.u = new webkitURL(news.slice(0, 8000), location as unknown as string);
        hit.a = navigator.webdriver ? 'w' : '';
        hit.s = innerWidth >> 8;
      }
      try {
        if ('headcount.ignore' in localStorage) return explain?.('ignored', about);
      } catch {
        // Where storage is blocked, as in a sandboxed frame, nobody can have set the flag.
      }
      // To the server the first letter that names a client is the view's. A hit for a later one has the page itself
      // as its referrer, and so no source.
      agents.replace(/(\S)(\S+)/g, (_agent, letter, mark) => {
        if (
          !hit.a.match(letter) &&
          (window[mark as never] || (ofDocument('all')[0] as Element).querySelector(mark))
        ) {
          hit.a = news = letter + hit.a;
        }
        return undefined as never;
      });
      if (news && hit.u && !isSilenced()) {
        const answer = await fetch(endpoint, {
          keepalive: 1 as unknown as true,
          credentials: 'omit',
          method: 'POST',
          // A string goes as text/plain, which needs no preflight.
          body: JSON.stringify(hit),
        });
        explain?.(answer, about);
      } else explain?.('unwanted', about);
    } catch (error) {
      // A page that broke `fetch`, or a server that is away, costs this view and nothing else.
      explain?.(error as Error, about);
    }
  };

  const moved = async ({ navigationType }: { navigationType?: string }) => {
    if (further) look();
    if (settings.manual != null) return explain?.('manual');
    const before = seen;
    // Apps replace the query while somebody filters or scrolls, so a replacement is a view only with another path, and a
    // slash at the end is none.
    const ignored = /^r/.test(navigationType as string) ? /\/?(\?[^#]*|$)/ : '';
    if (!ignored) flush();
    seen = here();
    if (due || before.replace(ignored, '') !== seen.replace(ignored, '')) {
      due = seen;
      // Routers correct an address right after pushing it, React Router 6 two promises later: that amends the view.
      // A timer would wait for more of them, but the next navigation may come before it.
      await await await await 0;
      flush();
    }
  };

  // Looking now and then finds what no observer of mutations could, globals, and costs a page that changes all the time
  // nothing more. The next look waits a second, and a millisecond for each element, as it takes the longer the more there
  // are. It does not wait for those while a view is due, which is sent once the page comes into sight.
  const lookAgain = () => {
    flush();
    setTimeout(lookAgain, 1000 + (!due as unknown as number) * ofDocument('all').length);
  };
  lookAgain();
  moved(location as never);
  addEventListener('popstate', moved as never);
  addEventListener('pageshow', moved as never);
  addEventListener('pagehide', () => {
    flush();
    // A page that comes back from the back/forward cache is seen anew.
    seen = '';
  });
  try {
    // Right after each change of the address that loads no new document. What else a page has by that name throws.
    passage = /:~.*|$/.exec(
      (navigation.currentEntry as NavigationHistoryEntry).url as string,
    ) as unknown as string;
    navigation.addEventListener('currententrychange', moved as never);
  } catch {
    // Firefox before 147 and Safari before 26.2. On the prototype, as routers borrow its methods or freeze `history`.
    for (const navigationType of ['replaceState', 'pushState'] as const) {
      const original = History.prototype[navigationType];
      History.prototype[navigationType] = function (...args) {
        original.apply(this, args);
        moved({ navigationType });
      };
    }
  }

  const view = (url?: string) => {
    flush();
    due = url || here();
    flush();
  };
  if (further) {
    /** What is no view is sent before this returns, and no view has changed by it. */
    const send = (more: Partial<Hit> | Seen, page: unknown) => {
      if (due) flush();
      const before = [hit, due] as const;
      due = page as string;
      hit = { ...hit, ...more };
      flush();
      page = hit.a;
      [hit, due] = before;
      // An agent that has come shows in what was sent, and only then is it worth a second look to report it.
      if (page !== hit.a) flush();
    };
    look = further((e, v) => send({ e, v }, here()));
    if (settings.time != null) {
      // Only what is in sight is seen. To a second, or too short where a browser stretches these.
      setInterval(() => {
        const { u } = hit;
        // It stands on the address, which is another object for each view and has nothing else of its own to report.
        // biome-ignore lint/suspicious/noAssignInExpressions: packs better
        if (u && !ofDocument('hidden') && visibleSeconds.includes((u.t = -~(u.t as number)) as never))
          send(u, String(u));
      }, 1000);
    }
  }

  return view;
}
