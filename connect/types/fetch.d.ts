import type { Options } from './options.d.ts';

export type { Options } from './options.d.ts';

export interface FetchOptions extends Options {
  /** Answers false for what is not to be reported. */
  filter?: (request: Request, response: Response | undefined) => boolean;
}

/** What the platform passes besides the request; most hand over an object that fits as it is. */
export interface FetchContext {
  /** Keeps the worker alive until the report is sent. */
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
  /** IP address of the peer: a visitor, or your proxy. Not needed with `addressHeader`. */
  address?: string | undefined;
}

export interface FetchHeadcount {
  /**
   * Reports the request, if it read a page. Returns at once and never throws. Without the response the path decides what is a
   * page, and pages that do not exist count too.
   */
  report(request: Request, response?: Response, context?: FetchContext): void;
  /** Sends at once what waits, for an orderly end. Never rejects. */
  flush(): Promise<void>;
}

/** @throws Error for options that cannot be used */
export function connect(options: FetchOptions): FetchHeadcount;
