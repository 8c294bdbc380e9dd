import type { Error as ErrorBody, Operations } from './operations.d.cts';

export type * from './operations.d.cts';

export interface ClientOptions {
  /** Address of your Headcount. */
  server: string;
  /** `hc_…`, for all but shared pages. */
  key?: string | undefined;
  /** In place of the platform's own. */
  fetch?: typeof fetch;
}

export type HeadcountErrorBody = ErrorBody;

/** What the server refused: `message` is a sentence that says what to do. */
export declare class HeadcountError extends Error {
  readonly status: number;
  readonly details: { message: string; path: string }[];
  readonly retryAfterSeconds: number | undefined;
}

type Arguments<Given> = Record<string, never> extends Given ? [given?: Given] : [given: Given];

/** Asks for an operation, by its method and path. @throws HeadcountError */
export type Client = <Name extends keyof Operations>(
  operation: Name,
  ...given: Arguments<Operations[Name]['given']>
) => Promise<Operations[Name]['reply']>;

export declare function createClient(options: ClientOptions): Client;
