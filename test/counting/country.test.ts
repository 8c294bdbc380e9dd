import { afterAll, beforeAll, expect, test } from 'vitest';
import { countryDatabase } from '../support/country-database.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount({ env: { HEADCOUNT_COUNTRY_DATABASE: countryDatabase } });
});
afterAll(() => headcount.stop());

test('visitors are counted by country where the operator gives a database', async () => {
  const from = (ip: string) => ({ url: 'https://example.com/', ip, userAgent: chromeUserAgent });
  // Addresses of the University of Oxford, of Deutsche Telekom (IPv4 and IPv6), and one that is private.
  const addresses = ['129.67.1.1', '80.128.0.1', '80.128.0.2', '2003::1', '10.0.0.1'];
  const response = await headcount.hits(addresses.map(from));
  expect(await response.json()).toEqual({ accepted: 5, dropped: [] });
  const report = await headcount.get(`/v1/analytics/${headcount.projectId}/countries`);
  expect(report).toEqual({
    totals: { human: 5, ai: 0, total: 5 },
    countries: [
      { country: 'DE', human: 3, ai: 0, total: 3 },
      { country: 'GB', human: 1, ai: 0, total: 1 },
    ],
    hasMore: false,
  });
});
