import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommand } from '../../../server/commands/check/check.ts';
import { toDay } from '../../../server/counting/calendar.ts';
import type { Problem } from '../../../server/ingest/sealing/calendar-check.ts';
import { sealDueDays } from '../../../server/ingest/sealing/sealer.ts';
import { createClock, dayMs, hourMs } from '../../support/clock.ts';
import { terminalOf } from '../../support/commands/terminal.ts';
import { type Headcount, startHeadcount } from '../../support/headcount.ts';

const clock = createClock('2026-05-07T12:00:00Z');
const dayOf = (date: string) => toDay(Temporal.PlainDate.from(date));
const wrongDay = '2027-06-14';
let headcount: Headcount;

beforeEach(async () => {
  clock.set('2026-05-07T12:00:00Z');
  // Both clocks go wrong together, as for a version that knew of one only.
  headcount = await startHeadcount({ now: clock.now });
});
afterEach(() => headcount.stop());

interface Checked {
  problems: Problem[];
  left?: Problem[];
  printed: string;
  failure: string | undefined;
}

/** Runs the command beside the running server. */
async function check(...args: string[]): Promise<Checked> {
  let printed = '';
  const terminal = terminalOf(headcount, {
    print: (text) => {
      printed += text;
    },
  });
  let failure: string | undefined;
  await checkCommand.run(args, terminal).catch((error: Error) => {
    failure = error.message;
  });
  const parsed = args.includes('--json') && printed !== '' ? JSON.parse(printed) : { problems: [] };
  return { ...parsed, printed, failure };
}

