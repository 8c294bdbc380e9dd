import { readFileSync } from 'node:fs';
import { Reader, type Response } from 'mmdb-lib';
import { z } from 'zod';
import { ConfigError } from '../../config/setting.ts';
import { readTrouble } from '../../files/file-trouble.ts';
import { memoize } from '../../memo.ts';

export interface Network {
  /** Its number. */
  asn: number;
  /** Its own name for itself. */
  name: string | undefined;
}

export type FindNetwork = (address: string) => Network | undefined;

const name = z.string().trim().min(1).max(100).optional().catch(undefined);

/** What databases of networks hold: MaxMind says a number, others `AS15169`. */
const record = z
  .union([
    z
      .object({ autonomous_system_number: z.int().positive(), autonomous_system_organization: name })
      .transform((found) => ({
        asn: found.autonomous_system_number,
        name: found.autonomous_system_organization,
      })),
    z
      .object({ asn: z.string().regex(/^AS\d{1,10}$/), as_name: name, name })
      .transform((found) => ({ asn: Number(found.asn.slice(2)), name: found.as_name ?? found.name })),
  ])
  .optional()
  .catch(undefined);

/** Crawlers come from few addresses. */
const maxRemembered = 10_000;

/** The operator's own MaxMind DB file; null: there is none. @throws ConfigError */
export function openNetworks(file: string): FindNetwork;
export function openNetworks(file: string | null): FindNetwork | null;
export function openNetworks(file: string | null): FindNetwork | null {
  if (file === null) return null;
  const reader = readDatabase(file);
  const find = memoize(
    (address) => ({ network: record.parse(reader.get(address) ?? undefined) }),
    maxRemembered,
  );
  return (address) => find(address).network;
}

function readDatabase(file: string): Reader<Response> {
  try {
    return new Reader<Response>(readFileSync(file));
  } catch (error) {
    throw new ConfigError(
      `HEADCOUNT_ASN_DATABASE must be a MaxMind DB file (.mmdb) that knows networks; ${file} cannot be used: ${readTrouble(error as Error)}.`,
    );
  }
}
