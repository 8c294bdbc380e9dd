import type { Request, Response } from 'express';
import type { Config } from '../config/config.ts';

/** Over https no other host below the same domain can set a cookie of that name (RFC 6265bis, section 4.1.3.2). */
function cookieName({ baseUrl }: Config): string {
  return isSecure(baseUrl) ? '__Host-headcount_session' : 'headcount_session';
}

const isSecure = (baseUrl: string) => baseUrl.startsWith('https:');

/** The session's token, if the request brings one. */
export function readSessionCookie(config: Config, req: Request): string | undefined {
  const prefix = `${cookieName(config)}=`;
  const pairs = req.get('cookie')?.split(';') ?? [];
  return pairs
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length);
}

/** Strict: pages on other sites cannot make the browser send it, and the dashboard's own requests always do. */
const attributes = ({ baseUrl }: Config) =>
  ({ httpOnly: true, sameSite: 'strict', secure: isSecure(baseUrl), path: '/' }) as const;

export function setSessionCookie(config: Config, res: Response, token: string, maxAgeMs: number): void {
  res.cookie(cookieName(config), token, { ...attributes(config), maxAge: maxAgeMs });
}

export function clearSessionCookie(config: Config, res: Response): void {
  res.clearCookie(cookieName(config), attributes(config));
}
