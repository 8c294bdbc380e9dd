import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportCommand } from '../../server/commands/export.ts';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { projectCommand } from '../../server/operations/projects.ts';
import type { VisitPagesReply } from '../../shared/reports/analytics.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { aiClient, combined, type ImportRun, person, startImport } from '../support/import/import-run.ts';

const clock = createClock('2026-05-10T10:00:00Z');
let run: ImportRun;
let headcount: Headcount;

beforeEach(async () => {
  clock.set('2026-05-10T10:00:00Z');
  run = await startImport({ hosts: ['example.com'] }, clock.now);
  headcount = run.headcount;
});
afterEach(() => run.stop());

const address = (report: string) => `/v1/analytics/${headcount.projectId}/${report}`;
const ask = (report: string) => headcount.get<VisitPagesReply>(address(report));
const fetchReport = (report: string) =>
  fetch(`${headcount.url}${address(report)}`, { headers: { authorization: `Bearer ${headcount.adminKey}` } });

/** By path: people, AI, both, and the single-page visits of people. */
async function read(report: string) {
  const { pages } = await ask(report);
  return Object.fromEntries(
    pages.map(({ path, human, ai, total, singlePageHuman }) => [path, [human, ai, total, singlePageHuman]]),
  );
}

/** Somebody's view, so many minutes ago. */
const report = (path: string, minutes: number, ip = '198.51.100.1', userAgent = person) => ({
  url: `https://example.com${path}`,
  ip,
  userAgent,
  at: new Date(clock.now() - minutes * 60_000).toISOString(),
});

test('visits are told by the page on which they began and ended, and stay when the day is sealed', async () => {
  await headcount.hits([report('/second', 20), report('/last', 10)]);
  await headcount.hits([report('/first', 30), report('/first', 5, '198.51.100.2')]);
  await headcount.hits([
    report('/first', 3, '192.0.2.1', aiClient),
    report('/last', 2, '192.0.2.1', aiClient),
  ]);
  const entries = { '/first': [2, 1, 3, 1] };
  const exits = { '/last': [1, 1, 2, 0], '/first': [1, 0, 1, 1] };
  expect([await read('entry-pages'), await read('exit-pages')]).toEqual([entries, exits]);
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  expect([await read('entry-pages'), await read('exit-pages')]).toEqual([entries, exits]);
  expect(await ask('entry-pages')).toMatchObject({
    totals: { human: 2, ai: 1, total: 3, singlePageHuman: 1, singlePageAi: 0, singlePageTotal: 1 },
    unmeasured: null,
    measured: { people: true, ai: true },
  });
  const file = await fetchReport('exit-pages?format=csv');
  expect(file.headers.get('x-headcount-uniques')).toBe('daily');
  expect(await file.text()).toBe(
    '"path","human","ai","total","singlePageHuman","singlePageAi","singlePageTotal"\r\n"/last",1,1,2,0,0,0\r\n"/first",1,0,1,1,0,1\r\n',
  );
  expect((await errorOf(await fetchReport('entry-pages?source=ChatGPT'))).error).toContain(
    '"entry-pages" has no filter "source". Available: path, dateFrom,',
  );
});

test('whoever goes on moves from page to page in reports that are asked again and again', async () => {
  const seen: unknown[] = [];
  const later = '198.51.100.2';
  const hits = [
    report('/b', 20),
    report('/c', 10),
    report('/a', 30),
    report('/a', 5, later),
    report('/c', 1, later),
  ];
  for (const hit of hits) {
    await headcount.hits([hit]);
    seen.push([await read('entry-pages'), await read('exit-pages')]);
  }
  expect(seen).toEqual([
    [{ '/b': [1, 0, 1, 1] }, { '/b': [1, 0, 1, 1] }],
    [{ '/b': [1, 0, 1, 0] }, { '/c': [1, 0, 1, 0] }],
    [{ '/a': [1, 0, 1, 0] }, { '/c': [1, 0, 1, 0] }],
    [{ '/a': [2, 0, 2, 1] }, { '/c': [1, 0, 1, 0], '/a': [1, 0, 1, 1] }],
    [{ '/a': [2, 0, 2, 0] }, { '/c': [2, 0, 2, 0] }],
  ]);
  expect(await ask('exit-pages?path=/c')).toMatchObject({
    totals: { human: 2, total: 2, singlePageTotal: 0 },
  });
  expect(await ask('exit-pages?path=/a')).toMatchObject({ totals: { human: 0, total: 0 }, pages: [] });
});

test('logs of past days bring visits, and go on with those that were counted before', async () => {
  const at = (day: string, time: string, path: string) => combined({ at: `2026-05-${day}T${time}Z`, path });
  const log = await run.write(
    'access.log',
    at('01', '09:00:00', '/b') + at('01', '08:00:00', '/a') + at('02', '08:00:00', '/a'),
  );
  await run.import([log, '--people', 'count']);
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  expect(await read('entry-pages')).toEqual({ '/a': [2, 0, 2, 1] });
  const more = await run.write('more.log', at('02', '12:00:00', '/c'));
  await run.import([more, '--merge', '--people', 'count']);
  expect(await read('exit-pages')).toEqual({ '/a': [1, 0, 1, 1], '/b': [1, 0, 1, 0], '/c': [1, 0, 1, 1] });
  expect((await ask('exit-pages')).unmeasured).toBeNull();
});

test('an exported project takes its visits and conversions along, those of open days too', async () => {
  const settings = ['set', headcount.projectId, '--goal', '/c', '--funnel', '/a > /c'];
  await projectCommand.run(settings, terminalOf(headcount, { now: clock.now }));
  await headcount.context.registry.refresh();
  await headcount.hits([report('/a', 20), report('/b', 10)]);
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
  await headcount.hits([report('/a', 20), report('/c', 10)]);
  const expected = { entries: await read('entry-pages'), exits: await read('exit-pages') };
  expect(expected).toEqual({
    entries: { '/a': [2, 0, 2, 0] },
    exits: { '/b': [1, 0, 1, 0], '/c': [1, 0, 1, 0] },
  });
  const folder = await mkdtemp(join(tmpdir(), 'headcount-'));
  const file = join(folder, 'project.jsonl');
  const options = { now: clock.now };
  await exportCommand.run(['--project', headcount.projectId, file], terminalOf(headcount, options));
  const other = await startHeadcount(options);
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  await projectCommand.run(['import', file, '--json'], terminalOf(other, { ...options, print }));
  await other.context.registry.refresh();
  const { adminKey } = JSON.parse(printed) as { adminKey: string };
  const readThere = async (name: string) => {
    const response = await fetch(`${other.url}${address(name)}`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    return (await response.json()) as VisitPagesReply;
  };
  for (const name of ['entry-pages', 'exit-pages', 'goals', 'goals/%2Fc/entry-pages', 'funnels']) {
    expect(await readThere(name)).toEqual(await ask(name));
  }
  expect(await ask('goals/%2Fc/entry-pages')).toMatchObject({ totals: { people: 2, conversions: 1 } });
  await other.stop();
  await rm(folder, { recursive: true });
});
