import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { KeyDirectories } from '../../../server/identity/proof/signatures/key-directories.ts';
import type { SignedRequest } from '../../../server/identity/proof/signatures/signed-request.ts';

/** A client that signs its requests as Web Bot Auth says, written without the code under test. */
export interface TestSigner {
  keyid: string;
  jwk: { kty: 'OKP'; crv: 'Ed25519'; x: string };
  privateKey: KeyObject;
}

export function createSigner(): TestSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const keyid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return { keyid, jwk: { kty: 'OKP', crv: 'Ed25519', x }, privateKey };
}

export interface SigningOptions {
  url?: string;
  /** The value of Signature-Agent. */
  agent: string;
  label?: string;
  /** Milliseconds. */
  at: number;
  /** Covered components with the value each has in the signed text. */
  covered?: readonly (readonly [identifier: string, value: string])[];
  created?: number;
  expires?: number;
  keyid?: string;
  nonce?: string;
  alg?: string;
  tag?: string;
  /** Parameters to leave out. */
  without?: readonly string[];
  headers?: Record<string, string>;
}

/** The request with the header fields of its signature. */
export function signRequest(signer: TestSigner, options: SigningOptions): SignedRequest {
  const { url = 'https://site.example/docs', agent, label = 'sig1', at } = options;
  const covered = options.covered ?? [
    ['"@authority"', new URL(url).host],
    ['"signature-agent"', agent],
  ];
  const created = options.created ?? Math.floor(at / 1000);
  const parameters: [string, string | undefined][] = [
    ['created', String(created)],
    ['keyid', `"${options.keyid ?? signer.keyid}"`],
    ['alg', options.alg && `"${options.alg}"`],
    ['expires', String(options.expires ?? created + 300)],
    ['nonce', options.nonce && `"${options.nonce}"`],
    ['tag', `"${options.tag ?? 'web-bot-auth'}"`],
  ];
  const kept = parameters.filter(([name, value]) => value !== undefined && !options.without?.includes(name));
  const input = `(${covered.map(([identifier]) => identifier).join(' ')})${kept.map(([name, value]) => `;${name}=${value}`).join('')}`;
  const base = [
    ...covered.map(([identifier, value]) => `${identifier}: ${value}`),
    `"@signature-params": ${input}`,
  ].join('\n');
  const signature = sign(null, Buffer.from(base), signer.privateKey).toString('base64');
  return {
    url,
    at,
    headers: {
      ...options.headers,
      'signature-agent': agent,
      'signature-input': `${label}=${input}`,
      signature: `${label}=:${signature}:`,
    },
  };
}

/** Directories whose keys are known already: `x` by `<name> <keyid>`. */
export function knownKeys(keys: Readonly<Record<string, string>>): KeyDirectories {
  return {
    find({ name }, keyid) {
      const x = keys[`${name} ${keyid}`];
      if (x === undefined) return { why: 'No such key.' };
      return { key: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } }) };
    },
    settle: async () => undefined,
    stop: () => undefined,
  };
}
