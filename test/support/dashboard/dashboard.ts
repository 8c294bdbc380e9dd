import { offerSetupLink } from '../../../server/admin/sign-in/setup-link.ts';
import type { SessionReply } from '../../../shared/accounts/admin.ts';
import type { Headcount } from '../headcount.ts';

export const password = 'correct horse battery';

interface SendOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

/** What the dashboard does in a browser: requests of its own origin, with the cookie that it was given last. */
export interface DashboardClient {
  /** `name=value`, as a browser sends it; empty: none. */
  cookie: string;
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
  /** The parsed body of a success. */
  must<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export function dashboardClient(url: string, cookie = ''): DashboardClient {
  const client: DashboardClient = {
    cookie,
    send: async (method, path, { body, headers = {} } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          origin: url,
          ...(client.cookie && { cookie: client.cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const [set] = response.headers.getSetCookie();
      if (set !== undefined) client.cookie = set.includes('=;') ? '' : (set.split(';')[0] ?? '');
      return response;
    },
    must: async <T>(method: string, path: string, body?: unknown) => {
      const response = await client.send(method, path, { body });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
  };
  return client;
}

/** The token of a new one-time link. */
export async function offerSetup({ context, url }: Pick<Headcount, 'context' | 'url'>): Promise<string> {
  const link = await offerSetupLink(context.store, { baseUrl: url, now: context.now() });
  return link.split('#')[1] as string;
}

/** Sets the password by a one-time link, and is signed in then. */
export async function openDashboard(headcount: Pick<Headcount, 'context' | 'url'>): Promise<DashboardClient> {
  const client = dashboardClient(headcount.url);
  await client.must('POST', '/v1/admin/setup', { token: await offerSetup(headcount), password });
  return client;
}

export async function signIn(url: string, secret = password): Promise<DashboardClient> {
  const client = dashboardClient(url);
  await client.must('POST', '/v1/admin/session', { password: secret });
  return client;
}

export const stateOf = async (client: DashboardClient) =>
  (await client.must<SessionReply>('GET', '/v1/admin/session')).state;
export const isSignedIn = async (client: DashboardClient) => (await stateOf(client)) === 'signed-in';
export const guess = (client: DashboardClient, secret: string, headers: Record<string, string> = {}) =>
  client.send('POST', '/v1/admin/session', { body: { password: secret }, headers });
