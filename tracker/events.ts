import { findLine } from './line.ts';
import { type TellEvent, track } from './track.ts';

/** What the page's markup says of a click: the event's name, and its properties in further attributes. */
function listen(tell: TellEvent): void {
  // Seen on the way down, as a page may stop a click on its way up.
  addEventListener(
    'click',
    ({ target }) => {
      const element = (target as Element).closest<HTMLElement>('[data-headcount-event]');
      if (!element) return;
      const { headcountEvent, ...dataset } = element.dataset;
      const properties: Record<string, unknown> = {};
      for (const name in dataset) {
        const [, first, rest] = /^headcount(.)(.*)/.exec(name) || [];
        if (first) properties[first.toLowerCase() + rest] = dataset[name];
      }
      tell(headcountEvent as string, properties);
    },
    true,
  );
}

try {
  const script = findLine();
  const settings = script.dataset;
  const headcount = window.headcount;
  // As in script.ts, but that a stub gives way.
  if (!headcount || headcount.project !== settings.project) {
    track(settings, new URL('v1/hit', script.src), undefined, (event, view) => {
      const { q: calls = [] } = headcount || {};
      if (!headcount || headcount.q)
        window.headcount = Object.assign(view, { event, project: settings.project });
      for (const call of calls) event(...call);
      listen(event);
    });
  }
} catch {
  // Counting must not be what breaks a page.
}
