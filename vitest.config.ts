import { configDefaults, defineConfig } from 'vitest/config';
import { keptFolder, folderVariable as keptVariable } from './test/support/dataset/kept.ts';
import { answersFolder, folderVariable } from './test/support/described/record.ts';
import { compileCache } from './test/support/machine/compile-cache.ts';
import { FlakyReporter } from './test/support/machine/flaky-reporter.ts';
import { LeftOutReporter } from './test/support/machine/left-out-reporter.ts';
import { LongestFirst } from './test/support/machine/longest-first.ts';
import { SlowestReporter } from './test/support/machine/slowest-reporter.ts';
import { citusUrl } from './test/support/store/citus-cluster.ts';
import { onPostgres } from './test/support/store/on-postgres.ts';
import { postgresFolder, folderVariable as postgresVariable } from './test/support/store/postgres-folder.ts';

// For the workers and the threads of their stores; processes that tests start find it themselves.
process.env.NODE_COMPILE_CACHE = compileCache;
// For programs by the thousand, such as git: Linux copies for each what the allocator of a worker holds. Less is a sixth of
// the time of tests of jobs.
process.env.MALLOC_ARENA_MAX = '1';
process.env[folderVariable] = answersFolder;
process.env[postgresVariable] = postgresFolder;
process.env[keptVariable] = keptFolder;

/** A cluster is nobody's to install: those who have one name it. */
const leftOut = citusUrl
  ? { files: 'test/store/postgres-waiting.test.ts', reasons: [] }
  : {
      files: 'test/store/citus/**',
      reasons: ['all that is tested on Citus, as HEADCOUNT_TEST_CITUS_URL names none'],
    };

const all = ['test/**/*.test.ts'];

/** Tests that choose their engines themselves and that a Citus can run. Some others start a PostgreSQL to kill. */
const ofEngines = [
  'test/{admin,identity/proof}/nodes.test.ts',
  'test/commands/{export,move,move-back,postgres}.test.ts',
  'test/counting/counting.property.test.ts',
  'test/database/{added-column,every-statement,stopped-import}.test.ts',
  'test/ingest/nodes/*.test.ts',
  'test/jobs/turn/{moved,nodes}.test.ts',
  'test/store/{forgetting,postgres-counting,postgres-folding,postgres-jobs,postgres-lost-answers,postgres-store}.test.ts',
];

const project = (name: string, engine: 'sqlite' | 'postgres', include: string[], exclude: string[] = []) => ({
  test: {
    name,
    include,
    exclude: [...configDefaults.exclude, leftOut.files, ...exclude],
    env: { HEADCOUNT_TEST_ENGINE: engine },
    setupFiles: [
      'test/support/described/setup.ts',
      'test/support/fuzz/seed.ts',
      'test/support/jobs/rested-launchers.ts',
      'test/support/store/rested-threads.ts',
    ],
    // Node runs the sources as it does in use, and a worker keeps what it has loaded from one file to the next.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    // Only against hanging: what must be quick says so itself. Other work on the machine makes a test ten times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The gate runs for long beside other work, and names what passed only at the second try.
    retry: process.env.HEADCOUNT_TEST_ALL === '1' ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
  },
});

const inGroup = (groupOrder: number, { test }: ReturnType<typeof project>) => ({
  test: { ...test, sequence: { groupOrder } },
});

const onSqlite = project('SQLite', 'sqlite', all);
const chosen =
  process.env.HEADCOUNT_TEST_ENGINE === 'postgres'
    ? project('PostgreSQL', 'postgres', all, ['test/**/*.sqlite.test.ts'])
    : onSqlite;

/** By `--mode`. */
const runs: Record<string, (typeof chosen)[]> = {
  // Without one.
  test: [chosen],
  // `npm test`
  whole: [onSqlite, project('PostgreSQL', 'postgres', onPostgres)],
  citus: [
    // Alone and first: each database takes one of the eight processes from which Citus has those that move shards.
    inGroup(0, project('shards', 'sqlite', citusUrl ? ['test/store/citus/*.test.ts'] : [])),
    inGroup(1, project('PostgreSQL', 'postgres', citusUrl ? onPostgres : [])),
    inGroup(1, project('its engines', 'sqlite', citusUrl ? ofEngines : [])),
  ],
  // They install from the npm registry and take minutes, so they are no part of `npm test`.
  frameworks: [project('frameworks', 'sqlite', ['test/frameworks/*.check.ts'])],
};

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: [
      'test/support/dataset/kept.ts',
      'test/support/machine/compile-cache.ts',
      ...(mode === 'test' ? [] : ['test/support/machine/bundle.ts']),
      'test/support/described/described-run.ts',
      'test/support/store/postgres-run.ts',
    ],
    reporters: ['default', new SlowestReporter(), new FlakyReporter(), new LeftOutReporter(leftOut.reasons)],
    sequence: { sequencer: LongestFirst },
    // For the two cores of the gate: tests wait for a browser, for git or for a time to pass half of the time. The servers of a
    // Citus, which work on the same cores, take a hundred connections each.
    maxWorkers: mode === 'citus' ? 3 : 5,
    projects: runs[mode] ?? [],
    // Where no cluster is named, there is none to test on.
    passWithNoTests: mode === 'citus',
  },
}));
