import { describe, expect, test } from 'vitest';
import { AutomationWatch } from '../../../server/jobs/automation/automation-watch.ts';
import { recipes } from '../../../shared/jobs/recipes.ts';
import { startAutomationRun } from '../../support/jobs/automation-run.ts';

const monday = {
  name: 'Still true?',
  when: { kind: 'weekly', weekdays: ['monday'], hour: 9 },
  recipe: 'still-true',
  enabled: true,
};
const daily = {
  ...monday,
  name: 'Daily',
  when: {
    kind: 'weekly',
    weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
    hour: 2,
  },
  jobsPerWeek: 50,
};

test("a schedule starts its job at the hour in the project's time zone, once, and tells so everywhere", async () => {
  const run = await startAutomationRun({
    start: '2026-11-20T12:00:00Z',
    project: { timeZone: 'America/New_York' },
  });
  const { id, nextAt, lastRun } = await run.add(monday);
  expect([nextAt, lastRun]).toEqual(['2026-11-23T14:00:00.000Z', null]);
  await run.lookAt('2026-11-23T13:59:00Z');
  expect(await run.jobs()).toEqual([]);
  await run.lookAt('2026-11-23T14:00:00Z');
  for (let again = 0; again < 3; again++) await run.look();
  const jobs = await run.jobs();
  const startedBy = { automation: id, name: 'Still true?', kind: 'schedule' };
  expect(jobs).toMatchObject([{ status: 'active', startedBy }]);
  expect(await run.promptOf(jobs[0]?.id)).toBe(recipes['still-true'].prompt);
  const { events } = await run.headcount.get<{ events: object[] }>(
    `/v2/agent/${run.headcount.projectId}/job/${jobs[0]?.id}/events`,
  );
  expect(events).toMatchObject([{ type: 'message', data: { startedBy } }]);
  const done = { at: '2026-11-23T14:00:00.000Z', about: '2026-11-23', jobId: jobs[0]?.id, reason: null };
  expect(await run.list()).toMatchObject([{ id, nextAt: '2026-11-30T14:00:00.000Z', lastRun: done }]);
  expect(await run.runs(id)).toEqual([done]);
  const audit = await fetch(`${run.headcount.url}/v1/audit`, {
    headers: { authorization: `Bearer ${run.headcount.rootKey}` },
  });
  expect(await audit.json()).toMatchObject({
    entries: [
      { action: 'job.started', actor: { kind: 'automation', id, name: 'Still true?' }, subject: jobs[0]?.id },
      { action: 'automation.added', subject: 'Still true?', changes: ['on', 'kind: weekly'] },
    ],
  });
});

test('nodes that look at the same time start one job', async () => {
  const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z' });
  await run.add(monday);
  run.clock.set('2026-11-23T09:00:30Z');
  const { context } = run.headcount;
  await Promise.all(Array.from({ length: 6 }, () => new AutomationWatch(context).look()));
  expect(await run.jobs()).toHaveLength(1);
});

test('nothing is started while the clock is doubted', async () => {
  let uptime = 0;
  const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z', uptime: () => uptime });
  await run.add(monday);
  await run.lookAt('2026-11-23T09:00:00Z');
  expect(await run.jobs()).toEqual([]);
  // It stays so for long enough to be believed.
  for (let minutes = 0; minutes < 62; minutes++) {
    uptime += 60_000;
    run.clock.advance(60_000);
    await run.look();
  }
  expect(await run.jobs()).toHaveLength(1);
});

