import { findLine, linesThatCount } from './line.ts';
import { track } from './track.ts';

try {
  const script = findLine();
  const settings = script.dataset;
  // The same line twice, or once more with each page that a framework swaps in, counts once.
  if (!linesThatCount[settings.project as string]) {
    const view = track(settings, new webkitURL(settings.endpoint || 'v1/hit', script.src));
    linesThatCount[settings.project as string] = view;
    // A `headcount` of the page's own stays its own; an element with that id is enough to make one.
    if (!window.headcount) window.headcount = view;
  }
} catch {
  // Counting must not be what breaks a page.
}
