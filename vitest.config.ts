import { configDefaults, defineConfig } from 'vitest/config';
import { keptFolder, folderVariable as keptVariable } from './test/support/dataset/kept.ts';
import { answersFolder, folderVariable } from './test/support/described/record.ts';
import { compileCache } from './test/support/machine/compile-cache.ts';
import { LeftOutReporter } from './test/support/machine/left-out-reporter.ts';
import { LongestFirst } from './test/support/machine/longest-first.ts';
import { citusUrl } from './test/support/store/citus-cluster.ts';
import { postgresFolder, folderVariable as postgresVariable } from './test/support/store/postgres-folder.ts';

// For the workers and the threads of their stores; processes that tests start find it themselves.
process.env.NODE_COMPILE_CACHE = compileCache;
// For programs by the thousand, such as git: Linux copies for each what the allocator of a worker holds. Less is a sixth of
// the time of tests of jobs.
process.env.MALLOC_ARENA_MAX = '1';
process.env[folderVariable] = answersFolder;
process.env[postgresVariable] = postgresFolder;
process.env[keptVariable] = keptFolder;

const leftOut =
  citusUrl === undefined ? ['all that is tested on Citus, as HEADCOUNT_TEST_CITUS_URL names none'] : [];

/** What is about SQLite's files, about Citus, or about who waits for whom on one PostgreSQL, which is no server of shards. */
const ofOthers = [
  ...(process.env.HEADCOUNT_TEST_ENGINE === 'postgres' ? ['test/**/*.sqlite.test.ts'] : []),
  // A cluster is nobody's to install: those who have one name it.
  citusUrl === undefined ? 'test/store/citus/**' : 'test/store/postgres-waiting.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...ofOthers],
    globalSetup: [
      'test/support/dataset/kept.ts',
      'test/support/machine/compile-cache.ts',
      'test/support/described/described-run.ts',
      'test/support/store/postgres-run.ts',
    ],
    setupFiles: [
      'test/support/described/setup.ts',
      'test/support/fuzz/seed.ts',
      'test/support/store/rested-threads.ts',
    ],
    reporters: ['default', new LeftOutReporter(leftOut)],
    // Node runs the sources as it does in use, and a worker keeps what it has loaded from one file to the next.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Only against hanging: what must be quick says so itself. Other work on the machine makes a test ten times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    // For the two cores of the gate: tests wait for a browser, for git or for a time to pass half of the time.
    maxWorkers: 5,
  },
});
