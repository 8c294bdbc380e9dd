import { z } from 'zod';
import { clients } from './catalogue.ts';
import entries from './rule-versions.json' with { type: 'json' };

/** What the rules became, with a date, as owners of sites are told. */
export const ruleVersion = z.strictObject({
  version: z.int().min(1),
  date: z.iso.date(),
  /** What it changed, in a sentence for owners of sites. */
  says: z.string().min(10).max(300),
});
export type RuleVersion = z.infer<typeof ruleVersion>;

/** SHA-256 of the catalogue and the names of bots, so that no change goes without a version. */
const shippedVersion = ruleVersion.extend({ digest: z.string() });

/** Of the rules that came with this version of Headcount. */
export const shippedVersions: readonly z.infer<typeof shippedVersion>[] = z
  .array(shippedVersion)
  .min(1)
  .parse(entries);

/** What the rules that tell people, AI clients and bots apart became over time, oldest first. */
export let ruleVersions: readonly RuleVersion[] = shippedVersions;

/** Of the rules that judge views now. */
export let rulesVersion = newestOf(shippedVersions);

/** The version that began to tell AI clients which no list has. */
export const unlistedSince = 2;

/** Of a catalogue that has come into use. */
export function useVersions(others: readonly RuleVersion[]): void {
  ruleVersions = others;
  rulesVersion = newestOf(others);
}

export function newestOf(versions: readonly RuleVersion[]): number {
  return Math.max(...versions.map(({ version }) => version));
}

/** AI clients that came into the catalogue after one version and by another. */
export function clientsAdded(after: number, through: number): string[] {
  return clients.filter(({ since = 1 }) => since > after && since <= through).map(({ client }) => client);
}
