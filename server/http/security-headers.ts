import type { Response } from 'express';

/**
 * For pages: nothing from elsewhere, no inline scripts, and no referrer, as addresses hold tokens.
 *
 * @param framedBy origins that may show it in a frame; as a rule, nobody
 */
export function setPageHeaders(res: Response, framedBy: readonly string[] = []): void {
  const isFramed = framedBy.length > 0;
  res.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      `frame-ancestors ${isFramed ? framedBy.join(' ') : "'none'"}`,
      "base-uri 'none'",
      "form-action 'self'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    // Pages that isolate themselves (COEP) frame only pages with this header.
    'Cross-Origin-Resource-Policy': isFramed ? 'cross-origin' : 'same-origin',
    'Referrer-Policy': 'no-referrer',
    // It knows no origins, and browsers that know both go by the policy.
    ...(!isFramed && { 'X-Frame-Options': 'DENY' }),
  });
}
