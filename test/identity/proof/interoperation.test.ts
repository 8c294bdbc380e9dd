import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { createKeyDirectories } from '../../../server/identity/proof/signatures/key-directories.ts';
import { createSignatures } from '../../../server/identity/proof/signatures/signature.ts';
import type { SignedRequest } from '../../../server/identity/proof/signatures/signed-request.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import { directoryPath, directoryType } from '../../support/proof/directory-server.ts';
import { loopback, startHttpsServer, type TestHttpsServer } from '../../support/proof/https-server.ts';
import { createSigner, signRequest } from '../../support/proof/signer.ts';

const at = Date.parse('2026-11-21T12:00:00Z');
const site = 'https://site.example/docs';
let server: TestHttpsServer | undefined;

afterEach(async () => {
  await server?.close();
});

/** Judges a request with the keys that a server answers at a path, in a media type. */
async function judge(
  keys: readonly object[],
  path: string,
  type: string,
  sign: (host: string) => Promise<SignedRequest>,
) {
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    request.url === path
      ? response.writeHead(200, { 'content-type': type }).end(JSON.stringify({ keys }))
      : response.writeHead(404).end();
  server = await startHttpsServer(answer, ['alice.test']);
  const directories = createKeyDirectories({
    get: createHttpsGet(loopback(server.ca)),
    now: () => at,
    isKnown: () => false,
  });
  const host = `alice.test:${server.port}`;
  const signatures = createSignatures(directories, () => at);
  const verdict = await signatures.verify(await sign(host));
  directories.stop();
  return { verdict, host };
}

/** Signed by the package that Cloudflare's examples and others sign with. */
async function signElsewhere(
  privateKey: Parameters<typeof signerFromJWK>[0],
  host: string,
): Promise<SignedRequest> {
  const agent = `"https://${host}"`;
  const request = new Request(site, { headers: { 'signature-agent': agent } });
  const fields = await signatureHeaders(request, await signerFromJWK(privateKey), {
    created: new Date(at),
    expires: new Date(at + 300_000),
  });
  return {
    url: site,
    at,
    headers: {
      'signature-agent': agent,
      'signature-input': fields['Signature-Input'],
      signature: fields.Signature,
    },
  };
}

const pairs = {
  Ed25519: () => generateKeyPairSync('ed25519'),
  'RSA-PSS with SHA-512': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

it.each(Object.entries(pairs))(
  'the package web-bot-auth signs with %s, and its signature is valid here',
  async (_, generate) => {
    const { publicKey, privateKey } = generate();
    const alg = publicKey.asymmetricKeyType === 'rsa' ? { alg: 'PS512' } : {};
    const jwk = { ...publicKey.export({ format: 'jwk' }), ...alg };
    const privateJwk = { ...privateKey.export({ format: 'jwk' }), ...alg };
    const { verdict, host } = await judge([jwk], directoryPath, directoryType, (name) =>
      signElsewhere(privateJwk, name),
    );
    expect(verdict).toMatchObject({ state: 'valid', host });
  },
);

it('a key that its directory keeps for another algorithm signs nothing', async () => {
  const { publicKey, privateKey } = pairs['RSA-PSS with SHA-512']();
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'RS256' };
  const privateJwk = { ...privateKey.export({ format: 'jwk' }), alg: 'PS512' };
  const { verdict } = await judge([jwk], directoryPath, directoryType, (name) =>
    signElsewhere(privateJwk, name),
  );
  expect(verdict).toMatchObject({ state: 'unknown', why: expect.stringContaining('another algorithm') });
});

it.each(['application/jwk-set+json', 'application/json', directoryType])(
  'a set of keys at an address of its own (jwks_uri, %s) signs for that address and not for its host',
  async (type) => {
    const alice = createSigner();
    const path = '/users/alice/keys.json';
    const { verdict, host } = await judge([alice.jwk], path, type, async (name) => {
      const member = `"https://${name}${path}";type=jwks_uri`;
      return signRequest(alice, {
        agent: `sig1=${member}`,
        at,
        covered: [
          ['"@authority"', 'site.example'],
          ['"signature-agent";key="sig1"', member],
        ],
      });
    });
    expect(verdict).toMatchObject({ state: 'valid', host: `${host}${path}` });
  },
);

it('a key of fewer bits than 2048 is passed over', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1536 });
  const jwk = publicKey.export({ format: 'jwk' });
  const privateJwk = { ...privateKey.export({ format: 'jwk' }), alg: 'PS512' };
  const { verdict } = await judge([jwk], directoryPath, directoryType, (name) =>
    signElsewhere(privateJwk, name),
  );
  expect(verdict).toMatchObject({ state: 'unknown', why: expect.stringContaining('lists no key') });
});
