import { type Dimension, dimensionNames, dimensions } from '../../shared/dimensions.ts';
import type { SeenClient } from './view.ts';

const others = {
  site: 0,
  path: 1,
  client: 7,
  /** Paths by AI client, which is the parent. */
  clientPath: 8,
  /** AI clients by proof. */
  clientProof: 9,
} as const;

export type What = Dimension | keyof typeof others;

/** What a count is of, as stored: never change a number. */
export const what: Readonly<Record<What, number>> = {
  ...others,
  ...(Object.fromEntries(dimensionNames.map((name) => [name, dimensions[name].number])) as Record<
    Dimension,
    number
  >),
};

const names = new Map(Object.entries(what).map(([name, number]) => [number, name as What]));

/** Of a number that was stored. */
export function nameOf(number: number): What {
  return names.get(number) ?? 'site';
}

/** The number of what somebody else's installation counts by. @throws RangeError where it is not known here */
export function numberOf(name: string): number {
  if (Object.hasOwn(what, name)) return what[name as What];
  throw new RangeError(`"${name}" is nothing that this version counts by`);
}

/** The name of an AI client with its proof, as the dictionary holds it; no client has a tab in its name. */
export function joinClient({ name, proof }: SeenClient): string {
  return `${name}\t${proof}`;
}

export function splitClient(text: string): SeenClient {
  const [name = '', proof] = text.split('\t');
  return { name, proof: proof as SeenClient['proof'] };
}