test('it is off until it is turned on, and makes up for nothing of before', async () => {
  const run = await startAutomationRun({ start: '2026-11-23T08:00:00Z' });
  const { id, enabled, nextAt } = await run.add({ ...monday, enabled: undefined });
  expect([enabled, nextAt]).toEqual([false, null]);
  await run.lookAt('2026-11-23T09:30:00Z');
  expect((await run.change(id, { enabled: true })).nextAt).toBe('2026-11-30T09:00:00.000Z');
  await run.look();
  const earlier = await run.change(id, { when: { ...monday.when, hour: 8 } });
  expect(earlier).toMatchObject({ enabled: true, nextAt: '2026-11-30T08:00:00.000Z', recipe: 'still-true' });
  await run.look();
  expect(await run.jobs()).toEqual([]);
  await run.lookAt('2026-11-30T08:00:00Z');
  expect(await run.jobs()).toHaveLength(1);
  await run.change(id, { enabled: false });
  await run.lookAt('2026-12-07T08:00:00Z');
  expect(await run.jobs()).toHaveLength(1);
});

test('a server that was off makes up for the newest time of the last day, and says what it left out', async () => {
  const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z' });
  const { id } = await run.add({ ...daily, when: { ...daily.when, hour: 9 } });
  await run.lookAt('2026-11-25T08:00:00Z');
  expect(await run.runs(id)).toMatchObject([{ about: '2026-11-24', reason: null }]);
  await run.archive((await run.jobs())[0]?.id ?? '');
  const weekly = await run.add(monday);
  await run.lookAt('2026-12-01T09:00:00Z');
  expect(await run.runs(weekly.id)).toMatchObject([{ about: '2026-11-30', reason: null }]);
  await run.lookAt('2026-12-08T09:01:00Z');
  expect(await run.runs(weekly.id)).toMatchObject([
    {
      about: '2026-12-07',
      jobId: null,
      reason: expect.stringContaining('No server was running at that time'),
    },
    { about: '2026-11-30' },
  ]);
});

describe('daylight saving', () => {
  test.each([
    // The hour from 2 to 3 is left out.
    ['2026-03-28T12:00:00Z', '2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z'],
    // It comes twice: the first one is meant.
    ['2026-10-24T12:00:00Z', '2026-10-24T23:59:00Z', '2026-10-25T00:00:00Z'],
  ])('has one time on the day after %s', async (start, before, at) => {
    const run = await startAutomationRun({ start, project: { timeZone: 'Europe/Berlin' } });
    const { nextAt } = await run.add(daily);
    expect(nextAt).toBe(new Date(at).toISOString());
    await run.lookAt(before);
    expect(await run.jobs()).toEqual([]);
    await run.lookAt(at);
    const [job] = await run.jobs();
    await run.archive(job?.id ?? '');
    for (let hours = 0; hours < 5; hours++) {
      run.clock.advance(3_600_000);
      await run.look();
    }
    expect(await run.jobs()).toHaveLength(1);
  });
});

test('a day that a month lacks is its last one', async () => {
  const run = await startAutomationRun({ start: '2027-01-31T12:00:00Z' });
  const when = { kind: 'monthly', day: 31, hour: 0 };
  expect((await run.add({ ...monday, when })).nextAt).toBe('2027-02-28T00:00:00.000Z');
});

