import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Options } from './options.d.ts';

export type { Options } from './options.d.ts';

export interface ExpressOptions extends Options {
  /** Answers false for what is not to be reported. Asked after the response was sent. */
  filter?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface ExpressHeadcount {
  /** Middleware of Express; with `node:http` call it before you answer. Reports once the response is sent. Never throws. */
  (request: IncomingMessage, response: ServerResponse, next?: () => void): void;
  /** Sends at once what waits, for an orderly end. Never rejects. */
  flush(): Promise<void>;
}

/** @throws Error for options that cannot be used */
export function connect(options: ExpressOptions): ExpressHeadcount;
