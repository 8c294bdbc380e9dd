import { readFileSync } from 'node:fs';
import { type CountryResponse, Reader } from 'mmdb-lib';
import { ConfigError } from '../config/config.ts';

/** Answers the ISO 3166-1 alpha-2 code of the country of an IP address, or null. */
export type FindCountry = (address: string) => string | null;

/** Several databases that people use answer with `country_code` instead of MaxMind's shape. */
type CountryRecord = CountryResponse | { country_code?: string };

/** Opens the operator's MaxMind DB file; none: no country is known. @throws ConfigError */
export function openCountryDatabase(file: string | null): FindCountry {
  if (file === null) return () => null;
  const reader = readDatabase(file);
  return (address) => {
    const record = reader.get(address);
    const code =
      record && 'country_code' in record
        ? record.country_code
        : (record as CountryResponse | null)?.country?.iso_code;
    return code && /^[A-Z]{2}$/.test(code) ? code : null;
  };
}

function readDatabase(file: string): Reader<CountryRecord & CountryResponse> {
  try {
    return new Reader(readFileSync(file));
  } catch (error) {
    throw new ConfigError(
      `HEADCOUNT_COUNTRY_DATABASE must be a MaxMind DB file (.mmdb) that knows countries; ${file} cannot be used: ${(error as Error).message}`,
    );
  }
}
