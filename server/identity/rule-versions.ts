import { z } from 'zod';
import shipped from './catalogue.json' with { type: 'json' };
import { clients } from './catalogue.ts';

/** A version of the rules, with a date, as owners of sites see it. */
export const ruleVersion = z.strictObject({
  version: z.int().min(1),
  date: z.iso.date(),
  /** The change, in a sentence for owners of sites. */
  says: z.string().min(10).max(300),
});
export type RuleVersion = z.infer<typeof ruleVersion>;

/** SHA-256 of the catalogue and the names of bots, so that no change goes without a version. */
const shippedVersion = ruleVersion.extend({ digest: z.string() });

/** Of the rules that came with this version of Headcount. */
export const shippedVersions: readonly z.infer<typeof shippedVersion>[] = z
  .array(shippedVersion)
  .min(1)
  .parse(shipped.versions);

/** Versions of the rules that distinguish people, AI clients and bots, oldest first. */
export let ruleVersions: readonly RuleVersion[] = shippedVersions;

/** The version in use. */
export let rulesVersion = newestOf(shippedVersions);

/** The first version that recognises AI clients which no list has. */
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
