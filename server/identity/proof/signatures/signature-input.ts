import { type Dictionary, type InnerList, isInnerList, parseDictionary } from 'structured-headers';
import { z } from 'zod';
import { SignatureError } from './signature-error.ts';

/** One Web Bot Auth signature of a request, before anything is judged but its form. */
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
 * Finds the signatures with the tag `web-bot-auth` (RFC 9421 section 4); others are none of our business.
 * @throws SignatureError
 */
export function parseSignatureInput(input: string, signature: string | undefined): SignatureInput[] {
  // Most of what is not for us need not even be parsed.
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
