import { ofDocument } from './page.ts';
import type { SendEvent } from './track.ts';

export interface Headcount {
  (url?: string): void;
  event?: SendEvent;
  /** Of the stub that stands in before the script is there: the calls of `event`. */
  q?: Parameters<SendEvent>[];
}

declare global {
  interface Window {
    headcount?: Headcount;
  }
}

/**
 * The line of the page that loads this script. No script is current within a module or a shadow tree, and where an optimizer
 * has put the code into a file of its own, another one is.
 */
export const findLine = (): HTMLScriptElement =>
  [ofDocument('currentScript'), ...ofDocument('scripts')].find(
    // Optional chaining is a syntax error in the browsers of older television sets.
    (script) => script && (script as HTMLScriptElement).dataset.project,
  ) as HTMLScriptElement;

/** By project. Not a property of `headcount`: that may be something of the page's own, or a frame that must not be asked. */
export const linesThatCount = navigator as unknown as Record<PropertyKey, unknown>;
