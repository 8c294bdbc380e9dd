/**
 * Renews shipped-ranges.json before a release: from the operators' own files, or from a file in the form of the
 * public collection: `npm run ranges:refresh [-- --from crawlers.json]`. Feeds that cannot be had stay as they are.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createHttpsGet } from '../../net/https-get.ts';
import { feeds } from './feeds.ts';
import { collectionUrl, parseCollection } from './range-collection.ts';
import { type RangeCopy, shippedRanges } from './range-copy.ts';
import { parseRangeFile } from './range-file.ts';
import { accusesForMs } from './ranges.ts';

const path = new URL('./shipped-ranges.json', import.meta.url);
const get = createHttpsGet();
const say = (line: string) => process.stdout.write(`${line}\n`);

const { values } = parseArgs({ options: { check: { type: 'boolean' }, from: { type: 'string' } } });
const { about, feeds: held } = shippedRanges.parse(JSON.parse(readFileSync(path, 'utf8')));
if (values.check) checkAges();
const found = values.from === undefined ? await fromOperators() : await fromCollection(values.from);
const merged: Record<string, RangeCopy> = {};
for (const { id } of feeds) {
  const copy = [held[id], found.get(id)]
    .filter((each) => each !== undefined)
    .sort(byDate)
    .at(-1);
  if (copy) merged[id] = copy;
  say(`${id}: ${copy ? `${copy.ranges.length} ranges as of ${copy.asOf}` : 'missing'}`);
}
writeFileSync(path, `${JSON.stringify({ about, feeds: merged }, null, 2)}\n`);

async function fromOperators(): Promise<Map<string, RangeCopy>> {
  const copies = new Map<string, RangeCopy>();
  for (const { id, url } of feeds) {
    try {
      const answer = await get(url, { timeoutMs: 15_000, maxBytes: 2_000_000, maxRedirects: 3 });
      if (answer.status !== 200) throw new Error(`${url} answered with status ${answer.status}.`);
      copies.set(id, {
        source: url,
        asOf: new Date().toISOString(),
        ranges: await parseRangeFile(answer.body),
      });
    } catch (error) {
      say(`${id}: not renewed. ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return copies;
}

async function fromCollection(file: string): Promise<Map<string, RangeCopy>> {
  const { asOf, rangesBySource } = await parseCollection(readFileSync(file, 'utf8'));
  const copies = new Map<string, RangeCopy>();
  for (const { id, url } of feeds) {
    const ranges = rangesBySource.get(url);
    if (ranges) copies.set(id, { source: `${url}, from ${collectionUrl} (CC0-1.0)`, asOf, ranges });
  }
  return copies;
}

function byDate(a: RangeCopy, b: RangeCopy): number {
  return Date.parse(a.asOf) - Date.parse(b.asOf);
}

/** Ends with code 1 where a release would ship lists that all are too old to call an address another's. */
function checkAges(): never {
  const ages = Object.entries(held).map(([id, { asOf }]) => [id, Date.now() - Date.parse(asOf)] as const);
  for (const [id, ageMs] of ages) say(`${id}: ${Math.floor(ageMs / 86_400_000)} days old`);
  const isOld = ages.every(([, ageMs]) => ageMs >= accusesForMs);
  if (isOld) say('No list is younger than 31 days: run "npm run ranges:refresh" and commit what it writes.');
  process.exit(isOld ? 1 : 0);
}
