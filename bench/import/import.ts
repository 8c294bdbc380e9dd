import { spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { Imported } from '../../test/support/import/import-run.ts';
import { atLeast, atMost, type Bench, type Finding } from '../bench.ts';
import { addProject } from '../server.ts';
import { median } from '../statistics.ts';
import { type AccessLog, writeAccessLog } from './access-log.ts';
import { type Run, runOnOneCore } from './one-core.ts';

/** As `npm run headcount` runs it: the flags and the program. */
const program = [...(manifest.scripts.headcount.match(/--\S+/g) ?? []), 'headcount.js'];

interface Round {
  imported: Run;
  packed: Run;
  goAccess: Run | undefined;
  read: Run;
}

/** Lines per second of an access log in the combined format, beside GoAccess and a program that only reads. */
export function measureImport(bench: Bench): Promise<Finding[]> {
  return measure(bench, 100_000_000, 1);
}

/** The same with a log of a gigabyte, which takes some minutes. */
export function measureLargeImport(bench: Bench): Promise<Finding[]> {
  return measure(bench, 1_000_000_000, 1);
}

async function measure(bench: Bench, bytes: number, rounds: number): Promise<Finding[]> {
  const file = join(bench.folder, 'access.log');
  const log = writeAccessLog(file, bytes);
  const pack = spawnSync('gzip', ['-1', '--keep', '--force', file]);
  if (pack.status !== 0) throw new Error(`gzip failed: ${pack.stderr}`);
  const version = /GoAccess - ([\d.]+)\./.exec(
    spawnSync('goaccess', ['--version']).stdout?.toString() ?? '',
  )?.[1];
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    measured.push({
      imported: await importLog(bench, file, log),
      goAccess: version === undefined ? undefined : await runGoAccess(bench, file, log),
      packed: await importLog(bench, `${file}.gz`, log),
      read: await countByGrep(bench, `${file}.gz`, log),
    });
    bench.log(describe(measured.at(-1) as Round));
  }
  return findings(measured, log, version);
}

async function importLog(bench: Bench, file: string, log: AccessLog): Promise<Run> {
  const dataDir = join(bench.folder, 'import');
  await rm(dataDir, { recursive: true, force: true });
  const { projectId } = await addProject(bench, dataDir);
  const command = [process.execPath, ...program, 'import', file, '--project', projectId, '--json'];
  const run = await runOnOneCore(bench, command, { HEADCOUNT_DATA_DIR: dataDir });
  const { lines, counted, notCounted } = JSON.parse(run.output) as Imported;
  const sum = Object.values({ ...counted, ...notCounted }).reduce((total, count) => total + count, 0);
  if (lines !== log.lines || sum !== lines)
    throw new Error(`Of ${log.lines} lines, ${lines} were read: ${run.output}`);
  return run;
}

async function runGoAccess(bench: Bench, file: string, log: AccessLog): Promise<Run> {
  const report = join(bench.folder, 'goaccess.json');
  const command = [
    'goaccess',
    file,
    '--log-format=COMBINED',
    '--no-global-config',
    '--no-progress',
    '-o',
    report,
  ];
  const run = await runOnOneCore(bench, command);
  const { general } = JSON.parse(await readFile(report, 'utf8')) as { general: { total_requests: number } };
  if (general.total_requests !== log.lines)
    throw new Error(`GoAccess has read ${general.total_requests} lines.`);
  return run;
}

async function countByGrep(bench: Bench, file: string, log: AccessLog): Promise<Run> {
  const run = await runOnOneCore(bench, ['sh', '-c', 'zcat "$1" | grep -c GET', 'sh', file]);
  if (Number(run.output) !== log.lines) throw new Error(`grep has counted ${run.output} lines.`);
  return run;
}

function describe(round: Round): string {
  return Object.entries(round)
    .map(([name, run]: [string, Run | undefined]) =>
      run ? `${name} ${run.seconds.toFixed(1)} s (CPU ${run.cpuSeconds.toFixed(1)} s)` : `no ${name}`,
    )
    .join(', ');
}

/** CPU time, as others may use the core too. */
function findings(rounds: Round[], { lines, bytes }: AccessLog, version: string | undefined): Finding[] {
  const rate = (run: Run) => lines / run.cpuSeconds;
  const rates = (of: (round: Round) => Run) => Math.round(median(rounds.map((round) => rate(of(round)))));
  const peak = Math.max(...rounds.flatMap(({ imported, packed }) => [imported.peak, packed.peak]));
  const reading = median(rounds.map(({ packed, read }) => rate(packed) / rate(read)));
  return [
    {
      what: `lines/s of ${Math.round(bytes / 1e6)} MB, one core`,
      value: String(rates(({ imported }) => imported)),
    },
    { what: 'lines/s of the same, packed', value: String(rates(({ packed }) => packed)) },
    { what: 'ratio of the packed one to zcat | grep -c', value: reading.toFixed(3) },
    { what: 'peak memory', value: `${Math.round(peak)} MiB`, target: atMost(Math.round(peak), 300, ' MiB') },
    ...compare(rounds, rates, version),
  ];
}

function compare(
  rounds: Round[],
  rates: (of: (round: Round) => Run) => number,
  version: string | undefined,
): Finding[] {
  if (version === undefined) return [{ what: 'ratio to GoAccess', value: 'goaccess is not installed' }];
  const goAccess = ({ goAccess: run }: Round) => run as Run;
  const ratio = median(rounds.map((round) => goAccess(round).cpuSeconds / round.imported.cpuSeconds));
  return [
    { what: `lines/s of GoAccess ${version}`, value: String(rates(goAccess)) },
    { what: 'ratio to GoAccess', value: ratio.toFixed(2), target: atLeast(ratio, 0.5) },
    {
      what: 'peak memory of GoAccess',
      value: `${Math.round(Math.max(...rounds.map((round) => goAccess(round).peak)))} MiB`,
    },
  ];
}
