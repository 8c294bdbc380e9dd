import type { EventSettings } from './clicks.ts';
import { onNavigation } from './navigation.ts';
import type { TellEvent } from './track.ts';

/** Tells of pages that are not there, and of searches on the site, where that is asked for. */
export function tellArrivals(tell: TellEvent, settings: EventSettings): void {
  const names = settings.search ? settings.search.split(',') : [];
  let searched: string | undefined;
  const look = () => {
    const { searchParams } = new URL(location.href);
    const query = names.map((name) => searchParams.get(name.trim()) || '').find((text) => text);
    if (query && query !== searched) tell('Site search', { query });
    searched = query;
  };
  const arrived = () => {
    // Not every browser tells how the page was answered.
    const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    if (settings[404] != null && page && page.responseStatus === 404)
      tell('404', { path: location.pathname });
    if (names.length === 0) return;
    look();
    onNavigation(look, window.navigation && navigation.currentEntry);
  };
  // In the background, or prerendered: nobody has seen it so far.
  if (document.hidden) addEventListener('visibilitychange', arrived, { once: true });
  else arrived();
}
