import type { View } from '../../server/counting/view.ts';
import { noNames } from '../../test/support/views.ts';
import { randomNumbers } from '../random.ts';

export const faultProject = 'faults';
export const faultDay = 20_000;
export const viewsPerBatch = 64;
const visitors = 3_000;

/** A batch of a node, always the same: its path shows how often it was counted. */
export function batchOf(node: number, number: number): View[] {
  const random = randomNumbers(node * 100_003 + number);
  return Array.from({ length: viewsPerBatch }, () => {
    const visitor = Math.floor(random() * visitors);
    const kind = random() < 0.2 ? 'ai' : 'human';
    return {
      ...noNames,
      moment: 0,
      projectId: faultProject,
      day: faultDay,
      visitor: BigInt.asIntN(64, BigInt(visitor + 1) * 0x9e3779b97f4a7c15n),
      network: visitor,
      kind,
      path: pathOf(node, number),
      source: `source-${Math.floor(random() * 5)}`,
      browser: `browser-${visitor % 7}`,
      client: kind === 'ai' ? { name: `client-${visitor % 3}`, proof: 'claimed' } : null,
    };
  });
}

export function pathOf(node: number, number: number): string {
  return `/${node}/${number}`;
}
