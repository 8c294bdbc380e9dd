import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPlaces } from '../../server/counting/places/places.ts';
import { parseAddress } from '../../server/net/address.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { countryDatabase } from '../support/places/country-database.ts';
import { type MmdbValue, makeMmdb } from '../support/places/mmdb.ts';

const servers: Headcount[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** Counts a view from each address; answers the named reports. */
async function countFrom(addresses: string[], env: Record<string, string>, reports: string[]) {
  const headcount = await startHeadcount({ env });
  servers.push(headcount);
  const hits = addresses.map((ip) => ({ url: 'https://example.com/', ip, userAgent: chromeUserAgent }));
  expect(await (await headcount.hits(hits)).json()).toMatchObject({ accepted: addresses.length });
  const read = (report: string) =>
    headcount.get<Record<string, Record<string, string | number>[]>>(
      `/v1/analytics/${headcount.projectId}/${report}`,
    );
  return Promise.all(
    reports.map(async (report) =>
      Object.fromEntries(
        ((await read(report))[report] ?? []).map((row) => [Object.values(row)[0], row.total]),
      ),
    ),
  );
}

function fileOf(networks: Record<string, MmdbValue>, recordSize: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'headcount-places-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'places.mmdb');
  writeFileSync(file, makeMmdb(networks, recordSize));
  return file;
}

test('visitors are counted by country from the first minute, without a setting', async () => {
  // Addresses of the University of Oxford, of Deutsche Telekom (IPv4 and IPv6), and one that is private.
  const addresses = ['129.67.1.1', '80.128.0.1', '80.128.0.2', '2003::1', '10.0.0.1'];
  const [countries, regions, cities] = await countFrom(addresses, {}, ['countries', 'regions', 'cities']);
  expect({ countries, regions, cities }).toEqual({ countries: { DE: 3, GB: 1 }, regions: {}, cities: {} });
});

test('the operator’s own database stands in their place, with regions and cities', async () => {
  const fresno = {
    country: { iso_code: 'US', names: { en: 'United States' } },
    subdivisions: [{ iso_code: 'CA', names: { en: 'California' } }],
    city: { names: { en: 'Fresno', de: 'Fresno' } },
  };
  const file = fileOf(
    { '192.0.2.0/25': fresno, '2001:db8::/48': { country_code: 'CH', state1: 'Bern' } },
    28,
  );
  const env = { HEADCOUNT_COUNTRY_DATABASE: file };
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.200', '2001:db8::1', '129.67.1.1'];
  const [countries, regions, cities] = await countFrom(addresses, env, ['countries', 'regions', 'cities']);
  expect({ countries, regions, cities }).toEqual({
    countries: { US: 2, CH: 1 },
    regions: { 'California, US': 2, 'Bern, CH': 1 },
    cities: { 'Fresno, California, US': 2 },
  });
});

describe('a database', () => {
  test.each([24, 28, 32])('may have records of %d bits', (recordSize) => {
    const find = openPlaces(
      fileOf(
        { '198.51.100.0/24': { country_code: 'FR' }, '2001:db8:1:2::/64': { country_code: 'IT' } },
        recordSize,
      ),
    );
    const countries = ['198.51.100.7', '198.51.101.7', '2001:db8:1:2::9', '2001:db8:1:3::9', ''].map(
      (address) => find(address).country,
    );
    expect(countries).toEqual(['FR', null, 'IT', null, null]);
  });

  test('may say a country, a region and a city as plain texts', () => {
    const find = openPlaces(
      fileOf(
        { '198.51.100.0/24': { country: 'FR', region: 'Bretagne', city: 'Brest' }, '203.0.113.0/24': '?' },
        24,
      ),
    );
    expect(find('198.51.100.7')).toEqual({
      country: 'FR',
      region: 'Bretagne, FR',
      city: 'Brest, Bretagne, FR',
    });
    expect(find('203.0.113.1')).toEqual({ country: null, region: null, city: null });
  });
});

test('the countries that come with Headcount are those of the database they are made of', () => {
  const own = openPlaces(countryDatabase);
  const table = openPlaces(null);
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const words = () => Array.from({ length: 3 }, () => random(65_536).toString(16)).join(':');
  const addresses = Array.from({ length: 20_000 }, (_, i) =>
    i % 2 === 0
      ? `${random(224)}.${random(256)}.${random(256)}.${random(256)}`
      : `2${random(4096).toString(16).padStart(3, '0')}:${words()}::1`,
  ).map((address) => String(parseAddress(address)));
  const differing = addresses.filter((address) => table(address).country !== own(address).country);
  expect(differing).toEqual([]);
  expect(new Set(addresses.map((address) => table(address).country)).size).toBeGreaterThan(50);
});
