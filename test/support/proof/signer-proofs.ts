import { createProofs, type Proofs } from '../../../server/identity/proof/proof.ts';
import { directoryType } from './directory-server.ts';
import type { TestSigner } from './signer.ts';

export interface SignerProofsOptions {
  dataDir: string;
  now(): number;
  /** The one host that publishes the signer's key; every host does when left out. */
  host?: string;
}

/** Proofs that know one signer: the key directory is answered here, and no address has a name. */
export const createSignerProofs = (
  { jwk }: TestSigner,
  { dataDir, now, host }: SignerProofsOptions,
): Proofs =>
  createProofs({
    dataDir,
    now,
    log: { info: () => undefined, warn: () => undefined },
    resolver: { resolvePtr: async () => [], resolve4: async () => [], resolve6: async () => [] },
    get: async (url) => {
      if (host !== undefined && new URL(url).host !== host) throw new Error('There is no such host.');
      const headers = { 'content-type': directoryType };
      return { status: 200, headers, body: JSON.stringify({ keys: [jwk] }) };
    },
  });
