import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export interface Detail {
  message: string;
  path: string;
}

/** What the server refused, or, with status 0, that it could not be reached. Its message is for people. */
export class Refusal extends Error {
  readonly status: number;
  readonly details: readonly Detail[];

  constructor(status: number, message: string, details: readonly Detail[] = []) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

interface ApiEvents {
  /** A session ended while somebody was at work. */
  onSignedOut(): void;
  /** Whether the server answered the last request. */
  onReach(isReached: boolean): void;
}

/** What the dashboard asks the server it came from. */
export class Api {
  readonly #events: ApiEvents;

  constructor(events: ApiEvents) {
    this.#events = events;
  }

  /** @throws Refusal */
  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#ask<T>(path, signal ? { signal } : {});
  }

  /** @throws Refusal */
  send<T = void>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<T> {
    if (body === undefined) return this.#ask<T>(path, { method, headers });
    const json = { 'Content-Type': 'application/json', ...headers };
    return this.#ask<T>(path, { method, headers: json, body: JSON.stringify(body) });
  }

  async #ask<T>(path: string, init: RequestInit): Promise<T> {
    const response = await this.#fetch(path, init);
    if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
    // At the sign-in a 401 is a wrong password, and nobody is sent away.
    if (response.status === 401 && path !== '/v1/admin/session') this.#events.onSignedOut();
    throw await toRefusal(response);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(path, { ...init, credentials: 'same-origin' });
      this.#events.onReach(true);
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.#events.onReach(false);
      throw new Refusal(0, 'The server cannot be reached. Look whether it runs and whether you are online.');
    }
  }
}

async function toRefusal(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; details?: Detail[] };
  const message = body.error ?? `The server answered with status ${response.status}. Try again in a moment.`;
  return new Refusal(response.status, message, body.details);
}

/** What every part of the page may use. */
export interface Tools {
  api: Api;
  /** Counts up each minute while the page is looked at, and when the server is back: what is shown is read again. */
  beat: number;
  refresh(): void;
}

export const ToolsContext = createContext<Tools | null>(null);

export function useTools(): Tools {
  return useContext(ToolsContext) as Tools;
}

/** Path with a query; what is null, undefined or empty is left out. */
export function address(path: string, query: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return path + (text && `?${text}`);
}