describe('what cannot be started is left out with a reason, and tried at the next time', () => {
  const skipped = async (settings: object, reason: string) => {
    const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z', project: settings });
    const { id } = await run.add(monday);
    await run.lookAt('2026-11-23T09:00:00Z');
    await run.lookAt('2026-11-23T10:00:00Z');
    const left = { about: '2026-11-23', jobId: null, reason: expect.stringContaining(reason) };
    expect(await run.runs(id)).toEqual([{ ...left, at: '2026-11-23T09:00:00.000Z' }]);
    expect(await run.jobs()).toEqual([]);
    await run.set({ repository: 'https://git.example/ada/site', model: 'openai/gpt-5', monthlyBudget: null });
    await run.look();
    expect(await run.jobs()).toEqual([]);
    await run.lookAt('2026-11-30T09:00:00Z');
    expect(await run.runs(id)).toMatchObject([{ about: '2026-11-30', reason: null }, left]);
  };

  test('without a repository', () => skipped({ repository: null }, 'has no repository to work on'));

  test('where the budget cannot be held', () =>
    skipped({ model: 'compatible/mine', monthlyBudget: 5 }, 'The price of compatible/mine is not known'));

  test('while its last job is at work, and above its limit of a week', async () => {
    const run = await startAutomationRun({ start: '2026-11-22T12:00:00Z' });
    const { id } = await run.add({ ...daily, jobsPerWeek: 1 });
    await run.lookAt('2026-11-23T02:00:00Z');
    await run.lookAt('2026-11-24T02:00:00Z');
    await run.archive((await run.jobs())[0]?.id ?? '');
    await run.lookAt('2026-11-25T02:00:00Z');
    await run.lookAt('2026-11-30T02:00:00Z');
    expect((await run.runs(id)).map(({ about, reason }) => [about, reason])).toEqual([
      ['2026-11-30', null],
      ['2026-11-25', 'It has reached its limit of jobs in 7 days: 1.'],
      ['2026-11-24', 'The job that it started before is still running.'],
      ['2026-11-23', null],
    ]);
  });

  test('above what a project may start within an hour', async () => {
    const run = await startAutomationRun({ start: '2026-11-22T12:00:00Z' });
    const { id } = await run.add(monday);
    run.clock.set('2026-11-23T08:59:00Z');
    await Promise.all(
      Array.from({ length: 100 }, () => run.send('POST', 'job', { prompt: 'Do something.' })),
    );
    await run.lookAt('2026-11-23T09:00:00Z');
    expect(await run.runs(id)).toMatchObject([{ reason: expect.stringContaining('may have 100 jobs') }]);
  });
});

describe('what is no automation is refused with what to write instead', () => {
  test.each([
    [{ ...monday, name: ' ' }, 'name must not be empty'],
    [{ ...monday, recipe: undefined }, 'prompt must be given, or a recipe'],
    [{ ...monday, recipe: 'dance' }, 'recipe must be one of missing-pages, '],
    [{ ...monday, when: { kind: 'hourly' } }, 'when'],
    [{ ...monday, when: { ...monday.when, hour: 24 } }, 'when.hour must be from 0 to 23'],
    [{ ...monday, when: { ...monday.when, weekdays: [] } }, 'when.weekdays must name a weekday'],
    [{ ...monday, when: { ...monday.when, weekdays: ['someday'] } }, 'must be one of monday, '],
    [{ ...monday, when: { kind: 'monthly', day: 0, hour: 1 } }, 'when.day must be from 1 to 31'],
    [{ ...monday, when: { kind: 'unread_page', days: 3 } }, 'when.days must be from 14 to 365'],
    [
      { ...monday, when: { kind: 'release', repository: 'https://token@git.example/a/b' } },
      'when.repository must be an address such as https://github.com/owner/name, without a user name',
    ],
    [{ ...monday, jobsPerWeek: 0 }, 'jobsPerWeek must be from 1 to 50'],
  ])('%o', async (automation, sentence) => {
    const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z' });
    const response = await run.send('POST', 'automations', automation);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(sentence)]);
    expect(await run.list()).toEqual([]);
  });

  test('a change that would leave nothing to do, and one of what is not there', async () => {
    const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z' });
    const { id } = await run.add(monday);
    const response = await run.send('PATCH', `automations/${id}`, { recipe: null });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('prompt must be given, or a recipe'),
    ]);
    expect(await run.list()).toMatchObject([{ recipe: 'still-true' }]);
    const missing = [
      run.send('PATCH', 'automations/auto_none', { enabled: true }),
      run.send('DELETE', 'automations/auto_none'),
      run.send('GET', 'automations/auto_none/runs'),
    ];
    for (const { status } of await Promise.all(missing)) expect(status).toBe(404);
    expect((await run.send('DELETE', `automations/${id}`)).status).toBe(204);
    expect(await run.list()).toEqual([]);
  });
});
