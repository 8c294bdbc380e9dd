import type { JobStore } from '../../server/store/jobs/jobs.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { median } from '../statistics.ts';

const rounds = 90;
const projectId = 'calls';
const limits = { total: 10, perProject: 10, leaseMs: 60_000 };
const usage = { steps: 1, inputTokens: 1000, outputTokens: 100, cachedTokens: 0, cost: null };

/** Milliseconds that all calls of a job of one turn and two answers take together, on either engine, in turns. */
export async function timeJobCalls(
  dataDir: string,
  url: string,
): Promise<{ sqlite: number; postgres: number }> {
  const stores = { sqlite: await openSqliteStore(dataDir), postgres: await openPostgresStore(url) };
  const times = { sqlite: [] as number[], postgres: [] as number[] };
  for (const store of Object.values(stores)) await addProject(store);
  for (let round = 0; round < rounds; round++) {
    for (const name of ['sqlite', 'postgres'] as const) {
      const startedAt = performance.now();
      await callAll(stores[name].jobs, `job_${round}`);
      times[name].push(performance.now() - startedAt);
    }
  }
  for (const store of Object.values(stores)) await store.close();
  return { sqlite: median(times.sqlite), postgres: median(times.postgres) };
}

async function addProject(store: Store): Promise<void> {
  const settings = projectSettings.parse({ name: 'Calls' });
  await store.addProject({ id: projectId, settings, createdAt: new Date().toISOString() }, []);
}

/** As the API and the runner make them. */
async function callAll(jobs: JobStore, id: string): Promise<void> {
  const source = { repository: 'https://example.com/a/b', ref: 'main', model: 'compatible/x' };
  await jobs.createJob({ id, projectId, ...source, prompt: 'Renew the words.' }, null);
  await jobs.msUntilDue();
  const lease = await jobs.claimTurn(limits);
  if (!lease) throw new Error('There was no turn to claim.');
  const phase = (name: 'pinned' | 'committed' | 'pushed' | 'opened', found: object) =>
    jobs.recordPhase(lease, name, found, { type: 'phase', data: { phase: name } });
  await phase('pinned', { base: 'b', baseBranch: 'main', branch: 'headcount/x', expectedTip: null });
  await jobs.readMessages(id);
  await jobs.readTurnMessages(id, 0);
  await jobs.appendMessages(lease, [{ role: 'user', content: 'Renew the words.' }]);
  for (let step = 0; step < 2; step++) {
    await jobs.appendMessages(lease, [{ role: 'assistant', content: 'x'.repeat(500) }], usage);
    await jobs.appendEvents(lease, [{ type: 'text', data: { text: 'x'.repeat(500) } }]);
    await jobs.appendMessages(lease, [{ role: 'tool', content: 'x'.repeat(2000) }]);
  }
  await phase('committed', { commit: 'c', patch: 'x'.repeat(2000), summary: 'Renew the words' });
  await jobs.renewLease(lease, limits.leaseMs);
  await phase('pushed', { tip: 'c' });
  await phase('opened', { pullRequest: { url: 'https://example.com/a/b/pull/1', number: 1 } });
  await jobs.settleTurn(lease, { status: 'completed', prLink: null }, { type: 'completed', data: {} });
}
