import { appendFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { forgetCommand } from '../../server/operations/project-paths.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import {
  aiClient,
  combined,
  type ImportRun,
  otherPerson,
  person,
  startImport,
} from '../support/import/import-run.ts';
import { isOnPostgres } from '../support/store/chosen-engine.ts';
import { readDays, readKept } from '../support/store/kept.ts';

const clock = createClock('2026-11-20T12:00:00Z');
let run: ImportRun;

beforeEach(() => start('2026-11-20T12:00:00Z'));
afterEach(() => run.stop());

/** A server seals what is due as it starts: where the clock is set back later, days may be closed by then. */
async function start(at: string): Promise<void> {
  clock.set(at);
  run = await startImport({ hosts: ['example.com'] }, clock.now);
}

const human = (count: number) => ({ human: count, ai: 0, total: count });

/** Somebody's visits to some pages on a day. */
const visits = (day: string, ip: string, paths: string[]) =>
  paths.map((path, i) => combined({ at: `${day}T10:00:${String(i).padStart(2, '0')}Z`, ip, path })).join('');

describe('days', () => {
  const old = '2026-03-01';

  test('of long ago count in every range, as if they had been sealed in their time', async () => {
    const days = Array.from({ length: 300 }, (_, i) => new Date(Date.parse('2026-01-01') + i * dayMs));
    const dates = days.map((day) => day.toISOString().slice(0, 10));
    const log = dates.map((date, i) => visits(date, `192.0.2.${i % 7}`, ['/', `/${i % 3}`])).join('');
    await run.import([await run.write('access.log', log)]);
    expect(await run.project.visitors()).toEqual({
      '/': human(300),
      '/0': human(100),
      '/1': human(100),
      '/2': human(100),
    });
    for (const [from, to] of [
      [0, 1],
      [3, 260],
      [17, 299],
      [64, 128],
    ] as const) {
      const range = { dateFrom: String(dates[from]), dateTo: String(dates[to]) };
      expect((await run.project.views(range))['/']).toEqual(human(to - from));
    }
  });

  test('of now count with what comes in live, once for who comes both ways', async () => {
    const today = '2026-11-20';
    clock.set(`${today}T23:00:00Z`);
    await run.headcount.hit(
      { u: 'https://example.com/' },
      { 'x-forwarded-for': '192.0.2.1', 'user-agent': person },
    );
    const log = await run.write(
      'access.log',
      combined({ at: `${today}T10:00:00Z`, ip: '192.0.2.1', path: '/a' }) +
        combined({ at: `${today}T10:00:00Z`, ip: '192.0.2.1', userAgent: otherPerson }),
    );
    await run.import([log, '--merge', '--people', 'count']);
    await run.headcount.hit(
      { u: 'https://example.com/a' },
      { 'x-forwarded-for': '192.0.2.1', 'user-agent': person },
    );
    expect(await run.project.visitors()).toEqual({ '/': human(2), '/a': human(1) });
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
    expect(await run.project.views()).toEqual({ '/': human(2), '/a': human(2) });
  });

  test('that a hit was counted on a moment ago are refused as well', async () => {
    await run.headcount.hit({ u: 'https://example.com/' }, { 'user-agent': person });
    const log = await run.write('access.log', combined({ at: '2026-11-20T10:00:00Z' }));
    await expect(run.import([log])).rejects.toThrow(/already holds counts that came another way/);
  });

  test('that hold counts from elsewhere are refused before anything is counted, unless merged', async () => {
    await run.stop();
    await start(`${old}T12:00:00Z`);
    const hit = await run.headcount.hit({ u: 'https://example.com/' }, { 'user-agent': person });
    expect(hit.status).toBe(202);
    clock.set('2026-11-20T12:00:00Z');
    await sealDueDays(run.headcount.context);
    const log = await run.write(
      'access.log',
      visits('2026-02-28', '192.0.2.1', ['/']) +
        visits(old, '192.0.2.1', ['/', '/a']) +
        combined({ at: `${old}T11:00:00Z`, userAgent: aiClient }),
    );
    await expect(run.import([log])).rejects.toThrow(
      /^2026-03-01 already holds counts that came another way\. --merge/,
    );
    expect(await run.project.views()).toEqual({ '/': human(1) });
    // People came by the script on that day, so the log adds the others only.
    expect(await run.import([log, '--merge'])).toMatchObject({
      counted: { people: 1, ai: 1 },
      notCounted: { left_to_script: 2 },
    });
    expect(await run.project.views()).toEqual({ '/': { human: 2, ai: 1, total: 3 } });
  });

  test('let people in or not as they are told', async () => {
    const log = await run.write(
      'access.log',
      visits(old, '192.0.2.1', ['/']) + combined({ at: `${old}T12:00:00Z`, userAgent: aiClient }),
    );
    expect(await run.import([log, '--people', 'skip'])).toMatchObject({
      counted: { people: 0, ai: 1 },
      notCounted: { left_to_script: 1 },
    });
  });

  test('whose visitors are forgotten take in what comes later, and are refused to anything else', async () => {
    const log = await run.write('access.log', visits(old, '192.0.2.1', ['/']));
    await run.import([log]);
    clock.advance(2 * dayMs);
    await sealDueDays(run.headcount.context);
    const other = await run.write('other.log', combined({ at: `${old}T09:00:00Z`, ip: '192.0.2.77' }));
    await expect(run.import([other])).rejects.toThrow(
      /^2026-03-01 already holds counts that an earlier import brought/,
    );
    await appendFile(log, combined({ at: `${old}T20:00:00Z`, path: '/later' }));
    expect((await run.import([log])).counted.people).toBe(1);
    expect((await run.import([other, '--merge'])).counted.people).toBe(1);
    expect(await run.project.views()).toEqual({ '/': human(2), '/later': human(1) });
  });

  test.each(['--before', '--details-before'])(
    'that were just counted and then forgotten (%s) count who comes again, on pages of other names too',
    async (option) => {
      const ips = ['192.0.2.1', '192.0.2.2'];
      const log = (paths: string[]) => ips.map((ip) => visits(old, ip, paths)).join('');
      await run.import([await run.write('first.log', log(['/', '/a', '/b']))]);
      await sealDueDays(run.headcount.context);
      const terminal = terminalOf(run.headcount, { now: clock.now });
      const { projectId } = run.headcount;
      await forgetCommand.run(['--project', projectId, option, '2026-03-02', '--yes'], terminal);
      expect(await run.project.visitors()).toEqual({});
      expect(await readDays(run.headcount)).toEqual({ salts: [], visitors: [], days: [] });
      const second = await run.write('second.log', log(['/c', '/d', '/e']));
      await run.import([second, '--merge', '--people', 'count']);
      expect(await run.project.visitors()).toEqual({ '/c': human(2), '/d': human(2), '/e': human(2) });
      expect(await run.project.views()).toEqual({ '/c': human(2), '/d': human(2), '/e': human(2) });
    },
  );

  test('are forgotten at the end, the first and the last a day later', async () => {
    const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'];
    await run.import([
      await run.write('access.log', days.map((day) => visits(day, '192.0.2.1', ['/'])).join('')),
    ]);
    const kept = async () => {
      const { salts, visitors } = await readDays(run.headcount);
      return [salts.length, visitors.length];
    };
    // PostgreSQL drops the visitors of a day's imports together, when the last of their salts is gone.
    const visitors = isOnPostgres ? 4 : 2;
    expect(await kept()).toEqual([2, visitors]);
    clock.advance(dayMs - 1000);
    await sealDueDays(run.headcount.context);
    expect(await kept()).toEqual([2, visitors]);
    clock.advance(1000);
    await sealDueDays(run.headcount.context);
    expect(await kept()).toEqual([0, 0]);
    expect((await readKept(run.headcount)).holds('192.0.2.1')).toBe(false);
    expect(await run.project.views()).toEqual({ '/': human(4) });
  });
});
