/** By the prefix of the key: `hc_read_…`. From most to least that a key may do. */
export const keyScopes = ['admin', 'jobs', 'read', 'ingest'] as const;

/**
 * What a key may do, and what an operation needs: `ingest` sends hits, `read` reads reports and jobs, `jobs` starts, stops
 * and reverts jobs and sends them messages, `admin` is all else.
 */
export type KeyScope = (typeof keyScopes)[number];

export const keyScopeText =
  '`ingest` sends hits, `read` reads reports and jobs, `jobs` also starts, stops and reverts jobs and sends them messages, `admin` does everything.';

const permissions: Record<KeyScope, readonly KeyScope[]> = {
  admin: keyScopes,
  jobs: ['jobs', 'read'],
  read: ['read'],
  ingest: ['ingest'],
};

/** Scopes of the keys that may do what needs this one, the least first. */
export function scopesWith(needed: KeyScope): KeyScope[] {
  return keyScopes.filter((scope) => permissions[scope].includes(needed)).reverse();
}
