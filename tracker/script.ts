import { findLine } from './line.ts';
import { track } from './track.ts';

try {
  const script = findLine();
  const settings = script.dataset;
  const headcount = window.headcount;
  // The same line twice, or once more with each page that a framework swaps in, counts once. A `headcount` of the
  // page's own stays its own; an element with that id is enough to make one.
  if (!headcount || headcount.project !== settings.project) {
    const view: Window['headcount'] = track(settings, new URL(settings.endpoint || 'v1/hit', script.src));
    view.project = settings.project;
    if (!headcount) window.headcount = view;
  }
} catch {
  // Counting must not be what breaks a page.
}
