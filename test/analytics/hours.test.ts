import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportCommand } from '../../server/commands/export.ts';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { projectCommand } from '../../server/operations/projects.ts';
import type { HoursReply } from '../../shared/reports/analytics.ts';
import { createClock, dayMs, hourMs } from '../support/clock.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { combined, type ImportRun, startImport } from '../support/import/import-run.ts';
import { select } from '../support/store/kept.ts';

const clock = createClock('2026-05-10T10:00:00Z');
let run: ImportRun;
let headcount: Headcount;

beforeEach(async () => {
  clock.set('2026-05-10T10:00:00Z');
  run = await startImport({ hosts: ['example.com'], keepHoursDays: 3 }, clock.now);
  headcount = run.headcount;
});
afterEach(() => run.stop());

const visit = (path = '/') => headcount.hit({ u: `https://example.com${path}` });
const seal = () => sealDueDays(headcount.context);
const ask = (query = '', of = headcount) =>
  of.get<HoursReply>(`/v1/analytics/${headcount.projectId}/hours${query}`);
const since = '?dateFrom=2026-05-01';

/** How many views each day has by the hour, those without one left out. */
async function read(query = since, of = headcount): Promise<Record<string, Record<number, number>>> {
  const { days } = await ask(query, of);
  return Object.fromEntries(
    days.map(({ date, hours }) => [
      date.slice(8),
      Object.fromEntries(hours.flatMap(({ hour, views }) => (views.total > 0 ? [[hour, views.total]] : []))),
    ]),
  );
}

/** By the command, beside the server. */
async function set(days: string): Promise<void> {
  await projectCommand.run(
    ['set', headcount.projectId, '--keep-hours', days],
    terminalOf(headcount, { now: clock.now }),
  );
  await headcount.context.registry.refresh();
}

async function visitOnFourDays(): Promise<void> {
  for (const day of ['10', '11', '12', '13']) {
    clock.set(`2026-05-${day}T${day}:30:00Z`);
    await visit();
    await seal();
  }
}

test('hours of as many days as a project asks for stay when days are sealed, and older ones go', async () => {
  await visitOnFourDays();
  expect(await read()).toEqual({ 10: { 10: 1 }, 11: { 11: 1 }, 12: { 12: 1 }, 13: { 13: 1 } });
  expect(await read('')).toEqual({ 12: { 12: 1 }, 13: { 13: 1 } });
  expect(await read('?dateFrom=2026-05-10&dateTo=2026-05-12')).toEqual({ 10: { 10: 1 }, 11: { 11: 1 } });
  clock.advance(dayMs);
  await seal();
  expect(await read()).toEqual({ 11: { 11: 1 }, 12: { 12: 1 }, 13: { 13: 1 }, 14: {} });
  expect((await ask()).days.map(({ hours }) => hours.length)).toEqual([24, 14]);
  const file = await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/hours${since}&format=csv`, {
    headers: { authorization: `Bearer ${headcount.adminKey}` },
  });
  expect((await file.text()).split('\r\n')).toHaveLength(1 + 3 * 24 + 14 + 1);
  expect((await headcount.views())['/']).toEqual({ human: 4, ai: 0, total: 4 });
});

test('fewer days, or none, drop what is beyond, of which nothing is left anywhere', async () => {
  await visitOnFourDays();
  clock.advance(hourMs);
  await set('2');
  await seal();
  expect(Object.keys(await read())).toEqual(['11', '12', '13']);
  await set('');
  await seal();
  expect(Object.keys(await read())).toEqual(['12', '13']);
  clock.advance(3 * dayMs);
  await seal();
  expect(await select(headcount, 'select day, span from counts where what = 26')).toEqual([]);
  // What is gone does not come back, and days that have none are not shown as if nobody had been there.
  await set('30');
  expect(Object.keys(await read())).toEqual(['15', '16']);
  expect(await headcount.context.store.check.findDamage()).toEqual([]);
});

test('a log brings the hours of days that keep them, and none to days that lost theirs', async () => {
  await set('');
  await visit();
  clock.advance(3 * dayMs);
  await seal();
  await set('30');
  const at = (day: string, hour: string) => combined({ at: `2026-05-${day}T${hour}:00:00Z` });
  const log = await run.write(
    'access.log',
    at('01', '07') + at('01', '08') + at('10', '09') + at('13', '10').repeat(2),
  );
  await run.import([log, '--merge', '--people', 'count']);
  expect(await read('?dateFrom=2026-04-01')).toMatchObject({ '01': { 7: 1, 8: 1 }, 13: { 10: 2 } });
  expect(Object.keys(await read())).not.toContain('10');
  await set('5');
  await seal();
  expect(Object.keys(await read())).not.toContain('01');
});

test('an exported project takes its hours along, with how long they are kept', async () => {
  await visitOnFourDays();
  const folder = await mkdtemp(join(tmpdir(), 'headcount-'));
  const file = join(folder, 'project.jsonl');
  await exportCommand.run(
    ['--project', headcount.projectId, file],
    terminalOf(headcount, { now: clock.now }),
  );
  const other = await startHeadcount({ now: clock.now });
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  await projectCommand.run(['import', file, '--json'], terminalOf(other, { now: clock.now, print }));
  await other.context.registry.refresh();
  const { adminKey } = JSON.parse(printed) as { adminKey: string };
  const get = async () => {
    const response = await fetch(
      `${other.url}/v1/analytics/${headcount.projectId}/hours?dateFrom=2026-05-01`,
      { headers: { authorization: `Bearer ${adminKey}` } },
    );
    return response.json();
  };
  expect(await get()).toEqual(await ask(since));
  expect(await readFile(file, 'utf8')).toContain('"keepHoursDays":3');
  clock.advance(2 * dayMs);
  await Promise.all([seal(), sealDueDays(other.context)]);
  expect(await get()).toEqual(await ask(since));
  await other.stop();
  await rm(folder, { recursive: true });
});

test.each([
  ['1', 'must be at least 2, as the hours of today and yesterday are kept anyway'],
  ['401', 'must be at most 400'],
  ['2.5', 'must be a number of days'],
  ['long', 'must be a number of days'],
])('--keep-hours %s is refused in words, and changes nothing', async (days, words) => {
  await expect(set(days)).rejects.toThrow(`--keep-hours ${words}.`);
  const number = Number(days);
  const path = `${headcount.url}/v1/projects/${headcount.projectId}`;
  const headers = { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ keepHoursDays: Number.isNaN(number) ? days : number });
  const refused = await fetch(path, { method: 'PATCH', headers, body });
  expect([refused.status, await errorOf(refused)]).toMatchObject([
    400,
    { details: [{ message: words, path: 'keepHoursDays' }] },
  ]);
  const project = await (await fetch(path, { headers })).json();
  expect(project).toMatchObject({ keepHoursDays: 3 });
});
