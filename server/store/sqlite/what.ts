import type { Dimension } from '../store.ts';

/** What a count is of, as stored: never change a number. */
export const what = {
  site: 0,
  path: 1,
  source: 2,
  device: 3,
  browser: 4,
  system: 5,
  country: 6,
  client: 7,
  clientPath: 8,
} as const satisfies Record<Dimension | 'site' | 'clientPath', number>;
