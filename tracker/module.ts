import type { Options, Tracker } from './headcount.d.ts';
import { track } from './track.ts';

type Start = typeof import('./headcount.d.ts').start;

export const start: Start = ({ project, server, hash, manual, respectGpc }: Options): Tracker => {
  if (typeof document === 'undefined') return { view() {}, stop() {} };
  let stopped = false;
  const view = track(
    {
      project,
      hash: hash ? '' : undefined,
      manual: manual ? '' : undefined,
      respectGpc: respectGpc ? '' : undefined,
    },
    new URL(`${server.replace(/\/$/, '')}/v1/hit`),
    () => stopped,
  );
  return {
    view,
    stop() {
      stopped = true;
    },
  };
};
