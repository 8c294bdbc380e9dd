import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { houses, insides, server } from './support/import-order.ts';

/** Tests of what has no folder of the code, and what tests need. */
const ofTestsAlone = [
  'evaluation',
  'frameworks',
  'packages',
  'support',
  'ingest/nodes',
  'store/citus',
  'store/contracts',
  'store/released',
];

const home = join(import.meta.dirname, '..');
const imports = new Map(
  globSync('{shared,server,tracker,connect,client,dashboard,binary,bench,demo,site,test}/**/*.{ts,tsx}', {
    cwd: home,
  }).map((file) => [file, importsOf(file)]),
);

/** Statements and calls, of values and of types. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(home, file), 'utf8');
  const targets = Array.from(text.matchAll(/\b(?:from|import)[\s(]*'(\.[^']+)'/g), ([, target]) => target);
  return targets.map((target) => normalize(join(dirname(file), target as string)));
}

/** Those that are imported, too, which are not all TypeScript. */
const allFiles = () => [...imports].flatMap(([file, targets]) => [file, ...targets]);

interface Place {
  part: string;
  level: number;
}

/** The closest of the parts that the file belongs to. */
function placeOf(file: string, house: string[][]): Place | undefined {
  const places = house.flatMap((parts, level) => parts.map((part) => ({ part, level })));
  return places
    .filter(({ part }) => file === part || (part.endsWith('/') && file.startsWith(part)))
    .sort((a, b) => b.part.length - a.part.length)[0];
}

function isUpward(file: string, target: string, house: string[][]): boolean {
  const from = placeOf(file, house);
  if (!from) return false;
  const to = placeOf(target, house);
  return !to || (to.part !== from.part && to.level >= from.level);
}

/** The files from the first that leads back to itself, if there is one. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  return [...graph.keys()].map((file) => visit(file, [])).find((cycle) => cycle.length > 0) ?? [];
}

function upwardImports(house: string[][], within = ''): string[] {
  const inside = (path: string) => path.startsWith(within);
  return [...imports]
    .filter(([file]) => inside(file))
    .flatMap(([file, targets]) =>
      targets
        .filter((target) => inside(target) && isUpward(file, target, house))
        .map((target) => `${file} -> ${target}`),
    );
}

describe('imports', () => {
  test('never run upwards', () => {
    expect(houses.flatMap((house) => upwardImports(house))).toEqual([]);
  });

  test.each(Object.entries(insides))('never run upwards inside %s', (folder, rows) => {
    const house = rows.map((parts) => parts.map((part) => folder + part));
    expect(upwardImports(house, folder)).toEqual([]);
    const used = new Set(allFiles().map((file) => placeOf(file, house)?.part));
    expect(house.flat().filter((part) => !used.has(part))).toEqual([]);
  });

  test('never run in circles', () => {
    expect(findCycle(imports)).toEqual([]);
  });

  test('lead to files that are there', () => {
    const missing = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => /\.tsx?$/.test(target) && !imports.has(target))
        .map((target) => `${file} -> ${target}`),
    );
    expect(missing).toEqual([]);
  });
});

test('tests stand in the folder that has the name of what they are about', () => {
  const files = [...imports.keys()].filter((file) => file.startsWith('test/'));
  const folders = [...new Set(files.map((file) => dirname(file.slice('test/'.length))))];
  const isOfCode = (folder: string) => ['server', '.'].some((top) => existsSync(join(home, top, folder)));
  const others = folders.filter((folder) => !isOfCode(folder));
  const listed = (folder: string, name: string) => folder === name || folder.startsWith(`${name}/`);
  expect(others.filter((folder) => !ofTestsAlone.some((name) => listed(folder, name)))).toEqual([]);
  expect(ofTestsAlone.filter((name) => !others.some((folder) => listed(folder, name)))).toEqual([]);
});

describe('the table of parts', () => {
  test('has a place for every file of the server', () => {
    const homeless = [...imports.keys()].filter(
      (file) => file.startsWith('server/') && !placeOf(file, server),
    );
    expect(homeless).toEqual([]);
  });

  test('names nothing that is not there', () => {
    const used = new Set(allFiles().map((file) => placeOf(file, server)?.part));
    expect(server.flat().filter((part) => !used.has(part))).toEqual([]);
  });
});

test('the addresses of the server are put together in one place', () => {
  const joined = /\b(?:baseUrl|basePath|serverUrl\([^)]*\))\}?[`'"]?(?:\/| \+)|location\.origin *\+ *[`'"]/;
  const files = [...imports.keys()].filter((file) => /^(?:server|dashboard)\//.test(file));
  const allowed = ['server/config/own-address.ts', 'dashboard/router/address.ts'];
  const joining = files.filter((file) => joined.test(readFileSync(join(home, file), 'utf8')));
  expect(joining.filter((file) => !allowed.includes(file))).toEqual([]);
});
