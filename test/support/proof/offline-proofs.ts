import { createProofs, type Proofs } from '../../../server/identity/proof/proof.ts';

const log = { info: () => undefined, warn: () => undefined };

/** Nobody is asked, for servers that are to ask others. */
export const offlineProofs = (now = () => 0): Proofs =>
  createProofs({ dataDir: '/nowhere', offline: true, now, log });
