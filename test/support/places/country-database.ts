import { createRequire } from 'node:module';

/** A MaxMind DB file that knows countries (CC0-1.0). */
export const countryDatabase: string = createRequire(import.meta.url).resolve(
  '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
);
