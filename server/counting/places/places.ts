import { openShipped } from '../../files/shipped.ts';
import { readCountryTable } from './country-table.ts';
import { openOwnDatabase } from './own-database.ts';
import { type FindPlace, nowhere } from './place.ts';

/** What `npm run build` makes of a free database of countries. */
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
