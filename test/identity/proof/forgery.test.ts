import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSignatures } from '../../../server/identity/proof/signatures/signature.ts';
import type { SignedRequest } from '../../../server/identity/proof/signatures/signed-request.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { createSigner, knownKeys, type SigningOptions, signRequest } from '../../support/proof/signer.ts';

const at = Date.parse('2026-11-21T12:00:00Z');
const seconds = at / 1000;
const host = 'signer.example';
const agent = `"https://${host}"`;

const signer = createSigner();
const signatures = createSignatures(knownKeys({ [`${host} ${signer.keyid}`]: signer.jwk.x }), () => at);
const signed = (more: Partial<SigningOptions> = {}, by = signer) => signRequest(by, { agent, at, ...more });

type Pair = [identifier: string, value: string];
const authority: Pair = ['"@authority"', 'site.example'];
const named: Pair = ['"signature-agent"', agent];
/** Properly signed over the site, its agent and these. */
const covering = (pair: Pair, headers = {}) => signed({ headers, covered: [authority, pair, named] });

/** The signed request with another value in a header, by default Signature-Input. */
function tampered(
  change: (value: string) => string,
  name = 'signature-input',
  request = signed(),
): SignedRequest {
  return { ...request, headers: { ...request.headers, [name]: change(request.headers[name] ?? '') } };
}
const fiveTimes = (input: string) =>
  ['a', 'b', 'c', 'd', 'e'].map((label) => input.replace('sig1', label)).join();
const components = Array.from({ length: 33 }, (_, i): Pair => [`"x-${i}"`, 'v']);

describe('a signed request', () => {
  it.each<[string, SignedRequest, string]>([
    ['for another site', { ...signed(), url: 'https://other.example/docs' }, 'does not fit'],
    ['by another key under this id', signed({ keyid: signer.keyid }, createSigner()), 'does not fit'],
    [
      'with a changed header',
      tampered(() => 'text/html', 'accept', covering(['"accept"', '*/*'], { accept: '*/*' })),
      'does not fit',
    ],
    [
      'with a changed parameter',
      tampered((value) => value.replace(/expires=\d+/, `expires=${seconds + 99}`)),
      'does not fit',
    ],
    [
      'with components in another order',
      tampered((value) => value.replace(/\((\S+) (\S+)\)/, '($2 $1)')),
      'does not fit',
    ],
    [
      'with a flipped bit',
      tampered((value) => value.replace(/:(.)/, (_, it) => (it === 'A' ? ':B' : ':A')), 'signature'),
      'does not fit',
    ],
    ['with a short signature', tampered(() => 'sig1=:AAAA:', 'signature'), 'does not fit'],
    ['expired', signed({ created: seconds - 400, expires: seconds - 61 }), 'expired'],
    [
      'older than a day, whatever it says',
      signed({ created: seconds - 86_500, expires: seconds + 86_400 }),
      'expired',
    ],
    ['from the future', signed({ created: seconds + 61 }), 'future'],
    ['expiring when it was made', signed({ created: seconds, expires: seconds }), 'expires before'],
    ['without created', signed({ without: ['created'] }), 'created'],
    ['without expires', signed({ without: ['expires'] }), 'expires'],
    ['without keyid', signed({ without: ['keyid'] }), 'keyid'],
    ['with created as text', tampered((value) => value.replace(/created=(\d+)/, 'created="$1"')), 'created'],
    ['that covers no site', signed({ covered: [named] }), 'any site'],
    ['that covers nothing', signed({ covered: [] }), 'Signature-Agent'],
    ['that does not cover its Signature-Agent', signed({ covered: [authority] }), 'Signature-Agent'],
    ['that covers a component twice', covering(authority), 'twice'],
    ['that covers a name in capitals', covering(['"Accept"', '*/*'], { Accept: '*/*' }), 'proper name'],
    [
      'that covers a header with a line break',
      covering(['"accept"', 'a\n"b": c'], { accept: 'a\n"b": c' }),
      'line break',
    ],
    [
      'that covers a missing member',
      covering(['"priority";key="i"', '?1'], { priority: 'u=1' }),
      'no such member',
    ],
    ['without a Signature', tampered(() => '', 'signature'), 'no Signature'],
    ['with a Signature under another label', tampered((value) => `x${value}`, 'signature'), 'no Signature'],
    ['with a Signature that is text', tampered(() => 'sig1="AAAA"', 'signature'), 'no Signature'],
    ['with an unreadable Signature', tampered(() => 'sig1=:%%:', 'signature'), 'cannot be read'],
    ['with an unreadable Signature-Input', tampered((value) => value.replace('(', '((')), 'cannot be read'],
    ['with an unreadable Signature-Agent', tampered(() => '"https://', 'signature-agent'), 'cannot be read'],
    ['with a Signature-Input that is no list', tampered(() => 'sig1="x";tag="web-bot-auth"'), 'not a list'],
    ['with a huge Signature-Input', tampered((value) => `${value}${', a=1'.repeat(1_000)}`), 'too long'],
    [
      'with a huge Signature',
      tampered((value) => `${value}, b=:${'A'.repeat(4_096)}:`, 'signature'),
      'too long',
    ],
    [
      'with a huge Signature-Agent',
      tampered(() => `"https://${'a'.repeat(2_048)}"`, 'signature-agent'),
      'too long',
    ],
    ['with too many components', signed({ covered: components }), 'more than 32'],
    ['with too many signatures', tampered(fiveTimes), 'more than 4'],
  ])('is invalid %s', (_, request, words) => {
    expect(signatures.check(request)).toMatchObject({
      state: 'invalid',
      why: expect.stringContaining(words),
    });
  });

  const unclear = {
    agent: `sig0=${agent}, sig1=${agent}`,
    covered: [authority, ['"signature-agent";key="x"', '"x"'] as Pair],
  };
  it.each<[string, SignedRequest, string]>([
    [
      'its key is not in the directory of its host',
      signed({ agent: '"https://other.example"' }),
      'No such key',
    ],
    ['it is signed by another algorithm', signed({ alg: 'rsa-pss-sha512' }), 'algorithm'],
    ['it covers a header that was not reported', covering(['"accept"', '*/*']), 'accept'],
    [
      'it covers a header named like a property of all objects',
      covering(['"constructor"', 'x']),
      'constructor',
    ],
    ['it covers a query parameter', covering(['"@query-param";name="q"', '1']), '@query-param'],
    ['it covers what does not exist', covering(['"@mood"', 'good']), 'not checked'],
    ['it covers a field as bytes', covering(['"accept";bs', ':YQ==:'], { accept: 'a' }), 'not checked'],
    ['only the path of the address was reported', { ...signed(), url: '/docs' }, 'in full'],
    [
      'its agent names a host alone where an address is due',
      signed({ agent: `sig1=${agent};type=jwks_uri` }),
      'where the keys',
    ],
    ['its agent has a type that nobody knows', signed({ agent: `sig1=${agent};type=magic` }), 'not clear'],
    ['it covers another’s agent only', signed(unclear), 'not clear'],
    [
      'its keys are said to be at another path',
      signed({ agent: `"https://${host}/eve/keys.json"` }),
      'where the keys',
    ],
    [
      'its keys are said to be somewhere without https',
      signed({ agent: `"http://${host}"` }),
      'where the keys',
    ],
    [
      'it names a signer and is not signed',
      { ...signed(), headers: { 'signature-agent': agent } },
      'not signed',
    ],
  ])('cannot be judged when %s', (_, request, words) => {
    expect(signatures.check(request)).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining(words),
    });
  });
});

