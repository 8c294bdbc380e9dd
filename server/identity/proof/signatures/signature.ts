import { hash } from 'node:crypto';
import {
  type Dictionary,
  type InnerList,
  type Item,
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from 'structured-headers';
import { z } from 'zod';
import { checkAlgorithm, isSignedBy } from './algorithm.ts';
import type { KeyDirectories } from './key-directories.ts';
import { parseSignatureAgent, type SignatureAgents, type Signer } from './signature-agent.ts';
import { SignatureError, UncheckedError } from './signature-error.ts';
import type { SignedRequest } from './signed-request.ts';

export type SignatureVerdict =
  | { state: 'valid'; host: string; keyid: string; nonce?: string }
  | { state: 'invalid'; why: string; host?: string }
  | { state: 'unknown'; why: string; host?: string };

export interface Signatures {
  /**
   * Checks the request's Web Bot Auth signature with the keys that are known now; undefined: it has none. This uses up
   * the nonce: call once for each request.
   */
  check(request: SignedRequest): SignatureVerdict | undefined;
  /** The same after the key directory has been fetched, if it is under way. */
  verify(request: SignedRequest): Promise<SignatureVerdict | undefined>;
  /** Takes back that the nonce was used, for a request that was not accepted in the end and may come again. */
  release(verdict: SignatureVerdict): void;
}

/** Tolerated difference between clocks. */
const skewSeconds = 60;
/** The draft recommends that signatures live no longer; a longer validity is not accepted. */
const maxLifeSeconds = 86_400;

export function createSignatures(directories: KeyDirectories, now: () => number): Signatures {
  const nonces = new UsedNonces();

  function checkOne(
    input: SignatureInput,
    agents: SignatureAgents,
    request: SignedRequest,
  ): SignatureVerdict {
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
      if ('why' in found) throw new UncheckedError(found.why);
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
        throw new UncheckedError('It has no Signature-Agent that says who signed.');
      }
      const agents = parseSignatureAgent(agentField);
      if (inputs.length === 0) return unsigned(agents);
      return best(inputs.map((input) => checkOne(input, agents, request)));
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
  if (error instanceof UncheckedError) return { state: 'unknown', why: error.message, ...named };
  throw error;
}

/** One good signature is enough; a bad one weighs more than one that cannot be checked. */
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

/** The signer that the covered part of Signature-Agent names; anything not covered may have been added by anyone. */
function signerOf({ label, covered }: SignatureInput, agents: SignatureAgents): Signer {
  const components = covered[0].filter(([name]) => name === 'signature-agent');
  if (components.length === 0) throw new SignatureError('It does not cover its Signature-Agent.');
  const keys = components.flatMap(([, parameters]) => {
    const key = parameters.get('key');
    return typeof key === 'string' ? [key] : [...agents.keys()];
  });
  // A proxy may also cover the members of those before it.
  const key = keys.length === 1 ? (keys[0] ?? '') : label;
  if (!agents.has(key)) throw new UncheckedError('It is not clear which Signature-Agent signed.');
  const signer = agents.get(key);
  if (!signer) throw new UncheckedError('Its Signature-Agent does not say where the keys of the signer are.');
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

/**
 * The text that was signed (RFC 9421 section 2.5).
 * @throws SignatureError if no request can have this base
 * @throws UncheckedError if it covers something that the report does not have
 */
export function signatureBase(request: SignedRequest, covered: InnerList): string {
  const identifiers = covered[0].map(identifierOf);
  if (new Set(identifiers).size < identifiers.length)
    throw new SignatureError('It covers a component twice.');
  const lines = covered[0].map(
    (component, index) => `${identifiers[index]}: ${componentValue(component, request)}`,
  );
  return [...lines, `"@signature-params": ${serializeInnerList(covered)}`].join('\n');
}

function identifierOf(component: Item): string {
  const [name] = component;
  if (typeof name !== 'string' || name !== name.toLowerCase() || name === '') {
    throw new SignatureError('It covers a component without a proper name.');
  }
  return serializeItem(component);
}

function componentValue([name, parameters]: Item, request: SignedRequest): string {
  const field = String(name);
  if (field.startsWith('@')) {
    if (parameters.size > 0)
      throw new UncheckedError(`It covers ${field} with parameters, which is not checked here.`);
    return derivedValue(field, request);
  }
  const value = Object.hasOwn(request.headers, field) ? request.headers[field] : undefined;
  if (value === undefined) throw new UncheckedError(`It covers the header ${field}, which was not reported.`);
  // A line break would let a value pass for the next component.
  if (/[\r\n]/.test(value)) throw new SignatureError(`Its header ${field} has a line break in it.`);
  const key = parameters.get('key');
  if (parameters.size === 0) return value.trim();
  if (parameters.size === 1 && typeof key === 'string') return memberValue(field, value, key);
  throw new UncheckedError(`It covers the header ${field} in a way that is not checked here.`);
}

/** Derived components of RFC 9421 section 2.2, for requests. */
function derivedValue(name: string, { url, method }: SignedRequest): string {
  const target = readTarget(url);
  switch (name) {
    case '@method':
      if (method === undefined) throw new UncheckedError('It covers the method, which was not reported.');
      return method;
    case '@authority':
      return target.authority;
    case '@scheme':
      return target.scheme;
    case '@target-uri':
      return `${target.scheme}://${target.authority}${target.path}${target.query}`;
    case '@request-target':
      return `${target.path}${target.query}`;
    case '@path':
      return target.path;
    case '@query':
      return target.query === '' ? '?' : target.query;
    default:
      throw new UncheckedError('It covers a component that is not checked here.');
  }
}

/** Path and query as they were sent: `URL` would spell some of them differently. */
function readTarget(address: string) {
  const url = URL.parse(address);
  const parts = /^https?:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/i.exec(address);
  if (!url || !parts) throw new UncheckedError('The address of the request was not reported in full.');
  const [, path, query = ''] = parts;
  return { scheme: url.protocol.slice(0, -1), authority: url.host, path: path || '/', query };
}

function memberValue(field: string, value: string, key: string): string {
  let member: InnerList | Item | undefined;
  try {
    member = parseDictionary(value).get(key);
  } catch (cause) {
    throw new SignatureError(`Its header ${field} cannot be read as a dictionary.`, { cause });
  }
  if (!member)
    throw new SignatureError(`It covers "${key}" of the header ${field}, which has no such member.`);
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}

/** One Web Bot Auth signature of a request, of which only the form is checked yet. */
export interface SignatureInput {
  label: string;
  /** Covered components with the signature's parameters: what `@signature-params` is made of. */
  covered: InnerList;
  signature: Uint8Array;
  keyid: string;
  /** Seconds since 1970. */
  created: number;
  expires: number;
  nonce?: string;
  alg?: string;
}

/** A signature takes some 300 bytes; four of RSA would fit. */
const maxLength = 4_096;
/** A request passes few hands; every signature costs a verification. */
const maxSignatures = 4;
const maxCovered = 32;

const parameters = z.object({
  created: z.int().nonnegative(),
  expires: z.int().nonnegative(),
  keyid: z.string().min(1).max(256),
  nonce: z.string().min(1).max(256).optional(),
  alg: z.string().max(64).optional(),
});

/**
 * Finds the signatures with the tag `web-bot-auth` (RFC 9421 section 4); others are ignored.
 * @throws SignatureError
 */
export function parseSignatureInput(input: string, signature: string | undefined): SignatureInput[] {
  // Most other signatures need not be parsed.
  if (!input.includes('"web-bot-auth"')) return [];
  const inputs = [...parseField('Signature-Input', input)].filter(
    ([, member]) => member[1].get('tag') === 'web-bot-auth',
  );
  if (inputs.length === 0) return [];
  if (inputs.length > maxSignatures)
    throw new SignatureError(`It has more than ${maxSignatures} signatures.`);
  const signatures = parseField('Signature', signature ?? '');
  return inputs.map(([label, member]) => {
    if (!isInnerList(member)) throw new SignatureError(`Its Signature-Input "${label}" is not a list.`);
    return {
      label,
      covered: checkCovered(member),
      signature: bytesOf(signatures, label),
      ...readParameters(member),
    };
  });
}

function parseField(name: string, value: string): Dictionary {
  if (value.length > maxLength) throw new SignatureError(`Its ${name} is too long.`);
  try {
    return parseDictionary(value);
  } catch (cause) {
    throw new SignatureError(`Its ${name} cannot be read.`, { cause });
  }
}

function checkCovered(member: InnerList): InnerList {
  if (member[0].length > maxCovered)
    throw new SignatureError(`It covers more than ${maxCovered} components.`);
  return member;
}

function readParameters(member: InnerList) {
  const parsed = parameters.safeParse(Object.fromEntries(member[1]));
  if (parsed.success) {
    const { nonce, alg, ...needed } = parsed.data;
    return { ...needed, ...(nonce === undefined ? {} : { nonce }), ...(alg === undefined ? {} : { alg }) };
  }
  const names = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))].join(', ');
  throw new SignatureError(`Its signature lacks these parameters or has bad ones: ${names}.`);
}

function bytesOf(signatures: Dictionary, label: string): Uint8Array {
  const value = signatures.get(label)?.[0];
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new SignatureError(`It has no Signature for the Signature-Input "${label}".`);
}
