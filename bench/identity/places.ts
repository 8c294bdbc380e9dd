/** What finding the country of a visitor costs a hit, and what the table takes: `npx node bench/identity/places.ts`. */
import { openPlaces } from '../../server/counting/places/places.ts';
import { parseAddress } from '../../server/net/address.ts';
import { countryDatabase } from '../../test/support/places/country-database.ts';

const rounds = 7;
const count = 50_000;

/** The same numbers in every run (Lehmer's generator). */
let seed = 42;
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

const word = () => random(65_536).toString(16);
const list = (make: () => string) => Array.from({ length: count }, () => String(parseAddress(make())));
const addresses = {
  IPv4: list(() => `${1 + random(223)}.${random(256)}.${random(256)}.${random(256)}`),
  // As many as are remembered once they are read: reading one is no part of looking it up.
  IPv6: list(() => `2a0${random(16).toString(16)}:${word()}:${word()}::1`).slice(0, 5_000),
};

/** The best of several rounds: what disturbs a measurement only makes it slower. */
function nanoseconds(look: (address: string) => unknown, those: readonly string[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = performance.now();
    for (const address of those) look(address);
    best = Math.min(best, ((performance.now() - before) * 1e6) / those.length);
  }
  return best;
}

for (const [what, file] of [
  ['the table that comes with Headcount', null],
  ['a MaxMind DB file of countries', countryDatabase],
] as const) {
  globalThis.gc?.();
  const memory = process.memoryUsage();
  const before = performance.now();
  const find = openPlaces(file);
  const openMs = performance.now() - before;
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const bytes = heapUsed - memory.heapUsed + arrayBuffers - memory.arrayBuffers;
  process.stdout.write(`${what}: opened in ${openMs.toFixed(0)} ms, ${(bytes / 1e6).toFixed(1)} MB\n`);
  for (const [version, those] of Object.entries(addresses)) {
    const cost = nanoseconds((address) => find(address), those);
    process.stdout.write(`  an ${version} address: ${cost.toFixed(0)} ns\n`);
  }
}
