import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { clearCookie, readCookie, setCookie } from '../../http/cookie.ts';
import type { Secrets } from '../../projects/secrets.ts';

const cookie = 'sign_on';
const goodForMs = 10 * 60_000;

const errand = z.object({
  checks: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  until: z.number(),
  /** What they come back for. */
  what: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sign-in'), next: z.string().nullable() }),
    z.object({ kind: z.literal('invitation'), token: z.string() }),
    z.object({ kind: z.literal('connect'), userId: z.string() }),
  ]),
});

/** What somebody was sent to the provider for. Their browser keeps it, encrypted: any node may be who they come back to. */
export type Errand = z.infer<typeof errand>;

interface Needed {
  config: Config;
  secrets: Secrets;
  now: () => number;
}

export function rememberErrand(
  { config, secrets, now }: Needed,
  res: Response,
  given: Omit<Errand, 'until'>,
): void {
  const text = JSON.stringify({ ...given, until: now() + goodForMs } satisfies Errand);
  const value = Buffer.from(secrets.encryptErrand(text)).toString('base64url');
  setCookie(config, res, { name: cookie, value, maxAgeMs: goodForMs });
}

/** Once. Undefined: none was begun in this browser, or too long ago. */
export function takeErrand(
  { config, secrets, now }: Needed,
  req: Request,
  res: Response,
): Errand | undefined {
  const value = readCookie(config, req, cookie);
  if (value === undefined) return undefined;
  clearCookie(config, res, cookie);
  try {
    const text = secrets.readErrand(Buffer.from(value, 'base64url'));
    const parsed = errand.parse(JSON.parse(text));
    return parsed.until > now() ? parsed : undefined;
  } catch {
    // Of another key, or written by somebody else.
    return undefined;
  }
}
