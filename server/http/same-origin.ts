import type { Request } from 'express';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';

/**
 * Browsers send cookies with requests of pages on other origins too; requests that change something must come from the
 * dashboard itself. Browsers say so by `Sec-Fetch-Site` where the connection is trustworthy, and by `Origin` always. The host
 * is compared as it was asked for, since 127.0.0.1 and localhost are the same server, and with the base URL, since a
 * proxy may ask for another.
 *
 * @throws ApiError `forbidden`
 */
export function requireSameOrigin({ baseUrl }: Config, req: Request): void {
  const site = req.get('sec-fetch-site');
  if (site === 'same-origin') return;
  const origin = site === undefined ? URL.parse(req.get('origin') ?? '') : null;
  if (origin && (origin.host === req.get('host') || origin.origin === new URL(baseUrl).origin)) return;
  throw new ApiError(
    'forbidden',
    'This can be done from the pages of the dashboard only: programs use an API key.',
  );
}
