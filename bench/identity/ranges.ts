/** What proving costs a hit, as a ratio to isbot in the same run: `npx node bench/identity/ranges.ts`. */
import { createPublicKey } from 'node:crypto';
import { isbot } from 'isbot';
import { createRangeBook } from '../../server/identity/proof/ranges.ts';
import { createSignatures } from '../../server/identity/proof/signatures/signature.ts';
import { createSigner, signRequest } from '../../test/support/proof/signer.ts';

const rounds = 7;
const perRound = 20_000;

/** The best of several rounds: what disturbs a measurement only makes it slower. */
function microseconds(act: (i: number) => unknown, times = perRound): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = performance.now();
    for (let i = 0; i < times; i++) act(i);
    best = Math.min(best, ((performance.now() - before) * 1000) / times);
  }
  return best;
}

/** The same numbers in every run (Lehmer's generator). */
let seed = 42;
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

const ipv4 = () => `${20 + random(50)}.${random(256)}.${random(256)}.${random(256)}`;
const ipv6 = () =>
  `2001:4860:${random(65_536).toString(16)}:${random(65_536).toString(16)}::${random(65_536).toString(16)}`;
const list = (count: number, make: () => string) => Array.from({ length: count }, make);

const book = createRangeBook(Date.now);
// As Amazon's: 1,300 single addresses; and as Google's: some hundred networks of both kinds.
const ranges = [
  ...list(1_300, () => `${ipv4()}/32`),
  ...list(200, () => `${ipv4()}/28`),
  ...list(200, () => `${ipv6()}/64`),
];
book.put('feed', { source: 'a bench', asOf: new Date().toISOString(), ranges });
const addresses = { IPv4: list(1_000, ipv4), IPv6: list(1_000, ipv6) };

const agents = list(
  1_000,
  () =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${random(200)}.0.0.0 Safari/537.36`,
);
const yardstick = microseconds((i) => isbot(agents[i % agents.length]));
const report = (what: string, cost: number) =>
  process.stdout.write(`${what}: ${cost.toFixed(2)} µs, ${(cost / yardstick).toFixed(2)} × isbot\n`);

report('isbot', yardstick);
for (const [version, each] of Object.entries(addresses)) {
  report(
    `look-up of an ${version} address in ${ranges.length} ranges`,
    microseconds((i) => book.lookup('feed', each[i % 1_000] ?? '')),
  );
}

const signer = createSigner();
const key = createPublicKey({ format: 'jwk', key: signer.jwk });
const signatures = createSignatures(
  { find: () => ({ key }), settle: async () => undefined, stop: () => undefined },
  Date.now,
);
const request = signRequest(signer, { agent: '"https://signer.example"', at: Date.now() });
const unsigned = { url: request.url, headers: { accept: 'text/html' } };
report(
  'a request without a signature',
  microseconds(() => signatures.check(unsigned)),
);
report(
  'a request with a signature',
  microseconds(() => signatures.check(request), 500),
);
