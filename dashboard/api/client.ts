import type { ErrorReply } from '../../shared/reply.ts';
import { addressOf } from '../router/address.ts';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';

export type Detail = NonNullable<ErrorReply['details']>[number];

/** The server's refusal, or, with status 0, that it could not be reached. Its message is for people. */
export class RequestError extends Error {
  readonly status: number;
  readonly details: readonly Detail[];

  constructor(status: number, message: string, details: readonly Detail[] = []) {
    super(message);
    this.status = status;
    this.details = details;
  }

  get isUnreachable(): boolean {
    return this.status === 0;
  }

  /** The server does not answer such a question at all, however often it is asked. */
  get isRefusal(): boolean {
    return this.status === 400;
  }
}

interface ApiEvents {
  /** A session ended while somebody was at work. */
  onSignedOut(): void;
  /** Whether the server answered the last request. */
  onReachable(isReachable: boolean): void;
  /** Something was changed. */
  onChanged(): void;
}

/** A server that is silent for so long counts as unreachable. */
const timeoutMs = 30_000;

/** Requests to the server that the dashboard came from. */
export class ApiClient {
  readonly #events: ApiEvents;

  constructor(events: ApiEvents) {
    this.#events = events;
  }

  /** @throws RequestError */
  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#request<T>(path, signal ? { signal } : {});
  }

  /** @throws RequestError */
  async send<T = void>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const json = body && {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    };
    const answer = await this.#request<T>(path, { method, headers, ...json });
    this.#events.onChanged();
    return answer;
  }

  async #request<T>(path: string, init: RequestInit): Promise<T> {
    const response = await this.#fetch(path, init);
    if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
    if (isOfProxy(response)) throw this.#unreachable();
    // On the sign-in page a 401 is a wrong password, and nobody is sent away.
    if (response.status === 401 && path !== '/v1/admin/session') this.#events.onSignedOut();
    throw await toRequestError(response);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
    try {
      const response = await fetch(addressOf(path), {
        ...init,
        signal: AbortSignal.any(signals),
        credentials: 'same-origin',
      });
      this.#events.onReachable(!isOfProxy(response));
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw this.#unreachable();
    }
  }

  #unreachable(): RequestError {
    this.#events.onReachable(false);
    return new RequestError(0, t.theServerCannotBeReached);
  }
}

/** Whether a proxy answers for a server that is gone: what the server itself refuses is JSON. */
function isOfProxy({ status, headers }: Response): boolean {
  return status >= 502 && status <= 504 && !headers.get('content-type')?.includes('json');
}

async function toRequestError(response: Response): Promise<RequestError> {
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorReply>;
  const message = body.error ?? fill(t.theServerAnsweredWith, { status: String(response.status) });
  return new RequestError(response.status, message, body.details);
}

/** A path with a query; what is null, undefined or empty is left out. */
export function withQuery(path: string, query: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return path + (text && `?${text}`);
}
