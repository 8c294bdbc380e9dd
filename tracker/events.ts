import { watchArrivals } from './arrivals.ts';
import { watchClicks } from './clicks.ts';
import { explain } from './explain.ts';
import { findLine, type Headcount, linesThatCount } from './line.ts';
import { type SendEvent, track } from './track.ts';

try {
  const script = findLine();
  const settings = script.dataset;
  if (!linesThatCount[settings.project as string]) {
    let send!: SendEvent;
    const endpoint = new webkitURL(settings.endpoint || 'v1/hit', script.src);
    const view: Headcount = track(settings, endpoint, (event) => {
      send = event;
      watchClicks(event, settings);
      return watchArrivals(event, settings);
    });
    linesThatCount[settings.project as string] = view;
    const headcount = window.headcount;
    view.event = send;
    // As in script.ts, but that a stub gives way. A frame of another site with that name throws when it is asked.
    if (!headcount || headcount.q) window.headcount = view;
    for (const call of (headcount || view).q || []) send(...call);
  } else explain?.('twice');
} catch (error) {
  // Counting must not be what breaks a page.
  explain?.(error as Error);
}
