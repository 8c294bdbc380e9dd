import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../server/commands/terminal/table.ts';
import type { Bench, Finding } from './bench.ts';
import { measureGlobs } from './globs.ts';
import { measureImport, measureLargeImport } from './import/import.ts';
import { measureCloseDay } from './ingest/close-day.ts';
import { measureFullDay } from './ingest/full-day.ts';
import { measureIdleMemory } from './ingest/idle-memory.ts';
import { measureIngest } from './ingest/ingest.ts';
import { measureCountries } from './ingest/ingest-countries.ts';
import { measureIngestWithGoals } from './ingest/ingest-goals.ts';
import { measureLatency } from './ingest/latency.ts';
import { measureNewDay } from './ingest/new-day.ts';
import { measureSoak } from './ingest/soak.ts';
import { measureSteady } from './ingest/steady.ts';
import { measureColdJobs } from './jobs/cold-jobs.ts';
import { measureJobEngines } from './jobs/job-engines.ts';
import { measureJobs } from './jobs/jobs.ts';
import { measureMovedJobs } from './jobs/moved-jobs.ts';
import { measurePostgresFaults } from './postgres/faults.ts';
import { measurePostgres } from './postgres/postgres.ts';
import { measurePostgresReports } from './postgres/reports.ts';
import { measureEveryReport } from './reports/every-report.ts';
import { measureReports } from './reports/reports.ts';
import { seedYear } from './reports/seed-year.ts';
import { spaceFindings } from './reports/space.ts';
import type { Year } from './reports/year.ts';
import { measureStart } from './start.ts';
import { measureLook } from './tracker/look.ts';

/** A number among the parts: the minutes of the soak, or the days of every report. */
const [given] = process.argv
  .slice(2)
  .map(Number)
  .filter((number) => number > 0);

const parts: Record<string, (bench: Bench) => Promise<Finding[]>> = {
  ingest: measureIngest,
  latency: measureLatency,
  steady: measureSteady,
  'full-day': measureFullDay,
  'new-day': measureNewDay,
  reports: measureReports,
  space: spaceFindings,
  jobs: measureJobs,
  import: measureImport,
  globs: measureGlobs,
};

/** Only when asked for by name. */
const longParts: typeof parts = {
  'ingest-goals': measureIngestWithGoals,
  'ingest-countries': measureCountries,
  'close-day': measureCloseDay,
  'import-gigabyte': measureLargeImport,
  'cold-jobs': measureColdJobs,
  'moved-jobs': measureMovedJobs,
  'job-engines': measureJobEngines,
  'every-report': (bench) => measureEveryReport(bench, given),
  start: measureStart,
  'idle-memory': measureIdleMemory,
  look: measureLook,
  soak: (bench) => measureSoak(bench, given ?? 5),
  postgres: measurePostgres,
  'postgres-reports': measurePostgresReports,
  'postgres-faults': measurePostgresFaults,
};
const allParts = { ...parts, ...longParts };

function describeMachine(generator: string): string {
  const [cpu] = cpus();
  const load = loadavg()[0]?.toFixed(1);
  return `Node ${process.versions.node}, ${cpus().length} x ${cpu?.model.trim()}, load from ${generator}, load average before: ${load}`;
}

async function run(names: string[], signal: AbortSignal): Promise<boolean> {
  const generator = spawnSync('wrk', ['--version']).error ? 'autocannon' : 'wrk';
  process.stdout.write(`${describeMachine(generator)}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'headcount-bench-'));
  let year: Promise<Year> | undefined;
  const bench: Bench = {
    folder,
    signal,
    generator,
    log: (line) => process.stderr.write(`  ${line}\n`),
    year: () => {
      year ??= seedYear(bench);
      return year;
    },
  };
  let met = true;
  try {
    for (const name of names) {
      bench.log(`${name} …`);
      const findings = (await allParts[name]?.(bench)) ?? [];
      met &&= findings.every(({ target }) => target?.met ?? true);
      process.stdout.write(`\n${show(name, findings)}`);
    }
  } finally {
    // After an interruption a git of a killed server may still be writing.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  return met;
}

function show(name: string, findings: Finding[]): string {
  const rows = findings.map(({ what, value, target }) => [
    what,
    value,
    target?.text ?? '',
    target ? (target.met ? 'met' : 'MISSED') : '',
  ]);
  return table([name, 'value', 'target', ''], rows);
}

/** Several servers on several databases take their time, and so does a year. */
const longOnes = ['postgres', 'postgres-reports', 'every-report'];
const isLong = process.argv.some((name) => longOnes.includes(name));
const limitMs = Math.max(isLong ? 15 : 10, (given ?? 5) + 2) * 60_000;

/** Aborts when the bench has had its time, or is asked to end. */
function untilEnded(): AbortSignal {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ended.abort(new Error('It was interrupted.')));
  }
  const late = new Error(`It took more than ${limitMs / 60_000} minutes: does something else run beside it?`);
  setTimeout(() => ended.abort(late), limitMs).unref();
  return ended.signal;
}

const asked = process.argv.slice(2).filter((argument) => !(Number(argument) > 0));
const names = asked.length > 0 ? asked : Object.keys(parts);
const unknown = names.find((name) => !Object.hasOwn(allParts, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}": the parts are ${Object.keys(allParts).join(', ')}.\n`);
  process.exitCode = 2;
} else {
  const signal = untilEnded();
  const met = await run(names, signal).catch((error: Error) => {
    process.stderr.write(`The bench failed. ${signal.aborted ? signal.reason.message : error.stack}\n`);
    return false;
  });
  process.exitCode = met ? 0 : 1;
}
