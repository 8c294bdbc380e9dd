import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** What stands higher may import what stands lower, types included, and the parts of one line nothing of each other. */
const server = [
  ['shared/', 'package.json'],
  [
    'server/errors.ts',
    'server/file-trouble.ts',
    'server/log.ts',
    'server/one-line.ts',
    'server/memo.ts',
    'server/meter.ts',
    'server/program.ts',
    'server/shipped.ts',
  ],
  [
    'server/clock.ts',
    'server/private-file.ts',
    'server/complaint.ts',
    'server/idle-memory.ts',
    'server/thread.ts',
    'server/process.ts',
  ],
  ['server/net/'],
  ['server/config/'],
  ['server/counting/'],
  ['server/store/'],
  ['server/identity/', 'server/audit/'],
  ['server/projects/'],
  ['server/sitefiles/'],
  ['server/http/'],
  ['server/analytics/'],
  ['server/insights/'],
  ['server/jobs/text/', 'server/jobs/failure.ts', 'server/jobs/credential.ts'],
  ['server/jobs/git/', 'server/jobs/forge/'],
  ['server/jobs/site/'],
  ['server/jobs/agent/'],
  ['server/jobs/turn/'],
  ['server/jobs/comments/'],
  ['server/admin/', 'server/ingest/', 'server/import/', 'server/jobs/api/', 'server/backup/'],
  ['server/jobs/automation/'],
  ['server/health/', 'server/metrics/'],
  ['server/context.ts'],
  // What of HTTP knows the context.
  ['server/http/server-url.ts', 'server/http/authorize.ts'],
  ['server/http/access.ts'],
  ['server/http/route.ts'],
  ['server/http/files/', 'server/http/mount.ts'],
  // Routes, and what else is handed the context.
  [
    'server/analytics/hours.ts',
    'server/analytics/series.ts',
    'server/insights/report-call.ts',
    'server/ingest/sealing/data-clock.ts',
    'server/ingest/name-cap-log.ts',
    'server/ingest/sealing/sealer.ts',
  ],
  [
    'server/analytics/glance-route.ts',
    'server/analytics/routes.ts',
    'server/sitefiles/ai-rules-route.ts',
    'server/sitefiles/freshness-route.ts',
    'server/insights/mark-routes.ts',
    'server/insights/routes.ts',
    'server/insights/search-routes.ts',
    'server/health/instance-route.ts',
    'server/health/routes.ts',
    'server/metrics/route.ts',
  ],
  [
    'server/admin/credentials.ts',
    'server/admin/keys.ts',
    'server/admin/project-changes.ts',
    'server/ingest/routes/hit-handler.ts',
    'server/jobs/api/events-route.ts',
    'server/jobs/api/image-route.ts',
    'server/jobs/api/webhook-route.ts',
    'server/share/',
    'server/outbox/',
  ],
  ['server/admin/users.ts'],
  [
    'server/admin/key-routes.ts',
    'server/admin/link-routes.ts',
    'server/admin/project-routes.ts',
    'server/admin/sign-in/factor-routes.ts',
    'server/admin/sign-on/routes.ts',
    'server/admin/sign-in/routes.ts',
    'server/admin/program-routes.ts',
    'server/admin/user-routes.ts',
    'server/admin/audit-routes.ts',
  ],
  [
    'server/admin/routes.ts',
    'server/sitefiles/routes.ts',
    'server/ingest/routes/batch-route.ts',
    'server/ingest/routes/hit-route.ts',
    'server/ingest/routes/image-route.ts',
    'server/jobs/api/routes.ts',
    'server/jobs/automation/routes.ts',
    'server/description/',
  ],
  ['server/mcp/'],
  ['server/operations.ts'],
  ['server/express-app.ts'],
  ['server/app.ts', 'server/create-context.ts', 'server/description/write-client-types.ts'],
  ['server/serve.ts'],
  // Only the top names an engine.
  ['server/commands/', 'server/store/sqlite/', 'server/store/postgres/'],
  ['server/warm-up.ts', 'server/engine.ts'],
  ['server/main.ts'],
];

/** Inside an engine, and the dashboard. What is not named stands on top. */
const insides = {
  'dashboard/': [
    ['texts/'],
    ['api/', 'formats/', 'router/'],
    ['components/'],
    ['chart/', 'job/', 'settings/'],
    ['report/'],
    ['projects/'],
    ['pages/', 'shell.tsx'],
    [''],
  ],
  'server/store/sqlite/': [
    ['connection.ts', 'trouble.ts', 'open-files.ts', 'server-lock.ts'],
    ['damage.ts', 'schema.ts', 'write-probe.ts', 'update-copy.ts'],
    ['observing.ts', 'projects/', 'counts/', 'jobs/', 'files/', 'sites/'],
    ['admin/', 'automations/', 'imports/', 'marks/', 'outbox/', 'archive/', 'opening.ts'],
    ['thread/'],
    ['jobs/job-store.ts'],
    [''],
  ],
  'server/store/postgres/': [
    ['column-types.ts', 'queryable.ts', 'meter.ts', 'trouble.ts'],
    ['connection.ts', 'store-clock.ts'],
    ['notices.ts', 'pool.ts'],
    ['database.ts'],
    ['schema.ts', 'directory/', 'counts/', 'jobs/'],
    ['admin/', 'automations/', 'check/', 'imports/', 'marks/', 'outbox/', 'sites/'],
    ['counts/counts.ts'],
    [''],
  ],
};

/** What runs at others' places takes nothing of the server. */
const houses = [
  server,
  ...['tracker/', 'connect/', 'client/', 'dashboard/'].map((part) => [['shared/'], [part]]),
  [['shared/', 'package.json'], ['server/'], ['binary/']],
];

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
  globSync('{shared,server,tracker,connect,client,dashboard,binary,bench,demo,test}/**/*.{ts,tsx}', {
    cwd: home,
  }).map((file) => [file, importsOf(file)]),
);

/** Statements and calls, of values and of types. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(home, file), 'utf8');
  const targets = Array.from(text.matchAll(/\b(?:from|import)[\s(]*'(\.[^']+)'/g), ([, target]) => target);
  return targets.map((target) => normalize(join(dirname(file), target as string)));
}

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
    const used = new Set([...imports.keys()].map((file) => placeOf(file, house)?.part));
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

test('files have fewer than 300 lines', () => {
  const long = [...imports.keys()]
    .map((file) => ({ file, lines: readFileSync(join(home, file), 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines >= 300);
  expect(long).toEqual([]);
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
    const files = [...imports].flatMap(([file, targets]) => [file, ...targets]);
    const used = new Set(files.map((file) => placeOf(file, server)?.part));
    expect(server.flat().filter((part) => !used.has(part))).toEqual([]);
  });
});
