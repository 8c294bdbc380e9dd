import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toDay } from '../../server/counting/calendar.ts';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import type { Count } from '../../shared/reports/analytics.ts';
import { runHeadcount, startProcess } from '../support/child.ts';
import { createClock } from '../support/clock.ts';
import { type Run, runHere } from '../support/commands/command.ts';
import { databaseIn, query, temporaryFolders } from '../support/data-folders.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { type Released, releasedKey, releasedSchemas, unpackReleased } from '../support/releases/released.ts';

const newFolder = temporaryFolders();
let env: Record<string, string>;
let made: Released;
let folder: string;

beforeEach(async () => {
  ({ env, made, folder } = unpackReleased(releasedSchemas.at(-1) as string, await newFolder()));
});

const forget = (...args: string[]) => runHere(['forget', '--project', made.projectId, ...args], env);

interface Line {
  type: string;
  day?: string;
  of?: string;
  name?: string;
  tally?: string;
}

/** The lines about days. */
async function exported(run: Run = runHere): Promise<Line[]> {
  const { stdout } = await run(['export', '--project', made.projectId, '-'], env);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return lines.filter(({ day }) => day !== undefined);
}

/** What the audit list has of it, the newest first. */
const noted = (): string[] =>
  query<string>(databaseIn(folder), 'select action || changes from audit order by id desc');

/** Of a server on the folder: that ranges are the sums of their days, whatever blocks they are read from. */
async function expectSumsOfDays(url: string): Promise<void> {
  const get = async <T>(path: string) => {
    const response = await fetch(`${url}/v1/analytics/${made.projectId}/${path}`, {
      headers: { authorization: `Bearer ${made.adminKey}` },
    });
    return (await response.json()) as T;
  };
  const visitors = (from: string, to: string) =>
    get<{ totals: Count; visitors: (Count & { path: string })[] }>(
      `visitors?limit=250&dateFrom=${from}&dateTo=${to}`,
    );
  const { days } = await get<{ days: { date: string; visitors: Count }[] }>(
    'series?dateFrom=2026-10-01&dateTo=2026-12-01',
  );
  const paths = new Map<string, number>();
  for (const { date } of days) {
    const next = String(Temporal.PlainDate.from(date).add({ days: 1 }));
    for (const { path, total } of (await visitors(date, next)).visitors)
      paths.set(path, (paths.get(path) ?? 0) + total);
  }
  const whole = await visitors('2020-01-01', '2030-01-01');
  expect(whole.totals.total).toBe(days.reduce((sum, day) => sum + day.visitors.total, 0));
  expect(new Map(whole.visitors.map(({ path, total }) => [path, total]))).toEqual(paths);
}

