/** The little of autocannon's interface that is used here; it comes without types. */
declare module 'autocannon' {
  export interface Request {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: string;
  }

  export interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    setupClient(client: { setRequests(requests: Request[]): void }): void;
  }

  export interface Result {
    /** Timeouts among them. */
    errors: number;
    statusCodeStats: Record<string, { count: number } | undefined>;
  }

  export default function autocannon(
    options: Options,
  ): Promise<Result> & { on(event: 'start', listener: () => void): void };
}
