import { expect } from 'vitest';
import type { Count } from '../../../shared/reports/analytics.ts';
import { createClock, dayMs, type TestClock } from '../clock.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../headcount.ts';

export const agents = {
  human: chromeUserAgent,
  GPTBot: 'Mozilla/5.0 (compatible; GPTBot/1.4; +https://openai.com/gptbot)',
  ClaudeBot: 'Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
};

/** A site that was visited on two days, and how its reports are read. */
export interface CountedSite {
  clock: TestClock;
  headcount: Headcount;
  /** Visits of one day: how many visitors of which kind came to a path, each `views` times. */
  visit(path: string, agent: keyof typeof agents, visitors: number, views?: number): Promise<void>;
  read<T>(report: string): Promise<T>;
  get(report: string): Promise<Response>;
}

export async function startCountedSite(): Promise<CountedSite> {
  const clock = createClock('2026-11-18T10:00:00Z');
  const headcount = await startHeadcount({ now: clock.now, project: { keptParameters: ['q'] } });
  const visit: CountedSite['visit'] = async (path, agent, visitors, views = 1) => {
    const hits = Array.from({ length: visitors * views }, (_, i) => ({
      url: `https://example.com${path}`,
      ip: `198.51.100.${i % visitors}`,
      userAgent: agents[agent],
      at: new Date(clock.now()).toISOString(),
    }));
    const response = await headcount.hits(hits);
    expect(await response.json()).toEqual({ accepted: hits.length, dropped: [] });
  };
  await visit('/docs', 'human', 5, 2);
  await visit('/docs', 'GPTBot', 2);
  await visit('/api', 'GPTBot', 4);
  await visit('/api', 'human', 1);
  clock.advance(2 * dayMs);
  await visit('/docs', 'human', 1);
  await visit('/docs/Caf%C3%A9', 'ClaudeBot', 1, 3);
  await visit('/docs/caf%c3%a9-2', 'GPTBot', 1);
  await visit('/100%25', 'human', 3);
  await visit('/a_b', 'human', 2);
  await visit('/?q="=1+1",x', 'human', 1);
  const pathOf = (report: string) => `/v1/analytics/${headcount.projectId}/${report}`;
  return {
    clock,
    headcount,
    visit,
    read: (report) => headcount.get(pathOf(report)),
    get: (report) =>
      fetch(headcount.url + pathOf(report), { headers: { authorization: `Bearer ${headcount.adminKey}` } }),
  };
}

export const count = (human: number, ai: number, total = human + ai): Count => ({ human, ai, total });
