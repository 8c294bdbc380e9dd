import { describe, expect, it } from 'vitest';
import {
  createSignatures,
  type SignatureVerdict,
} from '../../../server/identity/proof/signatures/signature.ts';
import type { SignedRequest } from '../../../server/identity/proof/signatures/signed-request.ts';
import { createSigner, knownKeys, type SigningOptions, signRequest } from '../../support/proof/signer.ts';

const at = Date.parse('2026-11-21T12:00:00Z');
const seconds = at / 1000;
const host = 'signer.example';
const agent = `"https://${host}"`;

const signer = createSigner();
const directories = knownKeys({ [`${host} ${signer.keyid}`]: signer.jwk.x });
const judge = (request: SignedRequest) => createSignatures(directories, () => at).check(request);
const signed = (more: Partial<SigningOptions> = {}, by = signer) => signRequest(by, { agent, at, ...more });

/** Covers these and the dictionary member with this key. */
const covering = (key: string, ...more: [string, string][]): [string, string][] => [
  ['"@authority"', 'site.example'],
  ...more,
  [`"signature-agent";key="${key}"`, agent],
];
/** Covers these and the plain string. */
const coveringToo = (...more: [string, string][]): [string, string][] => [
  ['"@authority"', 'site.example'],
  ...more,
  ['"signature-agent"', agent],
];

describe('a signed request', () => {
  it('is valid and names the host of its signer', () => {
    expect(judge(signed())).toEqual({ state: 'valid', host, keyid: signer.keyid });
  });

  const two = `sig0="https://other.example", sig1=${agent}`;
  const typed = `${agent};type=directory`;
  const directory = `"https://${host}/.well-known/http-message-signatures-directory"`;
  const accept = { accept: '  text/markdown, */*  ' };
  it.each<[string, Partial<SigningOptions>]>([
    ['the dictionary form, keyed by another name', { agent: `g=${agent}`, covered: covering('g') }],
    ['a dictionary covered whole', { agent: `sig1=${agent}` }],
    ['a dictionary of two, its own member covered', { agent: two, covered: covering('sig1') }],
    [
      'two covered members, its own by label',
      {
        agent: two,
        covered: covering('sig1', ['"signature-agent";key="sig0"', '"https://other.example"']),
      },
    ],
    [
      'a member with the type of an earlier draft',
      {
        agent: `sig1=${typed}`,
        covered: [
          ['"@authority"', 'site.example'],
          ['"signature-agent";key="sig1"', typed],
        ],
      },
    ],
    ['the address of the directory itself', { agent: directory }],
    ['a bare host name', { agent: `"${host}"` }],
    ['another port', { url: 'https://site.example:8443/' }],
    [
      'ordinary headers, trimmed',
      { headers: accept, covered: coveringToo(['"accept"', 'text/markdown, */*']) },
    ],
    [
      'a member of another dictionary',
      { headers: { priority: 'u=1,  i' }, covered: coveringToo(['"priority";key="i"', '?1']) },
    ],
    ['its algorithm named', { alg: 'ed25519' }],
    ['a clock a little ahead', { created: seconds + 55 }],
    ['a clock a little behind', { created: seconds - 100, expires: seconds - 55 }],
    ['a long life, while it is young', { created: seconds - 86_000, expires: seconds + 400 * 86_400 }],
    [
      '@target-uri in place of @authority',
      {
        covered: [
          ['"@target-uri"', 'https://site.example/docs'],
          ['"signature-agent"', agent],
        ],
      },
    ],
    [
      'no path and no query',
      { url: 'https://site.example', covered: coveringToo(['"@path"', '/'], ['"@query"', '?']) },
    ],
    [
      'all derived components of an address spelled oddly',
      {
        url: 'HTTPS://Site.Example:443/a%20b/../c?q=1&r=%C3%A4#top',
        covered: coveringToo(
          ['"@scheme"', 'https'],
          ['"@path"', '/a%20b/../c'],
          ['"@query"', '?q=1&r=%C3%A4'],
          ['"@request-target"', '/a%20b/../c?q=1&r=%C3%A4'],
          ['"@target-uri"', 'https://site.example/a%20b/../c?q=1&r=%C3%A4'],
        ),
      },
    ],
  ])('is valid with %s', (_, options) => {
    expect(judge(signed(options))).toMatchObject({ state: 'valid', host });
  });

  it('may cover its method, if it was reported', () => {
    const request = signed({ covered: coveringToo(['"@method"', 'GET']) });
    expect(judge({ ...request, method: 'GET' })).toMatchObject({ state: 'valid' });
    expect(judge({ ...request, method: 'POST' })).toMatchObject({ state: 'invalid' });
    expect(judge(request)).toMatchObject({ state: 'unknown', why: expect.stringContaining('method') });
  });

  it('is none without a signature, and with one for another purpose', () => {
    expect(judge({ url: 'https://site.example/', headers: {} })).toBeUndefined();
    const { 'signature-agent': _, ...headers } = signed({ tag: 'payment' }).headers;
    expect(judge({ url: 'https://site.example/docs', headers })).toBeUndefined();
  });

  it('is judged by the time at which it came, not at which it was reported', () => {
    const late = createSignatures(directories, () => at + 20 * 3_600_000);
    const { at: _, ...untimed } = signed();
    expect(late.check(signed())).toMatchObject({ state: 'valid' });
    expect(late.check(untimed)).toMatchObject({ state: 'invalid' });
  });

  it('is judged by its best signature, and a bad one weighs more than an unknown one', () => {
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
    const join = (...requests: SignedRequest[]): SignedRequest => {
      const names = ['signature-agent', 'signature-input', 'signature'];
      const field = (name: string) => requests.map(({ headers }) => headers[name]).join(', ');
      return { ...signed(), headers: Object.fromEntries(names.map((name) => [name, field(name)])) };
    };
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
    const both = knownKeys({
      [`${host} ${signer.keyid}`]: signer.jwk.x,
      [`other.example ${other.keyid}`]: other.jwk.x,
    });
    const signatures = createSignatures(both, () => at);
    expect(signatures.check(nonced)).toMatchObject({ state: 'valid' });
    const request = signed({ nonce: 'once', agent: '"https://other.example"' }, other);
    expect(signatures.check(request)).toMatchObject({ state: 'valid', host: 'other.example' });
  });

  it('is not used up by a request that is not valid', () => {
    const signatures = createSignatures(directories, () => at);
    expect(signatures.check({ ...nonced, url: 'https://other.example/' })?.state).toBe('invalid');
    expect(signatures.check(nonced)?.state).toBe('valid');
  });

  it('is given back for a request that was not accepted', () => {
    const signatures = createSignatures(directories, () => at);
    signatures.release(signatures.check(nonced) as SignatureVerdict);
    expect(signatures.check(nonced)?.state).toBe('valid');
  });

  it('is left out by some, whose signatures are then good until they expire', () => {
    const signatures = createSignatures(directories, () => at);
    const request = signed();
    expect([request, request].map((each) => signatures.check(each)?.state)).toEqual(['valid', 'valid']);
  });
});
