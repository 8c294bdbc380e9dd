import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { parseDictionary } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import type { KeyDirectories } from '../server/identity/proof/key-directories.ts';
import { createSignatures, type SignatureVerdict } from '../server/identity/proof/signature.ts';
import { directoryHost } from '../server/identity/proof/signature-agent.ts';
import { signatureBase } from '../server/identity/proof/signature-base.ts';
import type { SignedRequest } from '../server/identity/proof/signed-request.ts';
import { findSigner, isWellKnownSigner } from '../server/identity/proof/signers.ts';
import { createSigner, type SigningOptions, signRequest, type TestSigner } from './support/signer.ts';

const at = Date.parse('2026-11-21T12:00:00Z');
const host = 'signer.example';

/** Directories that are known already, as `<host> <keyid>`. */
function known(keys: Readonly<Record<string, { x: string }>>): KeyDirectories {
  return {
    find(name, keyid) {
      const x = keys[`${name} ${keyid}`]?.x;
      if (x === undefined) return { why: 'No such key.' };
      return { key: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } }) };
    },
    settle: async () => undefined,
    stop: () => undefined,
  };
}

const signer = createSigner();
const directories = known({ [`${host} ${signer.keyid}`]: signer.jwk });
const judge = (request: SignedRequest) => createSignatures(directories, () => at).check(request);
const plain: SigningOptions = { agent: `"https://${host}"`, at };
const signed = (more: Partial<SigningOptions> = {}, by: TestSigner = signer) =>
  signRequest(by, { ...plain, ...more });
const withHeader = (
  request: SignedRequest,
  name: string,
  change: (value: string) => string,
): SignedRequest => ({
  ...request,
  headers: { ...request.headers, [name]: change(request.headers[name] ?? '') },
});

