import type { TellEvent } from './track.ts';

interface Headcount {
  (url?: string): void;
  project?: string | undefined;
  event?: TellEvent;
  /** Of the stub that stands in before the script is there: the calls of `event`. */
  q?: Parameters<TellEvent>[];
}

declare global {
  interface Window {
    headcount?: Headcount;
  }
}

/** The line of the page that loads this script. No script is current within a module or a shadow tree. */
export const findLine = () =>
  (document.currentScript || document.querySelector('script[data-project]')) as HTMLScriptElement;
