import { randomBytes } from 'node:crypto';
import type { View } from '../../server/counting/view.ts';
import type { CountQuery } from '../../server/store/counts/analytics-store.ts';
import type { OpenDay } from '../../server/store/counts/counting-store.ts';
import type { Store } from '../../server/store/store.ts';
import { type Dimension, dimensionNames } from '../../shared/reports/dimensions.ts';

/** Of a view that nothing is known of. */
export const noNames = Object.fromEntries(['hour', ...dimensionNames].map((name) => [name, null])) as Record<
  Dimension | 'hour',
  null
>;

export const query = (changes: Partial<CountQuery> = {}): CountQuery => ({
  projectId: 'p1',
  dimension: 'path',
  measure: 'visitors',
  from: null,
  to: null,
  limit: 250,
  offset: 0,
  ...changes,
});

export const view = (changes: Partial<View> = {}): View => ({
  projectId: 'p1',
  day: 20_000,
  visitor: 1n,
  network: 1,
  kind: 'human',
  path: '/',
  ...noNames,
  moment: 0,
  device: 'desktop',
  browser: 'Firefox',
  system: 'Linux',
  client: null,
  ...changes,
});

/** Of a view that it says it made. */
export const gptBot = { kind: 'ai', client: { name: 'GPTBot', proof: 'claimed' } } as const;

export const human = (count: number) => ({ human: count, ai: 0, total: count });

/** As long as an encrypted one; stores do not look into it. */
export const anySalt = (): Uint8Array => Uint8Array.from(randomBytes(45));

/** Opens one day for live hits, with no version of the rules. */
export async function openDay(
  store: Pick<Store, 'openDays'>,
  projectId: string,
  day: number,
  salt: Uint8Array,
): Promise<OpenDay | null> {
  const [opened] = await store.openDays([{ projectId, day, salt, rules: null }]);
  return opened ?? null;
}
