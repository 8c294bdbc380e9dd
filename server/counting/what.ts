import type { Dimension } from '../store/analytics-store.ts';
import type { SeenClient } from './view.ts';

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
  /** Paths by AI client, which is the parent. */
  clientPath: 8,
  /** AI clients by proof. */
  clientProof: 9,
} as const satisfies Record<Dimension | 'site' | 'client' | 'clientPath' | 'clientProof', number>;

export type What = keyof typeof what;

/** The name of an AI client with its proof, as the dictionary holds it; no client has a tab in its name. */
export function joinClient({ name, proof }: SeenClient): string {
  return `${name}\t${proof}`;
}

export function splitClient(text: string): SeenClient {
  const [name = '', proof] = text.split('\t');
  return { name, proof: proof as SeenClient['proof'] };
}
