import type { Options, Tracker } from './headcount.d.ts';
import { type TellEvent, track } from './track.ts';

type Start = typeof import('./headcount.d.ts').start;

export const start: Start = ({ project, server, hash, manual, respectGpc }: Options): Tracker => {
  if (typeof document === 'undefined') return { view() {}, event() {}, stop() {} };
  let stopped = false;
  let event: TellEvent = () => {};
  const view = track(
    {
      project,
      hash: hash ? '' : undefined,
      manual: manual ? '' : undefined,
      respectGpc: respectGpc ? '' : undefined,
    },
    new URL(`${server.replace(/\/$/, '')}/v1/hit`),
    () => stopped,
    (tell) => {
      event = tell;
    },
  );
  return {
    view,
    event,
    stop() {
      stopped = true;
    },
  };
};