describe('days before a date', () => {
  test('are only listed at first, and then deleted, with all that is counted by', async () => {
    const before = await exported();
    const notedBefore = noted();
    const told = await forget('--before', '2026-11-02');
    expect([told.code, told.stdout]).toEqual([
      0,
      'All counts of 2 days (2026-10-28 to 2026-11-01) would be deleted. Nothing was changed: add --yes to do it.\n',
    ]);
    expect(await exported()).toEqual(before);
    expect(noted()).toEqual(notedBefore);
    const { stdout } = await forget('--before', '2026-11-02', '--yes');
    expect(stdout).toBe('All counts of 2 days (2026-10-28 to 2026-11-01) were deleted.\n');
    expect(noted()).toEqual(['days.forgotten["all before 2026-11-02"]', ...notedBefore]);
    const kept = before.filter(({ day = '' }) => day >= '2026-11-02');
    expect(kept.length).toBeLessThan(before.length);
    expect(await exported()).toEqual(kept);
    const server = await startProcess(env);
    await expectSumsOfDays(server.url);
    server.signal('SIGTERM');
    await server.ended;
  });

  test('lose their details and keep the sums of the site; names that nothing has any more are gone', async () => {
    const before = await exported();
    await forget('--details-before', '2026-11-20', '--yes');
    const isDetail = ({ type, of, tally }: Line) =>
      (type === 'count' && of !== 'site') || (type === 'tally' && tally !== 'data-sources');
    expect(await exported()).toEqual(
      before.filter((line) => !isDetail(line) || (line.day as string) >= '2026-11-20'),
    );
    const names = query<string>(databaseIn(folder), "select text from names where text like '/old/%'");
    expect(names).toEqual([]);
    expect(query(databaseIn(folder), "select count(*) from names where text like '/guide/%'")).not.toEqual([
      0,
    ]);
  });

  test.each([
    ['--before', { details: null, counts: '2026-11-02' }],
    ['--details-before', { details: '2026-11-02', counts: null }],
  ])('leave nothing where a kill comes before the last step of %s', async (option, { details, counts }) => {
    const asDay = (date: string | null) => (date === null ? null : toDay(Temporal.PlainDate.from(date)));
    const cutoffs = { details: asDay(details), counts: asDay(counts) };
    const store = await openSqliteStore(folder);
    let isFirst = true;
    while (await store.retention.forgetSome(made.projectId, cutoffs, isFirst)) isFirst = false;
    await store.close();
    const { stdout } = await forget(option, '2026-11-02', '--yes');
    expect(stdout).toMatch(/were deleted|Nothing was changed/);
    const afterKill = await exported();
    const names = query(databaseIn(folder), 'select text from names order by what, text');
    ({ env, made, folder } = unpackReleased(releasedSchemas.at(-1) as string, await newFolder()));
    await forget(option, '2026-11-02', '--yes');
    expect(afterKill).toEqual(await exported());
    expect(names).toEqual(query(databaseIn(folder), 'select text from names order by what, text'));
  });

  test('are deleted beside a running server, and days that are open stay', async () => {
    const server = await startProcess(env);
    const { stdout } = await forget('--before', '2099-01-01', '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ done: true, from: '2026-10-28' });
    await expectSumsOfDays(server.url);
    server.signal('SIGTERM');
    await server.ended;
    const [sealed] = query<number>(databaseIn(folder), 'select sealed_through from projects');
    expect(
      query(databaseIn(folder), `select count(*) from counts where span = 1 and day <= ${sealed}`),
    ).toEqual([0]);
  });
});

test('paths are forgotten by the same command', async () => {
  const { stdout } = await forget('--path', '/old/1', '--path', '/old/2', '--yes', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    done: true,
    paths: [
      { from: '/old/1', to: null },
      { from: '/old/2', to: null },
    ],
  });
  const names = new Set((await exported()).flatMap(({ name }) => name ?? []));
  expect([names.has('/old/1'), names.has('/old/2'), names.has('/old/3')]).toEqual([false, false, true]);
  expect(noted()[0]).toBe('paths.forgotten["paths: 2"]');
});

test.each([
  [[], 2, /Give one of --path/],
  [['--path', '/a', '--before', '2026-01-01'], 2, /Give one of --path/],
  [['--before', '2026-02-30'], 2, /must be a date/],
])('nothing is forgotten with %j', async (args, expected, message) => {
  const { code, stderr } = await forget(...args);
  expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
});

describe('a project that keeps details for one month and counts for two', () => {
  const clock = createClock('2026-11-25T12:00:00Z');
  let headcount: Headcount;

  beforeEach(async () => {
    clock.set('2026-11-25T12:00:00Z');
    await runHeadcount(
      ['project', 'set', made.projectId, '--keep-details', '1', '--keep-counts', '2', '--time-zone', 'UTC'],
      env,
    );
    headcount = await startHeadcount({
      dataDir: folder,
      now: clock.now,
      env: { HEADCOUNT_SECRET_KEY: releasedKey },
    });
  });
  afterEach(() => headcount.stop());

  test('forgets both day by day, as they grow old', async () => {
    const at = async (time: string) => {
      clock.set(time);
      await sealDueDays(headcount.context);
      const lines = await exported(runHeadcount);
      const days = (of: (line: Line) => boolean) =>
        [...new Set(lines.filter((line) => line.type === 'count' && of(line)).map(({ day }) => day))].sort();
      await expectSumsOfDays(headcount.url);
      return [days(({ of }) => of === 'site')[0], days(({ of }) => of === 'path')[0]];
    };
    expect(await at('2026-11-25T12:00:00Z')).toEqual(['2026-10-28', '2026-10-28']);
    expect(await at('2026-12-02T12:00:00Z')).toEqual(['2026-10-28', '2026-11-02']);
    expect(await at('2026-12-30T12:00:00Z')).toEqual(['2026-11-01', undefined]);
    expect(await at('2027-01-03T12:00:00Z')).toEqual(['2026-11-03', undefined]);
  });
});
