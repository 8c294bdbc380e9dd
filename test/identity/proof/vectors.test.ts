import { createPublicKey, verify } from 'node:crypto';
import { parseDictionary } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import { findClientBySignatureHost, isNamedSignatureHost } from '../../../server/identity/catalogue.ts';
import { identify } from '../../../server/identity/identify.ts';
import type { KeyDirectories } from '../../../server/identity/proof/signatures/key-directories.ts';
import { createSignatures, signatureBase } from '../../../server/identity/proof/signatures/signature.ts';
import {
  directoryHost,
  parseSignatureAgent,
} from '../../../server/identity/proof/signatures/signature-agent.ts';
import { chrome } from '../../support/browsers.ts';
import { knownKeys } from '../../support/proof/signer.ts';
import drafts from '../../support/proof/web-bot-auth-vectors.json' with { type: 'json' };

describe('published test vectors', () => {
  /** RFC 9421 appendix B.1.4. */
  const x = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';

  it('of RFC 9421 appendix B.2.6 give the text that was signed', () => {
    const request = {
      url: 'https://example.com/foo?param=Value&Pet=dog',
      method: 'POST',
      headers: {
        date: 'Tue, 20 Apr 2021 02:07:55 GMT',
        'content-type': 'application/json',
        'content-length': '18',
      },
    };
    const input =
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
    const covered = parseDictionary(input).get('sig-b26');
    if (!covered || !Array.isArray(covered[0])) throw new Error('The vector is not a list.');
    const base = signatureBase(request, [covered[0], covered[1]]);
    const signature =
      'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    expect(verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64'))).toBe(true);
  });

  const keyid = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';
  const created = 1_735_689_600;
  const vectors = {
    dictionary: {
      'signature-agent': 'sig2="https://signature-agent.test"',
      'signature-input': `sig2=("@authority" "signature-agent";key="sig2");created=${created};keyid="${keyid}";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"`,
      signature:
        'sig2=:CGokAoY/FrPpyuzTe1Fb2kLTAH9Idw6qSFd1+D77r1firsMRCxeuLu5e6O+ek3zQgDMAzjiXtLVfqE00xnABCQ==:',
    },
    string: {
      'signature-agent': '"https://signature-agent.test"',
      'signature-input': `sig2=("@authority" "signature-agent");created=${created};keyid="${keyid}";alg="ed25519";expires=1735693200;nonce="e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";tag="web-bot-auth"`,
      signature:
        'sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:',
    },
  };
  it.each(Object.entries(vectors))('of the Web Bot Auth draft are valid in the %s form', (_, headers) => {
    const directories = knownKeys({ [`signature-agent.test ${keyid}`]: x });
    const signatures = createSignatures(directories, () => created * 1000);
    const valid = { state: 'valid', host: 'signature-agent.test', keyid };
    expect(signatures.check({ url: 'https://example.com/', headers })).toMatchObject(valid);
    expect(signatures.check({ url: 'https://example.org/', headers })).toMatchObject({ state: 'invalid' });
  });
});

describe('the vectors of the drafts', () => {
  /** With the one key of the vector, of the one host that the vectors name. */
  const judge = ({ key, createdMs, url, headers }: (typeof drafts.vectors)[number], change = {}) => {
    const directories: KeyDirectories = {
      find: ({ name }) =>
        name === 'signature-agent.test'
          ? { key: createPublicKey({ format: 'jwk', key }) }
          : { why: 'No such key.' },
      settle: async () => undefined,
      stop: () => undefined,
    };
    return createSignatures(directories, () => createdMs).check({
      url,
      headers: headers as Record<string, string>,
      ...change,
    });
  };
  const named = drafts.vectors.filter(({ headers }) => 'signature-agent' in headers);
  const unnamed = drafts.vectors.filter(({ headers }) => !('signature-agent' in headers));

  it.each(named)(
    'of $of with $key.kty and $headers.signature-agent are valid, and not of another site',
    (vector) => {
      expect(judge(vector)).toMatchObject({ state: 'valid', host: 'signature-agent.test' });
      expect(judge(vector, { url: 'https://example.org/' })).toMatchObject({ state: 'invalid' });
    },
  );

  it.each(unnamed)('of $of with $key.kty that name no signer are not judged', (vector) => {
    const verdict = judge(vector);
    expect(verdict).toMatchObject({ state: 'unknown', why: expect.stringContaining('Signature-Agent') });
    expect(verdict).not.toHaveProperty('host');
    const userAgent = 'Mozilla/5.0 (compatible; GPTBot/1.4)';
    const evidence = { via: 'report', userAgent, findings: { signature: { state: 'unknown' } } } as const;
    expect(identify(evidence)).toMatchObject({ kind: 'ai', client: 'GPTBot', proof: 'claimed' });
    expect(identify({ ...evidence, userAgent: chrome }).kind).toBe('human');
  });

  it('are of both versions of the drafts, and of both sorts of keys', () => {
    expect(named).toHaveLength(4);
    expect(unnamed).toHaveLength(4);
  });
});

describe('the names of signers', () => {
  // Of the draft, section "Key Distribution and Discovery", and of the vectors of the package web-bot-auth.
  it.each([
    [
      'sig1="https://signature-agent.test"',
      'directory',
      '',
      '/.well-known/http-message-signatures-directory',
    ],
    ['sig1="https://signature-agent.test/jwks.json";type=jwks_uri', 'jwks_uri', '/jwks.json', '/jwks.json'],
    ['sig1="https://signature-agent.test/card";type=cimd', 'cimd', '/card', '/card'],
  ])('are read as the draft shows them: %s', (field, type, path, asked) => {
    const name = `signature-agent.test${path}`;
    expect([...parseSignatureAgent(field)]).toEqual([
      ['sig1', { name, type, url: `https://signature-agent.test${asked}` }],
    ]);
  });

  it.each([
    ['chatgpt.com', 'ChatGPT agent'],
    ['agent.bot.goog', 'Google-Agent'],
    ['a1b2.keydirectory.signer.us-east-1.on.aws', 'Amazon Bedrock AgentCore Browser'],
    ['keydirectory.signer.us-east-1.on.aws', undefined],
    ['a.b.keydirectory.signer.us-east-1.on.aws', undefined],
    ['x.keydirectory.signer.us-east-1.on.aws.evil.example', undefined],
    ['evilchatgpt.com', undefined],
    ['chatgpt.com:8443', undefined],
    ['constructor', undefined],
  ])('%s is %s', (name, expected) => {
    expect(findClientBySignatureHost(name)?.client).toBe(expected);
  });

  it('count as well known only where strangers cannot add to them', () => {
    expect(isNamedSignatureHost('chatgpt.com')).toBe(true);
    expect(isNamedSignatureHost('a1b2.keydirectory.signer.us-east-1.on.aws')).toBe(false);
  });

  it.each([
    ['https://CHATGPT.com', 'chatgpt.com'],
    ['https://chatgpt.com:443/', 'chatgpt.com'],
    ['chatgpt.com', 'chatgpt.com'],
    ['https://user:secret@chatgpt.com', undefined],
    ['https://chatgpt.com@evil.example', undefined],
    ['ftp://chatgpt.com', undefined],
    ['data:application/json,{}', undefined],
    ['https://', undefined],
    ['', undefined],
  ])('"%s" leads to the directory of %s', (agent, expected) => {
    expect(directoryHost(agent)).toBe(expected);
  });
});
