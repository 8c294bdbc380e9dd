import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type {
  EventsReply,
  GlanceReply,
  HoursReply,
  NowReply,
  SeriesReply,
} from '../../shared/reports/analytics.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { userAgentOf } from '../support/identity/user-agents.ts';

const clock = createClock('2026-11-12T10:00:00Z');
let headcount: Headcount;

/** The script alone on the first day, and a server beside it on the second. */
beforeAll(async () => {
  headcount = await startHeadcount({ now: clock.now });
  const visitFromChatGpt = () => headcount.hit({ u: 'https://docs.example/', r: 'https://chatgpt.com/' });
  await visitFromChatGpt();
  clock.advance(dayMs);
  await visitFromChatGpt();
  const read = { url: 'https://docs.example/', ip: '192.0.2.1', userAgent: userAgentOf('GPTBot') };
  await headcount.hits([read, read, read]);
});
afterAll(() => headcount.stop());

const at = (report: string) => `/v1/analytics/${headcount.projectId}/${report}`;

async function readFile(report: string): Promise<string[]> {
  const answer = await fetch(`${headcount.url}${at(report)}?format=csv`, {
    headers: { authorization: `Bearer ${headcount.adminKey}` },
  });
  return (await answer.text()).replaceAll('"', '').split('\r\n');
}

test('each day tells whether AI was measured on it, where a server joined later', async () => {
  const measured = [
    { people: true, ai: false },
    { people: true, ai: true },
  ];
  const series = await headcount.get<SeriesReply>(at('series'));
  expect(series.days.map((day) => day.measured)).toEqual(measured);
  expect(series.measured.ai).toBe(true);
  const hours = await headcount.get<HoursReply>(at('hours'));
  expect(hours.days.map((day) => day.measured)).toEqual(measured);
});

test('events that the script tells alone say that AI was not measured', async () => {
  const project = await headcount.addProject();
  await project.hit({ u: 'https://docs.example/' });
  await project.hit({ u: 'https://docs.example/', e: 'Sign up', d: { plan: 'team' } });
  const measured = { people: true, ai: false, ways: ['script'] };
  for (const report of ['events', 'events/Sign%20up/properties']) {
    const reply = await project.get<EventsReply>(`/v1/analytics/${project.projectId}/${report}`);
    expect(reply).toMatchObject({ totals: { ai: 0 }, measured });
  }
});

test('right now is told with what yesterday and today measured, as a new day tells of nothing yet', async () => {
  onTestFinished(() => clock.advance(-2 * dayMs));
  const project = await headcount.addProject();
  const measuredNow = async () =>
    (await project.get<NowReply>(`/v1/analytics/${project.projectId}/now`)).measured;
  expect(await measuredNow()).toEqual({ people: null, ai: null, ways: [] });
  await project.hit({ u: 'https://docs.example/' });
  const byScript = { people: true, ai: false, ways: ['script'] };
  expect(await measuredNow()).toEqual(byScript);
  clock.advance(dayMs);
  expect(await measuredNow()).toEqual(byScript);
  clock.advance(dayMs);
  expect(await measuredNow()).toEqual({ people: null, ai: null, ways: [] });
});

test('at a glance a zero of a day is null where nobody measured it, and one of a day without hits is a zero', async () => {
  const read = async (query: string) => {
    const { projects } = await headcount.get<GlanceReply>(`/v1/analytics?dateTo=2026-11-14&${query}`);
    return projects[0]?.daily;
  };
  expect(await read('dateFrom=2026-11-11')).toEqual({ human: [0, 1, 1], ai: [0, null, 1], total: [0, 1, 2] });
  const reads = await headcount.addProject({ name: 'Reads' });
  await reads.hits([{ url: 'https://docs.example/', ip: '192.0.2.1', userAgent: userAgentOf('GPTBot') }]);
  const { projects } = await reads.get<GlanceReply>('/v1/analytics?dateFrom=2026-11-12');
  expect(projects[0]?.daily).toEqual({ human: [0, null], ai: [0, 1], total: [0, 1] });
});

test('a zero that nobody measured is empty in a file', async () => {
  expect(await readFile('series')).toEqual([
    'date,humanVisitors,aiVisitors,visitors,humanViews,aiViews,views',
    '2026-11-12,1,,1,1,,1',
    '2026-11-13,1,1,2,1,3,4',
    '',
  ]);
  const hours = await readFile('hours');
  expect(hours).toContain('2026-11-12,10,1,,1,1,,1');
  expect(hours).toContain('2026-11-13,10,1,1,2,1,3,4');
  expect(hours).toContain('2026-11-13,9,0,0,0,0,0,0');
});

test('reads for each visit are those of the days on which both were measured', async () => {
  const { operators } = await headcount.get<{ operators: object[] }>(at('operators'));
  expect(operators).toEqual([{ date: null, operator: 'OpenAI', aiViews: 3, visits: 2, ratio: 3 }]);
  const byDay = await headcount.get<{ operators: object[] }>(at('operators?by=day'));
  expect(byDay.operators).toMatchObject([
    { date: '2026-11-12', visits: 1, ratio: null },
    { date: '2026-11-13', visits: 1, ratio: 3 },
  ]);
});
