import type { SignOnReply } from '../../../shared/accounts/sign-on.ts';

/** A browser as far as it matters here: it keeps the cookies of each host, and follows addresses. */
export interface Traveller {
  /** A request of the dashboard's own page. */
  send(method: string, path: string, body?: object): Promise<Response>;
  /** Goes where the server says, and comes back from the provider with the query of the address. */
  travel(method: string, path: string, body?: object): Promise<string>;
  /** The same to the end: what the server makes of it. */
  signOn(method?: string, path?: string, body?: object): Promise<Response>;
  /** Of the server. */
  cookies: Map<string, string>;
}

export function createTraveller(url: string): Traveller {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (address: string) => {
    const { host } = new URL(address);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const ask = async (address: string, init: RequestInit = {}) => {
    const jar = jarOf(address);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  const send: Traveller['send'] = (method, path, body) =>
    ask(url + path, {
      method,
      headers: { origin: url, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const travel: Traveller['travel'] = async (method, path, body) => {
    const begun = await send(method, path, body);
    if (!begun.ok) throw new Error(`${path}: ${begun.status} ${await begun.text()}`);
    let { address } = (await begun.json()) as SignOnReply;
    while (new URL(address).pathname !== '/sign-on') {
      const response = await ask(address);
      const next = response.headers.get('location');
      if (next === null) throw new Error(`${address}: ${response.status} ${await response.text()}`);
      address = new URL(next, address).href;
    }
    return new URL(address).search;
  };
  return {
    send,
    travel,
    signOn: async (method = 'POST', path = '/v1/admin/sign-on', body = {}) =>
      send('POST', '/v1/admin/sign-on/return', { query: await travel(method, path, body) }),
    cookies: jarOf(url),
  };
}
