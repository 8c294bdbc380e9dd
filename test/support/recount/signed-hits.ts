import type { Proofs } from '../../../server/identity/proof/proof.ts';
import { createSignatures } from '../../../server/identity/proof/signatures/signature.ts';
import { offlineProofs } from '../proof/offline-proofs.ts';
import { createSigner, knownKeys, signRequest } from '../proof/signer.ts';

/** How the requests of a client are signed that signs: as they should be, too long ago, or only said to be. */
export type Signing = 'valid' | 'expired' | 'not signed';

/** The operator of a client in the catalogue, and where it publishes its keys. */
export const operator = 'Exa';
const host = 'crawler.exa.ai';
const agent = `"https://${host}"`;
const signer = createSigner();
/** Its clock may be ahead of a server's. */
const earlierMs = 120_000;
const dayMs = 86_400_000;

/** What a site's server saw of it. */
export function signatureHeaders(
  signing: Signing,
  url: string,
  at: number,
): Readonly<Record<string, string>> {
  if (signing === 'not signed') return { 'signature-agent': agent };
  const signedAt = at - (signing === 'valid' ? earlierMs : dayMs);
  const expires = Math.floor(signedAt / 1000) + 300;
  return signRequest(signer, { url, agent, at: signedAt, expires }).headers as Record<string, string>;
}

/** Its key is known, and nobody is asked. */
export function signerProofs(now: () => number): Proofs {
  const signatures = createSignatures(knownKeys({ [`${host} ${signer.keyid}`]: signer.jwk.x }), now);
  return {
    ...offlineProofs(now),
    check({ request }) {
      const signature = request && signatures.check(request);
      return signature ? { signature } : {};
    },
  };
}
