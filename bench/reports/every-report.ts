import { join } from 'node:path';
import { limits } from '../../server/analytics/filters.ts';
import type { AddedProject } from '../../server/operations/projects.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { floodAndCheck } from '../load/flood.ts';
import { startPacer } from '../load/pacer.ts';
import { addProject, type HeadcountServer, startHeadcount } from '../server.ts';
import { percentile } from '../statistics.ts';
import { event, fullCounts, goalPath } from './full-year.ts';
import { firstDay, rangeOf, seedDays, todayOf } from './seed-year.ts';

const times = 20;

/** Of now, or of a change: they take no days. */
const ofNoDays = ['now', 'silent-clients', 'freshness', 'changes/{changeId}/effect'];
/** As many days of hours as it returns at once are there. */
const ofLastDays = ['hours'];

/** The first page of every report of a year with countries and AI, one after the other, while hits come in. */
export async function measureEveryReport(bench: Bench, days?: number): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'full-year');
  const aims = ['--goal', event, '--goal', goalPath, '--funnel', `${goalPath} > ${event}`];
  const project = await addProject(bench, dataDir, {}, aims);
  const range = await seed(bench, dataDir, project.projectId, days);
  await using server = await startHeadcount(bench, dataDir, project);
  const changeId = await addRelease(server, project);
  const full = await floodAndCheck(bench, server, { seconds: 5, seed: 1 });
  const rate = Math.round(full.rate / 2);
  const { port, projectId } = server;
  await using pacer = startPacer(bench, { port, projectId, rate, seconds: 600, warmUpSeconds: 0, seed: 2 });
  await pacer.said(/sending/);
  const findings: Finding[] = [{ what: 'hits/s meanwhile', value: String(rate) }];
  for (const name of Object.keys(limits)) {
    bench.signal.throwIfAborted();
    bench.log(name);
    const ofRange = ofNoDays.includes(name) || ofLastDays.includes(name) ? '' : range;
    findings.push(await timeReport(server, name, `${fill(name, changeId)}?${ofRange}`));
  }
  pacer.send('SIGTERM');
  await pacer.ended();
  return findings;
}

async function seed(bench: Bench, dataDir: string, projectId: string, days?: number): Promise<string> {
  const store = await openSqliteStore(dataDir);
  const today = await todayOf(store, projectId);
  const first = firstDay(today, days);
  await seedDays(bench, store, projectId, first, today - 2, { countsOf: fullCounts });
  await seedDays(bench, store, projectId, today - 1, today, { countsOf: fullCounts, seal: false });
  await store.close();
  return rangeOf(first, today);
}

function fill(name: string, changeId: string): string {
  const values: Record<string, string> = { client: 'GPTBot', goal: goalPath, event, changeId };
  return name.replace(/\{(\w+)\}/g, (_all, key: string) => encodeURIComponent(values[key] ?? ''));
}

async function addRelease({ port, projectId }: HeadcountServer, { adminKey }: AddedProject): Promise<string> {
  const date = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/analytics/${projectId}/annotations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ date, text: 'A release', paths: ['/docs/chapter-1/*'] }),
  });
  if (!answer.ok) throw new Error(`The annotation was refused: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

async function timeReport(server: HeadcountServer, what: string, path: string): Promise<Finding> {
  const taken: number[] = [];
  let rows = 0;
  for (let i = 0; i < times; i++) {
    const startAt = performance.now();
    const reply = await server.get<Record<string, unknown>>(path);
    taken.push(performance.now() - startAt);
    rows = Object.values(reply).find(Array.isArray)?.length ?? 0;
  }
  const p95 = percentile(taken, 0.95);
  return { what, value: `${p95.toFixed(1)} ms, ${rows} rows`, target: atMost(p95, 50, ' ms') };
}
