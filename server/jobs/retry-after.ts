/** The milliseconds of a Retry-After header, which holds seconds or a date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(text: string | null | undefined, now: number): number | undefined {
  if (text === null || text === undefined) return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(waitMs) ? Math.max(waitMs, 0) : undefined;
}
