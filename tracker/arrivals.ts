import type { EventSettings } from './clicks.ts';
import type { TellEvent } from './track.ts';

/**
 * Tells of pages that are not there, and of searches on the site, where that is asked for.
 *
 * @returns to be called at each new address
 */
export function tellArrivals(tell: TellEvent, settings: EventSettings): () => void {
  const { search } = settings;
  let searched: string | null | undefined;
  const look = () => {
    if (!search || document.hidden) return;
    const { searchParams } = new URL(location.href);
    const query = search
      .split(',')
      .map((name) => searchParams.get(name.trim()))
      .find((text) => text);
    if (query && query !== searched) tell('Site search', { query });
    searched = query;
  };
  const arrived = () => {
    // Not every browser tells how the page was answered.
    const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    if (settings[404] != null && page && page.responseStatus === 404)
      tell('404', { path: location.pathname });
    look();
  };
  // In the background, or prerendered: nobody has seen it so far.
  if (document.hidden) addEventListener('visibilitychange', arrived, { once: 1 as unknown as true });
  else arrived();
  return look;
}
