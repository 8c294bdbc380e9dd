import { join } from 'node:path';
import { shippedRanges, writeCopy } from '../../../server/identity/proof/range-copy.ts';
import shipped from '../../../server/identity/proof/shipped-ranges.json' with { type: 'json' };

/** Puts the addresses of GPTBot into a data folder as if they had been fetched a day before, so that they can accuse. */
export function keepRecentRanges(dataDir: string, now: number): void {
  const copy = shippedRanges.parse(shipped).feeds['openai-gptbot'];
  if (!copy) throw new Error('No addresses of GPTBot come with the package.');
  const asOf = new Date(now - 86_400_000).toISOString();
  writeCopy(join(dataDir, 'ranges'), 'openai-gptbot', { ...copy, asOf });
}
