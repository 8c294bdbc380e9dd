import type { Request, Response } from 'express';
import type { Config } from '../config/config.ts';
import { basePathOf } from '../config/own-address.ts';

/**
 * Over https no page without https can set a cookie of that name, and at the root no other host below the same domain either
 * (RFC 6265bis, section 4.1.3).
 */
function cookieName(config: Config, name: string): string {
  const prefix = !isSecure(config.baseUrl) ? '' : basePathOf(config) === '' ? '__Host-' : '__Secure-';
  return `${prefix}headcount_${name}`;
}

const isSecure = (baseUrl: string) => baseUrl.startsWith('https:');

export function readCookie(config: Config, req: Request, name: string): string | undefined {
  const prefix = `${cookieName(config, name)}=`;
  const pairs = req.get('cookie')?.split(';') ?? [];
  return pairs
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length);
}

/** Strict: pages on other sites cannot make the browser send it, and the dashboard's own requests always do. */
const attributes = (config: Config) =>
  ({
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(config.baseUrl),
    path: basePathOf(config) || '/',
  }) as const;

interface Cookie {
  name: string;
  value: string;
  maxAgeMs: number;
}

export function setCookie(config: Config, res: Response, { name, value, maxAgeMs }: Cookie): void {
  res.cookie(cookieName(config, name), value, { ...attributes(config), maxAge: maxAgeMs });
}

export function clearCookie(config: Config, res: Response, name: string): void {
  res.clearCookie(cookieName(config, name), attributes(config));
}

const session = 'session';

/** The session's token, if the request brings one. */
export function readSessionCookie(config: Config, req: Request): string | undefined {
  return readCookie(config, req, session);
}

export function setSessionCookie(config: Config, res: Response, token: string, maxAgeMs: number): void {
  setCookie(config, res, { name: session, value: token, maxAgeMs });
}

export function clearSessionCookie(config: Config, res: Response): void {
  clearCookie(config, res, session);
}
