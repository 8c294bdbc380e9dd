import { z } from 'zod';
import { clients } from './catalogue.ts';
import entries from './rule-versions.json' with { type: 'json' };

const ruleVersion = z.strictObject({
  version: z.int().min(1),
  date: z.iso.date(),
  /** What it changed, in a sentence for owners of sites. */
  says: z.string().min(10),
  /** SHA-256 of the catalogue and the names of bots, so that no change goes without a version. */
  digest: z.string(),
});

/** What the rules that tell people, AI clients and bots apart became over time, oldest first. */
export const ruleVersions: readonly z.infer<typeof ruleVersion>[] = z
  .array(ruleVersion)
  .min(1)
  .parse(entries);

/** Of the rules that judge views now. */
export const rulesVersion = Math.max(...ruleVersions.map(({ version }) => version));

/** AI clients that came into the catalogue after one version and by another. */
export function clientsAdded(after: number, through: number): string[] {
  return clients.filter(({ since = 1 }) => since > after && since <= through).map(({ client }) => client);
}
