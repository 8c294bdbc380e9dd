import type { CountedDropReason } from '../../shared/hit.ts';
import type { ClaimCheck } from '../../shared/reports/analytics.ts';
import { lookUp } from '../texts/part.ts';
import { t } from '../texts/terms.ts';

/** Signs of how sure it is who a client is. */
export const proofMarks: Readonly<Record<string, string>> = { verified: '✓', claimed: '“', inferred: '≈' };

export const nameProof = (proof: string): string => lookUp(t.proofs, proof) ?? proof;

/** What stands beside the proof of a client. */
export const describeProof = (proof: string, check: ClaimCheck | null): string =>
  [lookUp(t.proofDescriptions, proof), check && t.checks[check]].filter((text) => text).join(' ');

/** A reason that only an older version gave is shown as it was stored. */
export const nameReason = (reason: CountedDropReason): { name: string; description: string } =>
  Object.hasOwn(t.reasons, reason) ? t.reasons[reason] : { name: reason, description: '' };