describe('published test vectors', () => {
  /** RFC 9421 appendix B.1.4. */
  const x = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';

  it('of RFC 9421 appendix B.2.6 give the same signature base', () => {
    const request: SignedRequest = {
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
    expect(base.split('\n')).toHaveLength(7);
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
    const signatures = createSignatures(
      known({ [`signature-agent.test ${keyid}`]: { x } }),
      () => created * 1000,
    );
    expect(signatures.check({ url: 'https://example.com/', headers })).toMatchObject({
      state: 'valid',
      host: 'signature-agent.test',
      keyid,
    });
    expect(signatures.check({ url: 'https://example.org/', headers })).toMatchObject({ state: 'invalid' });
  });
});

describe('a signed request', () => {
  it('is valid and names the host of its signer', () => {
    expect(judge(signed())).toEqual({ state: 'valid', host, keyid: signer.keyid });
  });

  it.each<[string, Partial<SigningOptions>]>([
    [
      'the dictionary form, keyed by another name',
      {
        agent: `g="https://${host}"`,
        covered: [
          ['"@authority"', 'site.example'],
          ['"signature-agent";key="g"', `"https://${host}"`],
        ],
      },
    ],
    ['a dictionary covered whole', { agent: `sig1="https://${host}"` }],
    [
      'a dictionary of two, its own member covered',
      {
        agent: `sig0="https://other.example", sig1="https://${host}"`,
        covered: [
          ['"@authority"', 'site.example'],
          ['"signature-agent";key="sig1"', `"https://${host}"`],
        ],
      },
    ],
    [
      'two covered members, its own by label',
      {
        agent: `sig0="https://other.example", sig1="https://${host}"`,
        covered: [
          ['"@authority"', 'site.example'],
          ['"signature-agent";key="sig0"', '"https://other.example"'],
          ['"signature-agent";key="sig1"', `"https://${host}"`],
        ],
      },
    ],
    [
      'a member with the type of an earlier draft',
      {
        agent: `sig1="https://${host}";type=directory`,
        covered: [
          ['"@authority"', 'site.example'],
          ['"signature-agent";key="sig1"', `"https://${host}";type=directory`],
        ],
      },
    ],
    [
      'the address of the directory itself',
      { agent: `"https://${host}/.well-known/http-message-signatures-directory"` },
    ],
    ['a bare host name', { agent: `"${host}"` }],
    [
      'all derived components',
      {
        url: 'HTTPS://Site.Example:443/a%20b/../c?q=1&r=%C3%A4#top',
        covered: [
          ['"@authority"', 'site.example'],
          ['"@scheme"', 'https'],
          ['"@path"', '/a%20b/../c'],
          ['"@query"', '?q=1&r=%C3%A4'],
          ['"@request-target"', '/a%20b/../c?q=1&r=%C3%A4'],
          ['"@target-uri"', 'https://site.example/a%20b/../c?q=1&r=%C3%A4'],
          ['"signature-agent"', `"https://${host}"`],
        ],
      },
    ],
    [
      'no path and no query',
      {
        url: 'https://site.example',
        covered: [
          ['"@authority"', 'site.example'],
          ['"@path"', '/'],
          ['"@query"', '?'],
          ['"signature-agent"', `"https://${host}"`],
        ],
      },
    ],
    ['another port', { url: 'https://site.example:8443/' }],
    [
      '@target-uri in place of @authority',
      {
        covered: [
          ['"@target-uri"', 'https://site.example/docs'],
          ['"signature-agent"', `"https://${host}"`],
        ],
      },
    ],
    [
      'ordinary headers, trimmed',
      {
        headers: { accept: '  text/markdown, */*  ' },
        covered: [
          ['"@authority"', 'site.example'],
          ['"accept"', 'text/markdown, */*'],
          ['"signature-agent"', `"https://${host}"`],
        ],
      },
    ],
    [
      'a member of another dictionary',
      {
        headers: { priority: 'u=1,  i' },
        covered: [
          ['"@authority"', 'site.example'],
          ['"priority";key="i"', '?1'],
          ['"signature-agent"', `"https://${host}"`],
        ],
      },
    ],
    ['its algorithm named', { alg: 'ed25519' }],
    ['a clock a little ahead', { created: at / 1000 + 55 }],
    ['a clock a little behind', { created: at / 1000 - 100, expires: at / 1000 - 55 }],
    ['a long life, while it is young', { created: at / 1000 - 86_000, expires: at / 1000 + 400 * 86_400 }],
  ])('is valid with %s', (_, options) => {
    expect(judge(signed(options))).toMatchObject({ state: 'valid', host });
  });

  it('may cover its method, if it was reported', () => {
    const covered = [
      ['"@method"', 'GET'],
      ['"@authority"', 'site.example'],
      ['"signature-agent"', plain.agent],
    ] as const;
    const request = signed({ covered });
    expect(judge({ ...request, method: 'GET' })).toMatchObject({ state: 'valid' });
    expect(judge({ ...request, method: 'POST' })).toMatchObject({ state: 'invalid' });
    expect(judge(request)).toMatchObject({ state: 'unknown', why: expect.stringContaining('method') });
  });

  it.each<[string, SignedRequest, string]>([
    ['for another site', { ...signed(), url: 'https://other.example/docs' }, 'does not fit'],
    ['by another key under this id', signed({ keyid: signer.keyid }, createSigner()), 'does not fit'],
    [
      'with a changed header',
      withHeader(
        signed({
          headers: { accept: '*/*' },
          covered: [
            ['"@authority"', 'site.example'],
            ['"accept"', '*/*'],
            ['"signature-agent"', plain.agent],
          ],
        }),
        'accept',
        () => 'text/html',
      ),
      'does not fit',
    ],
    [
      'with a changed parameter',
      withHeader(signed(), 'signature-input', (value) =>
        value.replace(/expires=\d+/, `expires=${at / 1000 + 3000}`),
      ),
      'does not fit',
    ],
    [
      'with components in another order',
      withHeader(signed(), 'signature-input', (value) =>
        value.replace('"@authority" "signature-agent"', '"signature-agent" "@authority"'),
      ),
      'does not fit',
    ],
    [
      'with a flipped bit',
      withHeader(signed(), 'signature', (value) =>
        value.replace(/:(.)/, (_, first) => `:${first === 'A' ? 'B' : 'A'}`),
      ),
      'does not fit',
    ],
    ['with a short signature', withHeader(signed(), 'signature', () => 'sig1=:AAAA:'), 'does not fit'],
    ['expired', signed({ created: at / 1000 - 400, expires: at / 1000 - 61 }), 'expired'],
    [
      'older than a day, whatever it says',
      signed({ created: at / 1000 - 86_500, expires: at / 1000 + 86_400 }),
      'expired',
    ],
    ['from the future', signed({ created: at / 1000 + 61 }), 'future'],
    ['expiring before it was made', signed({ created: at / 1000, expires: at / 1000 }), 'expires before'],
    ['without created', signed({ without: ['created'] }), 'created'],
    ['without expires', signed({ without: ['expires'] }), 'expires'],
    ['without keyid', signed({ without: ['keyid'] }), 'keyid'],
    [
      'with created as text',
      withHeader(signed(), 'signature-input', (value) => value.replace(/created=(\d+)/, 'created="$1"')),
      'created',
    ],
    ['that covers no site', signed({ covered: [['"signature-agent"', plain.agent]] }), 'any site'],
    ['that covers nothing', signed({ covered: [] }), 'Signature-Agent'],
    [
      'that does not cover its Signature-Agent',
      signed({ covered: [['"@authority"', 'site.example']] }),
      'Signature-Agent',
    ],
    [
      'that covers a component twice',
      signed({
        covered: [
          ['"@authority"', 'site.example'],
          ['"@authority"', 'site.example'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'twice',
    ],
    [
      'that covers a name in capitals',
      signed({
        headers: { Accept: '*/*' },
        covered: [
          ['"@authority"', 'site.example'],
          ['"Accept"', '*/*'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'proper name',
    ],
    [
      'that covers a header with a line break',
      signed({
        headers: { accept: 'a\n"@path": /b' },
        covered: [
          ['"@authority"', 'site.example'],
          ['"accept"', 'a\n"@path": /b'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'line break',
    ],
    [
      'that covers a missing member',
      signed({
        headers: { priority: 'u=1' },
        covered: [
          ['"@authority"', 'site.example'],
          ['"priority";key="i"', '?1'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'no such member',
    ],
    ['without a Signature', withHeader(signed(), 'signature', () => ''), 'no Signature'],
    [
      'with a Signature under another label',
      withHeader(signed(), 'signature', (value) => value.replace('sig1', 'sig2')),
      'no Signature',
    ],
    ['with a Signature that is text', withHeader(signed(), 'signature', () => 'sig1="AAAA"'), 'no Signature'],
    ['with an unreadable Signature', withHeader(signed(), 'signature', () => 'sig1=:%%:'), 'cannot be read'],
    [
      'with an unreadable Signature-Input',
      withHeader(signed(), 'signature-input', (value) => value.replace('(', '((')),
      'cannot be read',
    ],
    [
      'with an unreadable Signature-Agent',
      withHeader(signed(), 'signature-agent', () => '"https://'),
      'cannot be read',
    ],
    [
      'with a Signature-Input that is no list',
      withHeader(signed(), 'signature-input', () => 'sig1="x";tag="web-bot-auth"'),
      'not a list',
    ],
    [
      'with a huge Signature-Input',
      withHeader(signed(), 'signature-input', (value) => `${value}${', a=1'.repeat(2000)}`),
      'too long',
    ],
    [
      'with a huge Signature',
      withHeader(signed(), 'signature', (value) => `${value}, b=:${'A'.repeat(8192)}:`),
      'too long',
    ],
    [
      'with a huge Signature-Agent',
      withHeader(signed(), 'signature-agent', () => `"https://${host}/${'a'.repeat(2048)}"`),
      'too long',
    ],
    [
      'with too many components',
      signed({ covered: Array.from({ length: 33 }, (_, i) => [`"x-${i}"`, 'v'] as const) }),
      'more than 32',
    ],
    [
      'with too many signatures',
      withHeader(signed(), 'signature-input', (value) =>
        ['a', 'b', 'c', 'd', 'e'].map((label) => value.replace('sig1', label)).join(', '),
      ),
      'more than 4',
    ],
  ])('is invalid %s', (_, request, words) => {
    expect(judge(request)).toMatchObject({ state: 'invalid', why: expect.stringContaining(words) });
  });

  it.each<[string, SignedRequest, string]>([
    [
      'its key is not in the directory of its host',
      signed({ agent: '"https://other.example"' }),
      'No such key',
    ],
    ['it is signed by another algorithm', signed({ alg: 'rsa-pss-sha512' }), 'algorithm'],
    [
      'it covers a header that was not reported',
      signed({
        covered: [
          ['"@authority"', 'site.example'],
          ['"accept"', '*/*'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'accept',
    ],
    [
      'it covers a header named like a property of all objects',
      signed({
        covered: [
          ['"@authority"', 'site.example'],
          ['"constructor"', 'x'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'constructor',
    ],
    [
      'it covers a query parameter',
      signed({
        covered: [
          ['"@authority"', 'site.example'],
          ['"@query-param";name="q"', '1'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      '@query-param',
    ],
    [
      'it covers what does not exist',
      signed({
        covered: [
          ['"@authority"', 'site.example'],
          ['"@mood"', 'good'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'not checked',
    ],
    [
      'it covers a field as bytes',
      signed({
        headers: { accept: 'a' },
        covered: [
          ['"@authority"', 'site.example'],
          ['"accept";bs', ':YQ==:'],
          ['"signature-agent"', plain.agent],
        ],
      }),
      'not checked',
    ],
    ['only the path of the address was reported', { ...signed(), url: '/docs' }, 'in full'],
    ['a member carries parameters', signed({ agent: `sig1="https://${host}";type=jwks_uri` }), 'not clear'],
    [
      'it covers another’s member only',
      signed({
        agent: `sig0="https://${host}", sig1="https://${host}"`,
        covered: [
          ['"@authority"', 'site.example'],
          ['"signature-agent";key="sig2"', '"x"'],
        ],
      }),
      'not clear',
    ],
    [
      'its keys are said to be at another path',
      signed({ agent: `"https://${host}/users/eve/keys.json"` }),
      'key directory of a host',
    ],
    [
      'its keys are said to be somewhere without https',
      signed({ agent: `"http://${host}"` }),
      'key directory of a host',
    ],
    [
      'it names a signer and is not signed',
      { url: 'https://site.example/', headers: { 'signature-agent': plain.agent } },
      'not signed',
    ],
  ])('cannot be judged when %s', (_, request, words) => {
    expect(judge(request)).toMatchObject({ state: 'unknown', why: expect.stringContaining(words) });
  });

  it('is none without a signature, and with one for another purpose', () => {
    expect(judge({ url: 'https://site.example/', headers: {} })).toBeUndefined();
    const { 'signature-agent': _, ...headers } = signed({ tag: 'payment' }).headers;
    expect(judge({ url: 'https://site.example/docs', headers })).toBeUndefined();
  });

  it('is judged by the time at which it came, not at which it was reported', () => {
    const request = signed({ at });
    const late = createSignatures(directories, () => at + 20 * 3_600_000);
    expect(late.check(request)).toMatchObject({ state: 'valid' });
    const { at: _, ...now } = request;
    expect(late.check(now)).toMatchObject({ state: 'invalid' });
  });

  it('is judged by its best signature, and a bad one weighs more than an unknown one', () => {
    const join = (...requests: SignedRequest[]): SignedRequest => {
      const field = (name: string) => requests.map(({ headers }) => headers[name]).join(', ');
      return {
        ...signed(),
        headers: Object.fromEntries(
          ['signature-agent', 'signature-input', 'signature'].map((name) => [name, field(name)]),
        ),
      };
    };
    const one = (label: string, name: string, by = signer, keyid = by.keyid) =>
      signed(
        {
          label,
          agent: `${label}="https://${name}"`,
          keyid,
          covered: [
            ['"@authority"', 'site.example'],
            [`"signature-agent";key="${label}"`, `"https://${name}"`],
          ],
        },
        by,
      );
    const good = one('a', host);
    const bad = one('b', host, createSigner(), signer.keyid);
    const unknown = one('c', 'other.example');
    expect(judge(join(bad, good, unknown))).toMatchObject({ state: 'valid', host });
    expect(judge(join(unknown, bad))).toMatchObject({ state: 'invalid', host });
    expect(judge(unknown)).toMatchObject({ state: 'unknown', host: 'other.example' });
  });
});

describe('a nonce', () => {
  const nonced = signed({ nonce: 'once' });

  it('is good for one request', () => {
    const signatures = createSignatures(directories, () => at);
    expect(signatures.check(nonced)).toMatchObject({ state: 'valid' });
    expect(signatures.check(nonced)).toMatchObject({
      state: 'invalid',
      why: expect.stringContaining('nonce'),
    });
    expect(signatures.check(signed({ nonce: 'twice' }))).toMatchObject({ state: 'valid' });
  });

  it('may be the same with another signer', () => {
    const other = createSigner();
    const both = known({
      [`${host} ${signer.keyid}`]: signer.jwk,
      [`other.example ${other.keyid}`]: other.jwk,
    });
    const signatures = createSignatures(both, () => at);
    expect(signatures.check(nonced)).toMatchObject({ state: 'valid' });
    const request = signed({ nonce: 'once', agent: '"https://other.example"' }, other);
    expect(signatures.check(request)).toMatchObject({ state: 'valid', host: 'other.example' });
  });

  it('is not used up by a request that is not valid', () => {
    const signatures = createSignatures(directories, () => at);
    expect(signatures.check({ ...nonced, url: 'https://other.example/' })).toMatchObject({
      state: 'invalid',
    });
    expect(signatures.check(nonced)).toMatchObject({ state: 'valid' });
  });

  it('is given back for a request that was not accepted', () => {
    const signatures = createSignatures(directories, () => at);
    const verdict = signatures.check(nonced) as SignatureVerdict;
    signatures.release(verdict);
    expect(signatures.check(nonced)).toMatchObject({ state: 'valid' });
  });

  it('is left out by some, whose signatures are then good until they expire', () => {
    const signatures = createSignatures(directories, () => at);
    const request = signed();
    expect([signatures.check(request), signatures.check(request)]).toMatchObject([
      { state: 'valid' },
      { state: 'valid' },
    ]);
  });
});

describe('anything in the headers', () => {
  it('is answered and never thrown at the caller', () => {
    const signatures = createSignatures(directories, () => at);
    const piece = fc.constantFrom(
      'sig1',
      '=',
      '(',
      ')',
      '"@authority"',
      '"signature-agent"',
      ';key=',
      ';created=',
      ';tag="web-bot-auth"',
      '1',
      ':',
      'AAAA',
      ',',
      ' ',
      '"',
      '\\',
      '?1',
      '@',
      '%"',
      '\n',
      '\u0000',
      'ä',
      '__proto__',
      '*',
      '.',
    );
    const field = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(field, field, field, field, (input, signature, agent, url) => {
        for (const tag of ['', ';tag="web-bot-auth"']) {
          const headers = { 'signature-input': input + tag, signature, 'signature-agent': agent };
          const verdict = signatures.check({ url, headers });
          expect(verdict?.state).not.toBe('valid');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes less than a millisecond, however it is made up', () => {
    const signatures = createSignatures(directories, () => at);
    const long = (start: string, part: string) =>
      (start + part.repeat(Math.ceil(8192 / part.length))).slice(0, 8192);
    const inputs = [
      long('a=(', '"x" '),
      long('', 'a=1, '),
      long('a', ';b'),
      long('a=', '1'),
      long('a="', '\\"'),
      long('a=:', 'A'),
      long('', ' '),
      long('a=(', '("'),
      long('a=%"', '%41'),
    ].flatMap((text) => [text, `${text.slice(0, 4_070)}, z=1;tag="web-bot-auth"`]);
    for (const input of inputs) {
      const headers = { 'signature-input': input, signature: input, 'signature-agent': input };
      const samples = Array.from({ length: 30 }, () => {
        const before = performance.now();
        signatures.check({ url: 'https://site.example/', headers });
        return performance.now() - before;
      });
      expect({ input, ms: Math.min(...samples) }).toSatisfy(({ ms }) => ms < 1);
    }
  });
});

describe('the names of signers', () => {
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
    expect(findSigner(name)).toBe(expected);
  });

  it('count as well known only where strangers cannot add to them', () => {
    expect(isWellKnownSigner('chatgpt.com')).toBe(true);
    expect(isWellKnownSigner('a1b2.keydirectory.signer.us-east-1.on.aws')).toBe(false);
  });

  it.each([
    ['https://CHATGPT.com', 'chatgpt.com'],
    ['https://chatgpt.com:443/', 'chatgpt.com'],
    ['https://user:secret@chatgpt.com', undefined],
    ['https://chatgpt.com@evil.example', undefined],
    ['ftp://chatgpt.com', undefined],
    ['data:application/json,{}', undefined],
    ['https://', undefined],
    ['', undefined],
  ])('%s is the directory of %s', (agent, expected) => {
    expect(directoryHost(agent)).toBe(expected);
  });
});