async function visit(...visitors: number[]): Promise<number[]> {
  const answers = visitors.map((n) =>
    headcount.hit({ u: `https://example.com/${n}` }, { 'x-forwarded-for': `203.0.113.${n}` }),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

/** Four days as they should be, and then what 400 days too many did within a minute. */
async function ruin(): Promise<void> {
  for (const date of ['2026-05-07', '2026-05-08', '2026-05-09', '2026-05-10']) {
    clock.set(`${date}T12:00:00Z`);
    await visit(1, 2, 3);
    await sealDueDays(headcount.context);
  }
  clock.advance(400 * dayMs);
  await visit(1, 4, 5);
  await sealDueDays(headcount.context);
  clock.advance(-400 * dayMs + hourMs);
}

function query(sql: string): unknown[] {
  const db = new Database(join(headcount.dataDir, 'headcount.db'), { readonly: true });
  const rows = db.prepare(sql).raw().all();
  db.close();
  return rows;
}

async function viewsOf(from: number, to: number): Promise<number> {
  const { projectId, context } = headcount;
  const range = { projectId, from, to, limit: 1, offset: 0 };
  return (await context.store.readCounts({ ...range, dimension: 'path', measure: 'views' })).totals.total;
}

const kindsOf = (problems: Problem[] = []) => problems.map(({ kind }) => kind).sort();

test('finds nothing wrong where nothing is', async () => {
  await visit(1);
  await sealDueDays(headcount.context);
  expect(await check()).toMatchObject({
    printed: expect.stringMatching(/^Nothing is wrong\.\n/),
    failure: undefined,
  });
  expect((await check('--repair')).failure).toBeUndefined();
});

describe('what a wrong clock left', () => {
  test('is reported, with what a repair would do, and nothing is changed', async () => {
    await ruin();
    expect(await visit(6)).toEqual([503]);
    const before = query('select * from counts order by 1, 2, 3, 4, 5, 6');
    const { problems, failure } = await check('--json');
    expect(kindsOf(problems)).toEqual(['future_counts', 'future_salts', 'sealed_ahead']);
    expect(failure).toMatch(/^3 problems were found, and nothing was changed\. .*--repair/);
    const { printed } = await check();
    expect(printed).toContain('The clock says 2026-05-10T13:00:00.000Z.');
    expect(printed).toContain(`${wrongDay} (views: 3 human, 0 AI)`);
    expect(query('select * from counts order by 1, 2, 3, 4, 5, 6')).toEqual(before);
    expect(await visit(6)).toEqual([503]);
  });

  test('is repaired beside the running server, which counts again at once', async () => {
    await ruin();
    const { problems, left, failure } = await check('--repair', '--json');
    expect([kindsOf(problems), kindsOf(left), failure]).toEqual([
      ['future_counts', 'future_salts', 'sealed_ahead'],
      ['future_counts'],
      undefined,
    ]);
    expect(query('select sealed_through from projects')).toEqual([[dayOf('2026-05-08')]]);
    expect(query("select actor_kind, changes from audit where action = 'calendar.repaired'")).toEqual([
      ['command', '["sealed_ahead","future_counts","future_salts"]'],
    ]);
    expect(query('select distinct day from days order by day')).toEqual([
      [dayOf('2026-05-09')],
      [dayOf('2026-05-10')],
    ]);
    expect(await visit(1, 7)).toEqual([202, 202]);
    // Nobody knows when they were counted.
    expect(await viewsOf(dayOf(wrongDay), dayOf(wrongDay) + 1)).toBe(3);
    expect(await viewsOf(dayOf('2026-05-10'), dayOf('2026-05-11'))).toBe(5);
  });

  test.each(['2026-05-10', '2026-05-07'])(
    'can be moved to %s, and every range adds up then and later',
    async (date) => {
      await ruin();
      const { left, failure } = await check('--repair', '--move-to', date, '--json');
      expect([left, failure]).toEqual([[], undefined]);
      await visit(8);
      const first = dayOf('2026-05-01');
      for (const days of [0, 3, 30, 300]) {
        clock.advance(days * dayMs);
        await sealDueDays(headcount.context);
        const [whole, moved] = [await viewsOf(0, 100_000), await viewsOf(dayOf(date), dayOf(date) + 1)];
        expect([whole, moved]).toEqual([4 * 3 + 3 + 1, date === '2026-05-10' ? 7 : 6]);
        const oneByOne: number[] = [];
        for (let day = first; day < first + 12; day++) oneByOne.push(await viewsOf(day, day + 1));
        for (const [from, to] of [
          [0, 12],
          [3, 9],
          [5, 10],
          [6, 11],
        ] as const) {
          const sum = oneByOne.slice(from, to).reduce((total, views) => total + views, 0);
          expect(await viewsOf(first + from, first + to)).toBe(sum);
        }
        expect(await viewsOf(first - 200, first + 500)).toBe(16);
      }
      expect(query('select count(*) from days')).toEqual([[0]]);
    },
  );

  test('of salts is deleted for good, with the visitors', async () => {
    const { store, saltCipher } = headcount.context;
    const { projectId } = headcount;
    await ruin();
    const day = dayOf('2026-01-01');
    const given = { salt: saltCipher.make({ projectId, day }), forgetAt: clock.now() + 400 * dayMs };
    await store.imports.openDay(projectId, day, given);
    const { problems } = await check('--json');
    expect(kindsOf(problems)).toContain('kept_salts');
    const salts = query(`select salt from days where day in (${day}, ${dayOf(wrongDay)})`) as [Buffer][];
    expect(salts).toHaveLength(2);
    expect((await check('--repair')).failure).toBeUndefined();
    const bytes = await readFile(join(headcount.dataDir, 'headcount.db'));
    for (const [salt] of salts) expect(bytes.includes(salt)).toBe(false);
    expect(query('select count(*) from seen where day not in (select id from days)')).toEqual([[0]]);
    expect(query('select count(*) from newly_seen where day not in (select id from days)')).toEqual([[0]]);
  });

  test('in one project is repaired without touching another', async () => {
    await ruin();
    const other = await headcount.addProject();
    expect((await check('--repair', '--project', other.projectId)).printed).toBe('Nothing is wrong.\n');
    expect(await visit(6)).toEqual([503]);
    expect((await other.hit({ u: 'https://example.com/' })).status).toBe(202);
  });

  test.each([
    [['--repair', '--move-to', 'yesterday'], /must be a date such as/],
    [['--repair', '--move-to', '2026-02-30'], /must be a date such as/],
    [['--repair', '--move-to', '2026-05-12'], /must be a day that has begun/],
    [['--move-to', '2026-05-10'], /goes with --repair/],
    [['--project', 'none'], /no project none/],
  ])('is not repaired with %j', async (args, message) => {
    await ruin();
    expect((await check(...args)).failure).toMatch(message);
    expect(await visit(6)).toEqual([503]);
  });
});

test('days that should have been sealed are told', async () => {
  await visit(1);
  clock.advance(5 * dayMs);
  const { problems } = await check('--json');
  expect(kindsOf(problems)).toEqual(['overdue_salts']);
  await sealDueDays(headcount.context);
  expect((await check('--json')).problems).toEqual([]);
});

test('rows that belong to nothing are told as damage', async () => {
  const db = new Database(join(headcount.dataDir, 'headcount.db'));
  db.pragma('foreign_keys = OFF');
  db.exec(
    "insert into keys (id, hash, name, scope, project, created_at) values ('k', 'h', '', 'admin', 4711, '')",
  );
  db.close();
  const { printed, failure } = await check('--repair');
  expect(printed).toContain(
    'Database: The file is damaged: A row of keys belongs to a row of projects that is not there',
  );
  expect(failure).toBe('Not all could be repaired.');
});
