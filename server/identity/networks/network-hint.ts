import { z } from 'zod';
import { findClient } from '../catalogue.ts';
import type { Ai } from '../identity.ts';
import type { FindNetwork } from './asn-database.ts';
import entries from './operator-networks.json' with { type: 'json' };

/** Numbers of networks (ASN), as registries have them at the date given. */
const operatorNetworks = z.array(
  z.strictObject({
    operator: z.string().min(2),
    /** Where nobody else's machines are. */
    own: z.array(z.int().positive()),
    /** Where anybody may rent machines, and the operator has some of its own, too. */
    rented: z.array(z.int().positive()),
    noted: z.iso.date(),
  }),
);

type Holder = { operator: string; isOwn: boolean };

const holders = new Map<number, Holder>(
  operatorNetworks
    .parse(entries)
    .flatMap(({ operator, own, rented }) => [
      ...own.map((asn) => [asn, { operator, isOwn: true }] as const),
      ...rented.map((asn) => [asn, { operator, isOwn: false }] as const),
    ]),
);

export type NetworkHint = (typeof networkHints)[number];

/** Whether a network says anything of a client: of one that is proved it is nothing new, and users' machines are anywhere. */
export function isHintOf({ client, proof }: Ai): boolean {
  return proof === 'claimed' && findClient(client)?.runsOnUserMachine !== true;
}

/** Whose network an address is in, relative to the claimed operator (null: none). Of AI clients only a hint: it decides nothing. */
export function hintOf(operator: string | null, address: string, find: FindNetwork): NetworkHint {
  const network = find(address);
  if (!network) return 'unknown';
  const holder = holders.get(network.asn);
  if (holder?.operator === operator && holder.isOwn) return 'own';
  return holder && !holder.isOwn ? 'rented' : 'other';
}

/**
 * Whose network an unproved AI client came from: its operator's `own`, one where anybody may rent machines
 * (`rented`), `other`, or one that the database does not know.
 */
const networkHints = ['own', 'rented', 'other', 'unknown'] as const;
