import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EffectReply } from '../../shared/reports/insights.ts';
import { createClock } from '../support/clock.ts';
import { type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

const bot = 'Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.4; +https://openai.com/gptbot)';
const urls = Array.from({ length: 40 }, (_, i) => `https://example.com/p${String(i).padStart(2, '0')}`);
const script = { u: urls[0] };
const clock = createClock('2026-10-20T12:00:00Z');
let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount({ now: clock.now });
});
afterAll(() => headcount.stop());

/** A crawler reads all pages, the first ten most. */
async function crawl(project: ProjectClient): Promise<void> {
  const hits = urls.flatMap((url, i) =>
    Array(i < 10 ? 8 : 3).fill({ url, ip: '20.171.206.7', userAgent: bot }),
  );
  for (let at = 0; at < hits.length; at += 100)
    expect((await project.hits(hits.slice(at, at + 100))).status).toBe(202);
}

async function effectOn(project: ProjectClient): Promise<EffectReply> {
  const base = `/v1/analytics/${project.projectId}`;
  const { id } = (await (
    await fetch(`${headcount.url}${base}/annotations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'New guide', date: '2026-11-05', paths: ['/p0*'] }),
    })
  ).json()) as { id: string };
  return project.get<EffectReply>(`${base}/changes/${id}/effect`);
}

test('where no server reported before a change, AI has no effect told, and where one did it is as before', async () => {
  const [late, always] = [await headcount.addProject({}), await headcount.addProject({})];
  for (const day of ['2026-10-26', '2026-11-02', '2026-11-08', '2026-11-15']) {
    clock.set(`${day}T12:00:00Z`);
    const isBefore = day < '2026-11-05';
    for (const u of day === '2026-10-26' ? urls : [urls[0]]) expect((await late.hit({ u })).status).toBe(202);
    expect((await always.hit(script)).status).toBe(202);
    await crawl(always);
    if (!isBefore) await crawl(late);
  }
  clock.set('2026-11-20T12:00:00Z');
  const { days, affectedPages, measures, says } = await effectOn(late);
  expect([days, affectedPages]).toEqual([14, 10]);
  expect(measures.map(({ of, verdict, change }) => [of, verdict, change])).toEqual([
    ['people', 'too_little', null],
    ['ai', 'not_measured', null],
    ['training', 'not_measured', null],
  ]);
  expect(says).toMatch(/too few views.* Views by AI clients were not counted on most days before or after/);
  expect(says).not.toContain('training');
  const whole = await effectOn(always);
  expect(whole.measures.find(({ of }) => of === 'ai')).toMatchObject({ verdict: 'none', change: 0 });
});