describe('anything in the headers', () => {
  it('is answered and never thrown at the caller', () => {
    const pieces =
      'sig1 = ( ) "@authority" "signature-agent" ;key= ;created= 1 : AAAA , " \\ ?1 @ %" \n \0 ä __proto__ * .'.split(
        ' ',
      );
    const made = fc.array(fc.constantFrom(...pieces, ' '), { maxLength: 40 }).map((parts) => parts.join(''));
    const field = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 200 }), made);
    fc.assert(
      fc.property(field, field, field, field, (input, signature, agents, url) => {
        const states = ['', ';tag="web-bot-auth"'].map((tag) => {
          const headers = { 'signature-input': input + tag, signature, 'signature-agent': agents };
          return signatures.check({ url, headers })?.state;
        });
        return !states.includes('valid');
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes less than a millisecond, however it is made up', async () => {
    const long = (start: string, part: string) => (start + part.repeat(8_192)).slice(0, 8_192);
    const texts = [
      long('a=(', '"x" '),
      long('', 'a=1, '),
      long('a', ';b'),
      long('a=', '1'),
      long('a="', '\\"'),
      long('a=:', 'A'),
      long('', ' '),
      long('a=(', '("'),
      long('a=%"', '%41'),
    ];
    for (const input of texts.flatMap((text) => [text, `${text.slice(0, 4_070)}, z=1;tag="web-bot-auth"`])) {
      const headers = { 'signature-input': input, signature: input, 'signature-agent': input };
      // Again and again, as other programs take their share of the machine too.
      const take = () => {
        const startedAt = performance.now();
        signatures.check({ url: 'https://site.example/', headers });
        return performance.now() - startedAt;
      };
      await expect.poll(take, { interval: 1, message: input }).toBeLessThan(1);
    }
  });
});
