import { tellArrivals } from './arrivals.ts';
import { tellClicks } from './clicks.ts';
import { explain } from './explain.ts';
import { findLine } from './line.ts';
import { track } from './track.ts';

try {
  const script = findLine();
  const settings = script.dataset;
  const headcount = window.headcount;
  // As in script.ts, but that a stub gives way.
  if (!headcount || headcount.project !== settings.project) {
    track(settings, new URL(settings.endpoint || 'v1/hit', script.src), undefined, (event, view) => {
      const { q: calls = [] } = headcount || {};
      if (!headcount || headcount.q)
        window.headcount = Object.assign(view, { event, project: settings.project });
      for (const call of calls) event(...call);
      tellClicks(event, settings);
      return tellArrivals(event, settings);
    });
  } else explain?.('twice');
} catch (error) {
  // Counting must not be what breaks a page.
  explain?.(error as Error);
}
