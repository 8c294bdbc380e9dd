import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeMmdb } from '../../test/support/places/mmdb.ts';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { type FloodResult, flood, floodAndCheck } from '../load/flood.ts';
import { profile } from '../load/profile.ts';
import { addProject, type HeadcountServer, startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';

const rounds = 6;
const warmUp = { seconds: 3, seed: 100, fromEverywhere: true };

/** What countries take of a hit: looked up and counted, beside a server whose database knows no country. */
export async function measureCountries(bench: Bench): Promise<Finding[]> {
  const file = join(bench.folder, 'nowhere.mmdb');
  await writeFile(file, makeMmdb({}, 24));
  await using without = await start(bench, 'without', { HEADCOUNT_COUNTRY_DATABASE: file });
  await using known = await start(bench, 'known', {});
  for (const server of [without, known]) await floodAndCheck(bench, server, warmUp);
  await checkCountries(without, known);

  const pairs: { without: FloodResult; known: FloodResult }[] = [];
  for (let seed = 1; seed <= rounds; seed++) pairs.push(await floodBoth(bench, { without, known }, seed));
  const ratioOf = (of: (result: FloodResult) => number) =>
    median(pairs.map((pair) => of(pair.known) / of(pair.without)));
  const cpu = ratioOf(cpuOf);
  return [
    { what: 'CPU time a hit, as a ratio to none', value: cpu.toFixed(3), target: atMost(cpu, 1.03) },
    { what: 'the same of the main thread', value: ratioOf((result) => result.cpu.main).toFixed(3) },
    { what: 'the same of the writer', value: ratioOf((result) => result.cpu.writer).toFixed(3) },
    { what: 'hits/s, as a ratio to none', value: ratioOf((result) => result.rate).toFixed(2) },
    ...(['without', 'known'] as const).map((name) => ({
      what: name === 'known' ? 'µs a hit with countries' : 'µs a hit without',
      value: median(pairs.map((pair) => cpuOf(pair[name]))).toFixed(1),
    })),
  ];
}

async function start(bench: Bench, name: string, settings: Record<string, string>): Promise<HeadcountServer> {
  const dataDir = join(bench.folder, name);
  return startHeadcount(bench, dataDir, await addProject(bench, dataDir, settings), settings);
}

/** @throws Error where the one knows countries, or the other does not */
async function checkCountries(...servers: [HeadcountServer, HeadcountServer]): Promise<void> {
  const [none, some] = await Promise.all(
    servers.map(async ({ get }) => (await get<{ countries: unknown[] }>('countries')).countries.length),
  );
  if (none !== 0 || some === 0)
    throw new Error(`One server reported ${none} countries, the other of ${some}.`);
}

/** The second finds another machine, so that they take turns in that, too. */
async function floodBoth(
  bench: Bench,
  { without, known }: { without: HeadcountServer; known: HeadcountServer },
  seed: number,
): Promise<{ without: FloodResult; known: FloodResult }> {
  const measure = async (name: string, server: HeadcountServer) => {
    const result = await flood(bench, server, { seconds: 5, seed, fromEverywhere: true });
    bench.log(`${name}  ${profile(result)}`);
    return result;
  };
  if (seed % 2 === 0) {
    const first = await measure('countries', known);
    return { known: first, without: await measure('none     ', without) };
  }
  const first = await measure('none     ', without);
  return { without: first, known: await measure('countries', known) };
}

function cpuOf({ cpu }: FloodResult): number {
  return Object.values(cpu).reduce((sum, time) => sum + time, 0);
}
