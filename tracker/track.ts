import type { TrackerHit } from '../shared/hit.ts';
import { onNavigation } from './navigation.ts';

/** As the attributes of a script element say it: a switch is on when it is there at all, be it empty. */
export interface Settings {
  project?: string | undefined;
  hash?: string | undefined;
  manual?: string | undefined;
  respectGpc?: string | undefined;
}

/** A URL is its text in JSON. */
type Hit = { [Letter in keyof TrackerHit]?: TrackerHit[Letter] | URL | undefined };

/** Counts views for as long as the page lives. The returned function counts one more; nothing here throws. */
export function track(
  settings: Settings,
  endpoint: URL,
  isSilenced: (settings: Settings) => unknown,
): (url?: string) => void {
  /** Address of the page at the last look, by which navigations are told from other calls. */
  let seen = '';
  /** Address of a view that is not sent yet. */
  let due = '';
  const hit: Hit = { p: settings.project, h: settings.hash == null ? undefined : 1 };

  // A fragment may hold a secret, so it stays here unless it is the route: then `/`, `/#/` and `/#!/` are one.
  const here = () => location.href.replace(hit.h ? /#!?\/?$/ : /#.*/, '');

  async function flush() {
    try {
      // Nobody has seen it so far, and perhaps nobody will.
      if (document.prerendering) return;
      if (due) {
        const address = due;
        due = '';
        hit.r = hit.u || document.referrer || undefined;
        hit.u = new URL(address, location.href);
        if (!isSilenced(settings)) {
          // A string goes as text/plain, which needs no preflight.
          await fetch(endpoint, {
            method: 'POST',
            body: JSON.stringify(hit),
            credentials: 'omit',
            keepalive: true,
          });
        }
      }
    } catch {
      // A page that broke `fetch`, or a server that is away, costs this view and nothing else.
    }
  }

  const moved = async (replaced?: boolean) => {
    if (!replaced) flush();
    const before = seen;
    seen = here();
    // Apps replace the query while somebody filters or scrolls, so a replacement is a view only with another path.
    const ignored = replaced ? /\?[^#]*/g : '';
    if (due || before.replace(ignored, '') !== seen.replace(ignored, '')) {
      due = seen;
      // Routers correct an address right after pushing it, React Router 6 two promises later: that amends the view.
      // A timer would wait for more of them, but the next navigation may come before it.
      await null;
      await null;
      await null;
      await null;
      flush();
    }
  };

  document.addEventListener('prerenderingchange', flush);
  if (settings.manual == null) {
    moved();
    addEventListener('pageshow', (event) => {
      if (event.persisted) {
        seen = '';
        moved();
      }
    });
    onNavigation(moved);
  }

  return (url) => {
    flush();
    due = url || here();
    flush();
  };
}
