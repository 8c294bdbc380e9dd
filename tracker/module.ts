import { watchArrivals } from './arrivals.ts';
import { type EventSettings, watchClicks } from './clicks.ts';
import type { Options, Tracker } from './headcount.d.ts';
import { type SendEvent, track } from './track.ts';

type Start = typeof import('./headcount.d.ts').start;

export const start: Start = (options: Options): Tracker => {
  if (typeof document === 'undefined') return { view() {}, event() {}, stop() {} };
  let stopped = false;
  let event: SendEvent = () => {};
  const settings = settingsOf(options);
  const view = track(
    settings,
    new URL(`${options.server.replace(/\/$/, '')}/v1/hit`),
    (send) => {
      event = send;
      watchClicks(send, settings);
      return watchArrivals(send, settings);
    },
    () => stopped,
  );
  return {
    view,
    event,
    stop() {
      stopped = true;
    },
  };
};

/** What the attributes of a script's line would say. */
function settingsOf({ project, search, ...switches }: Options): EventSettings {
  const attribute = (name: keyof typeof switches) => (switches[name] ? '' : undefined);
  return {
    project,
    hash: attribute('hash'),
    manual: attribute('manual'),
    respectGpc: attribute('respectGpc'),
    outbound: attribute('outbound'),
    downloads: attribute('downloads'),
    404: attribute('notFound'),
    time: attribute('time'),
    search: search?.join(),
  };
}
