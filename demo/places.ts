import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeMmdb } from '../test/support/places/mmdb.ts';

/** Networks of the made-up visitors, by country. The regions and cities are made up, too: databases that know them have licenses. */
const places = {
  US: {
    '73.99.0.0/16': ['Washington', 'Seattle'],
    '24.5.0.0/16': ['California', 'San Francisco'],
    '98.30.0.0/16': ['Ohio', 'Columbus'],
    '2600:1700::/32': ['Texas', 'Austin'],
    '69.63.184.0/24': [],
  },
  DE: {
    '80.128.0.0/16': ['Berlin', 'Berlin'],
    '87.128.0.0/16': ['Bavaria', 'Munich'],
    '2a02:8100::/32': ['Hamburg', 'Hamburg'],
  },
  GB: { '86.128.0.0/16': ['England', 'London'], '2a00:23c0::/32': ['Scotland', 'Edinburgh'] },
  IN: { '49.36.0.0/16': ['Karnataka', 'Bengaluru'], '117.200.0.0/16': ['Maharashtra', 'Mumbai'] },
  FR: { '90.1.0.0/16': ['Île-de-France', 'Paris'], '2a01:cb00::/32': ['Brittany', 'Rennes'] },
  BR: { '177.30.0.0/16': ['São Paulo', 'Campinas'], '189.4.0.0/16': ['Bahia', 'Salvador'] },
  CA: { '142.112.0.0/16': ['Ontario', 'Toronto'] },
  JP: { '126.3.0.0/16': ['Kyoto', 'Uji'] },
  NL: { '77.160.0.0/16': ['Utrecht', 'Utrecht'] },
  AU: { '1.120.0.0/16': ['Victoria', 'Melbourne'] },
  PL: { '83.0.0.0/16': ['Lesser Poland', 'Kraków'] },
  ES: { '88.0.0.0/16': ['Andalusia', 'Seville'] },
  SE: { '81.224.0.0/16': ['Skåne', 'Malmö'] },
  IT: { '79.0.0.0/16': ['Piedmont', 'Turin'] },
  KR: { '175.192.0.0/16': ['Gyeonggi', 'Suwon'] },
  CH: { '85.0.0.0/16': ['Zurich', 'Winterthur'] },
} satisfies Record<string, Record<string, readonly [region: string, city: string] | readonly []>>;

/** A database of these places, in the folder. */
export async function writePlaces(folder: string): Promise<string> {
  const networks = Object.entries(places).flatMap(([country, known]) =>
    Object.entries<readonly string[]>(known).map(([network, [region, city]]) => [
      network,
      {
        country: { iso_code: country },
        ...(region && { subdivisions: [{ names: { en: region } }] }),
        ...(city && { city: { names: { en: city } } }),
      },
    ]),
  );
  const file = join(folder, 'places.mmdb');
  await writeFile(file, makeMmdb(Object.fromEntries(networks), 24));
  return file;
}
