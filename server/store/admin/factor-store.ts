/** What is kept of the second factor of an account. */
export interface StoredFactor {
  /** What codes are made of, encrypted. */
  secret: Uint8Array;
  /** The time step (RFC 6238) of the last code that was accepted: it and those before it are good no more. */
  lastStep: number;
  /** Lower-case hexadecimal SHA-256 of the recovery codes that nobody has used. */
  recoveryCodes: readonly string[];
}

/** That somebody has the factor: the time step of a code, or the hash of a recovery code. It is good once. */
export type FactorProof = { step: number } | { recoveryCode: string };

/** Second factors, each of an account: that of a user, or (null) the administrator's. */
export interface FactorStore {
  findFactor(userId: string | null): Promise<StoredFactor | null>;
  /** All other sessions of the account end. Answers false where it has a factor already, or there is no such account. */
  addFactor(userId: string | null, factor: StoredFactor, keptSession: string): Promise<boolean>;
  /** Answers false where the proof was used, or there is no factor. */
  spendProof(userId: string | null, proof: FactorProof): Promise<boolean>;
  /** The same, and nothing changes then. */
  replaceRecoveryCodes(
    userId: string | null,
    recoveryCodes: readonly string[],
    proof: FactorProof,
  ): Promise<boolean>;
  /** The same. @param proof null: whoever may take it away without having it */
  removeFactor(userId: string | null, proof: FactorProof | null): Promise<boolean>;
}

/** The factor once the proof was used; null: it was used before. */
export function spend(factor: StoredFactor, proof: FactorProof): StoredFactor | null {
  if ('step' in proof) return proof.step > factor.lastStep ? { ...factor, lastStep: proof.step } : null;
  const recoveryCodes = factor.recoveryCodes.filter((hash) => hash !== proof.recoveryCode);
  return recoveryCodes.length < factor.recoveryCodes.length ? { ...factor, recoveryCodes } : null;
}
