import { readFileSync } from 'node:fs';
import { type CountryResponse, Reader } from 'mmdb-lib';
import { z } from 'zod';
import { ConfigError } from '../../config/config.ts';
import { readTrouble } from '../../files/file-trouble.ts';
import { openShipped } from '../../files/shipped.ts';
import { visitorNetwork } from '../../net/address.ts';
import { readCountryTable } from './country-table.ts';
import { type FindPlace, nowhere, type Place } from './place.ts';
import { SearchTree } from './search-tree.ts';

/** Made by `npm run build` from a free database of countries. */
const countryTableFile = 'dist/countries.bin';

/**
 * Opens the operator's own database of countries or cities; null: the table of countries that comes with Headcount.
 *
 * @throws ConfigError for a file that cannot be used
 */
export function openPlaces(file: string | null): FindPlace {
  if (file !== null) return openOwnDatabase(file);
  const table = openShipped(countryTableFile);
  return table ? readCountryTable(table) : () => nowhere;
}

/** Some 10 MB at the worst. */
const maxRemembered = 50_000;

const text = z.string().trim().min(1).max(100).optional().catch(undefined);
/** MaxMind says a thing by its code and its names in languages, others by its name. */
const thing = z
  .union([
    z.string().transform((name) => ({ iso_code: name, names: { en: name } })),
    z.object({ iso_code: text, names: z.object({ en: text }).optional().catch(undefined) }),
  ])
  .optional()
  .catch(undefined);

/** Records of databases of countries and cities, in their usual shapes. */
const record = z
  .object({
    country: thing,
    country_code: text,
    subdivisions: z.array(thing).optional().catch(undefined),
    region: thing,
    state1: text,
    city: thing,
  })
  .catch({});

type Thing = z.infer<typeof thing>;

/** The operator's own MaxMind DB file. @throws ConfigError */
export function openOwnDatabase(file: string): FindPlace {
  const { reader, bytes } = readDatabase(file);
  const tree = new SearchTree(bytes, reader.metadata);
  const places = new Map<number, Place>();
  return (address) => {
    const found = tree.find(address);
    if (found <= tree.nodes) return nowhere;
    const known = places.get(found);
    if (known) return known;
    const place = toPlace(reader.get(networkOf(address)));
    if (places.size >= maxRemembered) places.clear();
    places.set(found, place);
    return place;
  };
}

/** Decoding a record takes ten times as long as finding it, so that it is done once. */
function toPlace(known: unknown): Place {
  const {
    country: named,
    country_code,
    subdivisions,
    region: plain,
    state1,
    city: town,
  } = record.parse(known);
  const code = country_code ?? named?.iso_code;
  const country = code && /^[A-Z]{2}$/.test(code) ? code : null;
  const area = nameOf(subdivisions?.[0]) ?? nameOf(plain) ?? state1;
  const place = (...parts: (string | null | undefined)[]) =>
    parts[0] ? parts.filter((part) => part).join(', ') : null;
  return { country, region: place(area, country), city: place(nameOf(town), area, country) };
}

function nameOf(named: Thing): string | undefined {
  return named?.names?.en ?? named?.iso_code;
}

/** Of an IPv6 address the first 64 bits. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const parts = visitorNetwork(address).split(':');
  return `${parts.map((part) => Number(part).toString(16)).join(':')}::`;
}

function readDatabase(file: string): { reader: Reader<CountryResponse>; bytes: Buffer } {
  try {
    const bytes = readFileSync(file);
    return { reader: new Reader<CountryResponse>(bytes), bytes };
  } catch (error) {
    throw new ConfigError(
      `HEADCOUNT_COUNTRY_DATABASE must be a MaxMind DB file (.mmdb) that knows countries; ${file} cannot be used: ${readTrouble(error as Error)}.`,
    );
  }
}
