import type { AiClient } from '../catalogue.ts';

/** What a client is proved by, or excused for lacking a proof. */
const proofs = ['ranges', 'reverseDns', 'signatureHosts', 'runsOnUserMachine'] as const;

/** Clients that would be proved by other things than before, or by fewer. One more that there was none of is no change. */
export function changedProofs(before: readonly AiClient[], after: readonly AiClient[]): string[] {
  const found = new Map(after.map((client) => [client.client, client]));
  return before.filter((old) => isOther(old, found.get(old.client))).map(({ client }) => client);
}

function isOther(before: AiClient, after: AiClient | undefined): boolean {
  if (!after) return proofs.some((proof) => proof !== 'runsOnUserMachine' && before[proof] !== undefined);
  // Nobody would be called a liar any more.
  if (after.runsOnUserMachine && !before.runsOnUserMachine) return true;
  return proofs.some(
    (proof) => before[proof] !== undefined && JSON.stringify(before[proof]) !== JSON.stringify(after[proof]),
  );
}
