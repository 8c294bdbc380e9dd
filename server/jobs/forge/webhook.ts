import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a code host has sent, and the secret that the project shares with it. */
export interface Webhook {
  headers: IncomingHttpHeaders;
  body: Buffer;
  secret: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** Undefined: it is not there, or empty, or there more than once. */
export function headerOf({ headers }: Webhook, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** In a time that says nothing of either. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

/** Whether a header is the HMAC of the body, after some letters; undefined: there is no such header. */
export function isHmac(webhook: Webhook, name: string, before = ''): boolean | undefined {
  const given = headerOf(webhook, name);
  const { body, secret } = webhook;
  return given === undefined
    ? undefined
    : isSame(given, before + createHmac('sha256', secret).update(body).digest('hex'));
}
