import { join } from 'node:path';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { timeReports } from '../reports/reports.ts';
import { seedPostgresYear } from '../reports/seed-year.ts';
import { addProject, startHeadcount } from '../server.ts';
import { median, percentile } from '../statistics.ts';
import { databaseSettings, makeDatabase, onPostgres } from './database.ts';

const rate = 500;
const rounds = 4;

/** The first page of a year's visitors while hits come in. */
export function measurePostgresReports(bench: Bench): Promise<Finding[]> {
  return onPostgres(bench, async (database) => {
    const env = databaseSettings(await makeDatabase(database, 'year'));
    const dataDir = join(bench.folder, 'postgres-year');
    const project = await addProject(bench, dataDir, env);
    bench.log('a year is counted and sealed …');
    const { range, days } = await seedPostgresYear(bench, env.HEADCOUNT_DATABASE_URL, project.projectId);
    await using server = await startHeadcount(bench, dataDir, project, env);
    const times: number[] = [];
    for (let seed = 1; seed <= rounds; seed++) {
      times.push(...(await timeReports(bench, server, { rate, seed, range })));
    }
    const p95 = percentile(times, 0.95);
    return [
      {
        what: `median of ${times.length} reports over ${days} days x 5,000 paths, at ${rate} hits/s`,
        value: `${median(times).toFixed(0)} ms`,
      },
      { what: '95th percentile', value: `${p95.toFixed(0)} ms`, target: atMost(p95, 60, ' ms') },
    ];
  });
}
