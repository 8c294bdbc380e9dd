import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import { type Finished, runHeadcount } from '../support/child.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { isOnPostgres } from '../support/store/chosen-engine.ts';
import { readTraces } from '../support/store/traces.ts';

const first = 'V1StGXR8_Z5jdHi6B-myT';
const second = 'uP3xK9fQ2mQp8ZrT4vW1n';
const third = '8gq2Lr0Zk7Xw4Vb9Ty1Qm';
const anna = '198.51.100.1';
const bob = '198.51.100.2';
const perplexity = 'Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)';

const clock = createClock('2026-11-10T12:00:00Z');
let headcount: Headcount;

beforeEach(async () => {
  headcount = await startHeadcount({ now: clock.now, project: { personalPaths: 'keep' } });
});
afterEach(() => headcount.stop());

async function read(ip: string, paths: string[], userAgent = chromeUserAgent): Promise<void> {
  const hits = paths.map((path) => ({ url: `https://example.com${path}`, ip, userAgent }));
  expect(await (await headcount.hits(hits)).json()).toMatchObject({ accepted: paths.length });
}

/** Runs the command in a process of its own, beside the server. */
async function run(...args: string[]): Promise<Finished> {
  return runHeadcount(['project', ...args], { HEADCOUNT_DATA_DIR: headcount.dataDir });
}

async function set(personalPaths: 'mask' | 'keep'): Promise<void> {
  expect((await run('set', headcount.projectId, '--personal-paths', personalPaths)).code).toBe(0);
  await headcount.context.registry.refresh();
}

async function seal(): Promise<void> {
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
}

const human = (count: number): Count => ({ human: count, ai: 0, total: count });

const readByClient = () =>
  headcount.get<{ paths: object[] }>(
    `/v1/analytics/${headcount.projectId}/ai-clients/PerplexityBot/paths?sort=total`,
  );

/**
 * Whether a text is anywhere in the files of the database, or in the tables of PostgreSQL. Asked of another process: to close a file here would end
 * the locks that the server has on it.
 */
async function isOnDisk(text: string): Promise<boolean> {
  if (isOnPostgres)
    return Object.values(await readTraces(headcount.dataDir))
      .join()
      .includes(text);
  const names = (await readdir(headcount.dataDir)).filter((name) => name.startsWith('headcount.db'));
  const { status } = spawnSync('grep', ['-qF', text, ...names], { cwd: headcount.dataDir });
  expect(status).toBeOneOf([0, 1]);
  return status === 0;
}

test('paths that were kept are folded into masked ones, exactly, beside a running server', async () => {
  // A day that is sealed by then, and one that is open.
  for (const isSealed of [true, false]) {
    await read(anna, ['/docs', `/reset/${first}`, `/reset/${second}`, `/reset/${second}`]);
    await read(bob, [`/reset/${first}`]);
    await read(bob, [`/reset/${first}`, `/reset/${second}`], perplexity);
    if (isSealed) await seal();
  }
  const before = await headcount.views();
  expect(await isOnDisk(first)).toBe(true);
  const refused = await run('fold-paths', headcount.projectId);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--personal-paths mask')]);
  await set('mask');
  const dry = await run('fold-paths', headcount.projectId);
  expect(dry.stdout).toContain(`/reset/${first}`);
  expect(dry.stdout).toContain('2 paths would be folded. Nothing was changed: add --yes to do it.');
  expect(await headcount.views()).toEqual(before);

  const { projectId } = headcount;
  const done = await run('fold-paths', projectId, '--yes', '--json');
  expect(JSON.parse(done.stdout)).toEqual({
    projectId,
    done: true,
    paths: [
      { from: `/reset/${first}`, to: '/reset/:token' },
      { from: `/reset/${second}`, to: '/reset/:token' },
    ],
  });
  expect(await headcount.views()).toEqual({
    '/docs': human(2),
    '/reset/:token': { human: 8, ai: 4, total: 12 },
  });
  // On the sealed day Anna is two visitors, of which nothing tells that they were one; today she is one.
  expect(await headcount.visitors({ dateTo: '2026-11-13' })).toEqual({
    '/docs': human(1),
    '/reset/:token': { human: 3, ai: 2, total: 5 },
  });
  expect(await headcount.visitors({ dateFrom: '2026-11-13' })).toEqual({
    '/docs': human(1),
    '/reset/:token': { human: 2, ai: 1, total: 3 },
  });
  expect((await readByClient()).paths).toEqual([
    { path: '/reset/:token', visitors: 3, views: 4, humanViews: 8 },
  ]);
  expect([await isOnDisk(first), await isOnDisk(second)]).toEqual([false, false]);

  // The server goes on with the new names, and knows who was seen there.
  await read(anna, [`/reset/${third}`]);
  await read(bob, [`/reset/${third}`], perplexity);
  expect((await headcount.visitors({ dateFrom: '2026-11-13' }))['/reset/:token']).toEqual({
    human: 2,
    ai: 1,
    total: 3,
  });
  await set('keep');
  await read(anna, [`/reset/${first}`]);
  expect((await headcount.views())[`/reset/${first}`]).toEqual(human(1));
  await seal();
  expect((await headcount.visitors())['/reset/:token']).toEqual({ human: 5, ai: 3, total: 8 });
});

test('paths are forgotten with their counts, and the site keeps its own', async () => {
  await read(anna, ['/docs', `/reset/${first}`]);
  await seal();
  await read(bob, ['/docs', `/reset/${first}`, `/reset/${second}/done`]);
  const { projectId } = headcount;
  const dry = await run('forget-paths', projectId, '/reset/**');
  expect(dry.stdout).toContain('2 paths would be deleted.');
  expect(Object.keys(await headcount.views())).toHaveLength(3);
  const done = await run('forget-paths', projectId, '/reset/**/', '--yes');
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('2 paths were deleted.\n')]);
  expect(await headcount.views()).toEqual({ '/docs': human(2) });
  const { totals } = await headcount.get<{ totals: Count }>(`/v1/analytics/${projectId}/views`);
  expect(totals).toEqual(human(5));
  expect([await isOnDisk(first), await isOnDisk(second)]).toEqual([false, false]);
  await read(bob, ['/docs', `/reset/${first}`]);
  expect(await headcount.visitors()).toEqual({ '/docs': human(2), [`/reset/${first}`]: human(1) });
});

test('says when there is nothing to do, and what it needs', async () => {
  await set('mask');
  expect((await run('fold-paths', headcount.projectId, '--yes')).stdout).toBe('0 paths were folded.\n');
  expect(await run('fold-paths', 'none')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no project none'),
  });
  expect(await run('forget-paths', headcount.projectId)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('at least one <glob>'),
  });
});
