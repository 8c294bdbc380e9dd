import type { TallyEntry } from '../../../counting/tally.ts';
import { findClientBySignatureHost } from '../../catalogue.ts';
import type { SignatureVerdict } from './signature.ts';

/** What became of a signature in few words, by the sentence that says it at length. */
const results: readonly (readonly [RegExp, string])[] = [
  [/^Its signature has expired/, 'expired'],
  [/^Its signature was created in the future/, 'from the future'],
  [/^Its signature does not fit/, 'does not fit the request'],
  [/^It covers neither @authority/, 'not bound to the site'],
  [/not reported/, 'covers what the report lacks'],
  [/not checked here|for another algorithm/, 'in a form that is not checked'],
  [/^The key directory of .* (is not known|is being fetched)/, 'key directory not known'],
  [/lists no key/, 'key not listed'],
  [/^The key of .* is not good/, 'key not good at this time'],
  [/not signed/, 'not signed'],
  [/no Signature-Agent/, 'names no signer'],
  [/used/, 'used before'],
];

/** Operators that the catalogue does not name are one, as anybody can make up more of them. */
export function signatureTally(verdict: SignatureVerdict): TallyEntry {
  const operator = verdict.host && findClientBySignatureHost(verdict.host)?.operator;
  return { tally: 'signatures', group: operator || '(not known)', name: resultOf(verdict) };
}

function resultOf(verdict: SignatureVerdict): string {
  if (verdict.state === 'valid') return 'valid';
  return results.find(([sentence]) => sentence.test(verdict.why))?.[1] ?? 'cannot be read';
}
