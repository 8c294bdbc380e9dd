import { join } from 'node:path';
import Database from 'better-sqlite3';
import { idOf, readWorklist } from '../server/insights/worklist/worklist.ts';
import { databaseFile } from '../server/store/sqlite/store.ts';
import { counters } from '../shared/reports/counters.ts';
import { dayMs } from '../test/support/clock.ts';
import type { FilledHeadcount } from '../test/support/dataset/dataset.ts';

interface Shown {
  path: string;
  /** Requests that failed on a day. */
  hits: number;
  status: string;
  client: string;
  /** What became of its job; none: it has none. */
  job?: 'runs' | 'waits' | 'merged';
  /** So many days ago. */
  mergedAgo?: number;
  /** What the same requests are answered since the merge. */
  since?: '3xx' | '404';
  isDismissed?: true;
}

/** A fault in each state. */
const shown: readonly Shown[] = [
  { path: '/docs/guides/glazing', hits: 9, status: '404', client: 'GPTBot' },
  { path: '/docs/api/kettles', hits: 5, status: '429', client: 'ClaudeBot' },
  { path: '/docs/old/install', hits: 4, status: '404', client: 'ChatGPT-User', job: 'runs' },
  { path: '/docs/v1/pots', hits: 3, status: '404', client: 'Claude-User', job: 'waits' },
  { path: '/docs/brewing', hits: 2, status: '404', client: 'GPTBot', job: 'merged', mergedAgo: 0 },
  {
    ...{ path: '/docs/lids', hits: 2, status: '404', client: 'PerplexityBot' },
    ...{ job: 'merged', mergedAgo: 16, since: '3xx' },
  },
  {
    ...{ path: '/docs/warranty', hits: 2, status: '404', client: 'ClaudeBot' },
    ...{ job: 'merged', mergedAgo: 18, since: '404' },
  },
  { path: '/docs/internal/recipes', hits: 2, status: '403', client: 'CCBot', isDismissed: true },
];

/** Puts failures of the last weeks where they are kept, and what was done about them. */
export async function addWorklist({ context, clock, projectId, dataDir }: FilledHeadcount): Promise<void> {
  const { store } = context;
  const today = Math.floor(clock.now() / dayMs);
  const db = new Database(join(dataDir, databaseFile));
  const { id: project } = db.prepare('select id from projects where public_id = ?').get(projectId) as {
    id: number;
  };
  const addCounter = db.prepare(
    'insert or ignore into tallies (project, tally, day, subject, name, hits, amount) values (?, ?, ?, ?, ?, ?, 0)',
  );
  for (const { path, hits, status, client, mergedAgo = -1, since = status } of shown) {
    for (let ago = 40; ago >= 0; ago--) {
      const answer = ago < mergedAgo ? since : status;
      const group = `${client}\t${answer}`;
      addCounter.run(project, counters['ai-failures'].number, today - ago, group, path, hits);
    }
  }
  const found = await readWorklist({ store, projectId, pages: [], today, renamedPaths: [] });
  for (const [place, { path, job, mergedAgo, isDismissed }] of shown.entries()) {
    const fault = found.find((one) => one.path === path) ?? {
      ...faultOf(path),
      prompt: `Fix 404: ${path}\n\n`,
    };
    if (isDismissed) await store.jobs.dismissFault(projectId, fault, 'Ada');
    if (path === '/docs/guides/glazing') await store.jobs.assignFault(projectId, fault, 'Grace');
    if (job === undefined) continue;
    const id = `job_demo${place}`;
    const url = `https://code.example/teapot/site/pulls/${place + 10}`;
    const work = { repository: 'https://code.example/teapot/site.git', ref: 'main', model: 'openai/gpt-5' };
    await store.jobs.fixFault(
      { id, projectId, ...work, prompt: fault.prompt ?? '' },
      { id: fault.id, kind: fault.kind, path, evidence: fault.evidence },
      false,
    );
    const settle = (statement: string, ...values: unknown[]) => db.prepare(statement).run(...values, id);
    if (job === 'runs') {
      // Nobody takes it, so that it can be looked at.
      settle(
        'update turns set due_at = ? where job = (select id from jobs where public_id = ?)',
        Number.MAX_SAFE_INTEGER,
      );
      continue;
    }
    settle("update turns set phase = 'settled' where job = (select id from jobs where public_id = ?)");
    settle("update jobs set status = 'completed', pr_link = ? where public_id = ?", url);
    if (mergedAgo === undefined) continue;
    await store.annotations.addAnnotation({
      ...{ projectId, id: `merge_demo${place}`, day: today - mergedAgo, kind: 'merge', url },
      ...{ text: `Fix 404: ${path}`, affected: [], createdAt: clock.now() - mergedAgo * dayMs },
    });
  }
  db.close();
}

/** One that is mended is found no longer. */
function faultOf(path: string) {
  const named = { kind: 'not_found' as const, path };
  return { ...named, id: idOf(named), evidence: 'Requests of AI clients were answered 404.' };
}
