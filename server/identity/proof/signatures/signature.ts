import { hash } from 'node:crypto';
import { checkAlgorithm, isSignedBy } from './algorithm.ts';
import type { KeyDirectories } from './key-directories.ts';
import { parseSignatureAgent, type SignatureAgents, type Signer } from './signature-agent.ts';
import { signatureBase } from './signature-base.ts';
import { SignatureError, UnjudgedError } from './signature-error.ts';
import { parseSignatureInput, type SignatureInput } from './signature-input.ts';
import type { SignedRequest } from './signed-request.ts';

export type SignatureVerdict =
  | { state: 'valid'; host: string; keyid: string; nonce?: string }
  | { state: 'invalid'; why: string; host?: string }
  | { state: 'unknown'; why: string; host?: string };

export interface Signatures {
  /**
   * Judges the request's Web Bot Auth signature with the keys that are known now; undefined: it has none. A nonce is
   * used up by this: ask once for each request.
   */
  check(request: SignedRequest): SignatureVerdict | undefined;
  /** The same after the key directory has been fetched, if it is under way. */
  verify(request: SignedRequest): Promise<SignatureVerdict | undefined>;
  /** Takes back that the nonce was used, for a request that was not accepted in the end and may come again. */
  release(verdict: SignatureVerdict): void;
}

/** What clocks may differ by. */
const skewSeconds = 60;
/** The draft recommends that signatures live no longer; one that says so is not believed for longer. */
const maxLifeSeconds = 86_400;

export function createSignatures(directories: KeyDirectories, now: () => number): Signatures {
  const nonces = new UsedNonces();

  function judge(input: SignatureInput, agents: SignatureAgents, request: SignedRequest): SignatureVerdict {
    const at = request.at ?? now();
    let host: string | undefined;
    try {
      const signer = signerOf(input, agents);
      host = signer.name;
      checkCoverage(input);
      checkTime(input, at / 1000);
      const base = signatureBase(request, input.covered);
      const alg = checkAlgorithm(input.alg);
      const found = directories.find(signer, input.keyid, at);
      if ('why' in found) throw new UnjudgedError(found.why);
      if (!isSignedBy(found, alg, base, input.signature)) {
        throw new SignatureError('Its signature does not fit the request.');
      }
      return { state: 'valid', host, keyid: input.keyid, ...nonces.use(host, input) };
    } catch (error) {
      return toVerdict(error, host);
    }
  }

  function check(request: SignedRequest): SignatureVerdict | undefined {
    const field = request.headers['signature-input'];
    const agentField = request.headers['signature-agent'];
    if (field === undefined && agentField === undefined) return undefined;
    try {
      const inputs = parseSignatureInput(field ?? '', request.headers.signature);
      if (inputs.length === 0 && agentField === undefined) return undefined;
      if (agentField === undefined) {
        // Every draft since 2026 has signers name themselves; what they signed before that names nobody.
        throw new UnjudgedError('It has no Signature-Agent that says who signed.');
      }
      const agents = parseSignatureAgent(agentField);
      if (inputs.length === 0) return unsigned(agents);
      return best(inputs.map((input) => judge(input, agents, request)));
    } catch (error) {
      return toVerdict(error, undefined);
    }
  }

  return {
    check,
    async verify(request) {
      const first = check(request);
      if (first?.state !== 'unknown' || first.host === undefined) return first;
      await directories.settle(first.host);
      return check(request);
    },
    release(verdict) {
      if (verdict.state === 'valid' && verdict.nonce !== undefined) nonces.release(verdict.nonce);
    },
  };
}

function toVerdict(error: unknown, host: string | undefined): SignatureVerdict {
  const named = host === undefined ? {} : { host };
  if (error instanceof SignatureError) return { state: 'invalid', why: error.message, ...named };
  if (error instanceof UnjudgedError) return { state: 'unknown', why: error.message, ...named };
  throw error;
}

/** One good signature is enough; a bad one weighs more than one that cannot be judged. */
function best(verdicts: readonly SignatureVerdict[]): SignatureVerdict | undefined {
  return (['valid', 'invalid', 'unknown'] as const)
    .map((state) => verdicts.find((verdict) => verdict.state === state))
    .find((verdict) => verdict !== undefined);
}

function unsigned(agents: SignatureAgents): SignatureVerdict {
  const host = [...agents.values()].find((found) => found !== undefined)?.name;
  return {
    state: 'unknown',
    why: 'It names a signer but is not signed.',
    ...(host === undefined ? {} : { host }),
  };
}

/** The signer that the covered part of Signature-Agent names; what is not covered may have been put there by anybody. */
function signerOf({ label, covered }: SignatureInput, agents: SignatureAgents): Signer {
  const components = covered[0].filter(([name]) => name === 'signature-agent');
  if (components.length === 0) throw new SignatureError('It does not cover its Signature-Agent.');
  const keys = components.flatMap(([, parameters]) => {
    const key = parameters.get('key');
    return typeof key === 'string' ? [key] : [...agents.keys()];
  });
  // Who passes a request on may also cover the members of those before.
  const key = keys.length === 1 ? (keys[0] ?? '') : label;
  if (!agents.has(key)) throw new UnjudgedError('It is not clear which Signature-Agent signed.');
  const signer = agents.get(key);
  if (!signer) throw new UnjudgedError('Its Signature-Agent does not say where the keys of the signer are.');
  return signer;
}

function checkCoverage({ covered }: SignatureInput): void {
  const bound = covered[0].some(([name]) => name === '@authority' || name === '@target-uri');
  if (!bound)
    throw new SignatureError('It covers neither @authority nor @target-uri: it could be for any site.');
}

function checkTime({ created, expires }: SignatureInput, at: number): void {
  if (expires <= created) throw new SignatureError('Its signature expires before it was created.');
  if (created > at + skewSeconds) throw new SignatureError('Its signature was created in the future.');
  if (at > Math.min(expires, created + maxLifeSeconds) + skewSeconds) {
    throw new SignatureError('Its signature has expired.');
  }
}

const maxNonces = 50_000;

/** Nonces of signatures: a second request with one is a copy of the first. */
class UsedNonces {
  /** In the order they came. An expired signature is refused anyway, so that the oldest may go first. */
  readonly #uses = new Set<string>();

  /** Answers what `release` takes, if there is a nonce. @throws SignatureError where it was used before */
  use(host: string, { keyid, nonce }: SignatureInput): { nonce?: string } {
    if (nonce === undefined) return {};
    const use = hash('sha256', JSON.stringify([host, keyid, nonce]), 'base64url');
    if (this.#uses.has(use)) throw new SignatureError('Its nonce was used before: the request is a copy.');
    this.#uses.add(use);
    for (const oldest of this.#uses) {
      if (this.#uses.size <= maxNonces) break;
      this.#uses.delete(oldest);
    }
    return { nonce: use };
  }

  release(use: string): void {
    this.#uses.delete(use);
  }
}
