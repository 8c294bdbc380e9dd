import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandLine } from '../../server/audit/audit-list.ts';
import { checkCommand } from '../../server/commands/check/check.ts';
import { exportCommand } from '../../server/commands/export.ts';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { forgetCommand } from '../../server/operations/project-paths.ts';
import { projectCommand } from '../../server/operations/projects.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import type { ProjectClient } from '../support/headcount.ts';
import { startFollowing } from '../support/import/following.ts';
import {
  aiClient,
  bot,
  combined,
  type ImportRun,
  type LoggedRequest,
  otherPerson,
  person,
  startImport,
} from '../support/import/import-run.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { isOnPostgres } from '../support/store/chosen-engine.ts';
import { execute } from '../support/store/kept.ts';

const clock = createClock('2026-11-20T12:00:00Z');
const today = '2026-11-20';
let run: ImportRun;

beforeEach(async () => {
  clock.set('2026-11-20T12:00:00Z');
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

const reports = [
  ...['visitors', 'views', 'sources', 'countries', 'languages', 'devices', 'browsers', 'systems'],
  ...['ai-clients', 'series', 'entry-pages', 'exit-pages', 'dropped', 'data-sources', 'ai-formats'],
  ...['ai-failures', 'ai-bytes', 'utm-campaigns', 'utm-sources', 'series?browser=Chrome&source=Google'],
];

/** All that is said of a project. */
async function everything({ projectId, get }: ProjectClient): Promise<Record<string, unknown>> {
  const read = async (report: string) => {
    const { asOf: _, ...reply } = await get<Record<string, unknown>>(
      `/v1/analytics/${projectId}/${report}${report.includes('?') ? '&' : '?'}dateFrom=2026-02-01&dateTo=2026-12-01`,
    );
    return [report, reply] as const;
  };
  return Object.fromEntries(await Promise.all(reports.map(read)));
}

/** Without visitors, who stay on closed days. */
async function viewsIn(project: ProjectClient): Promise<unknown> {
  const { dropped, views } = await everything(project);
  return { dropped, views, byPage: await project.views() };
}

const logOf = (requests: readonly LoggedRequest[]) => requests.map(combined).join('');

/** Four kinds of senders on some days. */
const requests = (days: readonly string[], ip = '198.51.100') =>
  days.flatMap((day) =>
    Array.from({ length: 12 }, (_, i): LoggedRequest => {
      const userAgent = [person, otherPerson, aiClient, bot][i % 4] as string;
      const at = `${day}T${String(i).padStart(2, '0')}:30:00Z`;
      const referrer = i % 3 === 0 ? 'https://www.google.com/' : '-';
      const status = i % 7 === 6 ? 404 : 200;
      return {
        at,
        ip: `${ip}.${i % 5}`,
        path: `/page-${i % 4}?utm_source=s${i % 2}`,
        userAgent,
        referrer,
        status,
      };
    }),
  );

const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'];

const hit = (project: ProjectClient, ip: string, path: string, userAgent = person) =>
  project.hit(
    { p: project.projectId, u: `https://example.com${path}` },
    { 'x-forwarded-for': ip, 'user-agent': userAgent },
  );

async function undo(project: ProjectClient, given: string): Promise<Undone> {
  return (await run.import(['--undo', given], { project })) as unknown as Undone;
}

interface Undone {
  import: number;
  views: { people: number; ai: number };
  days: { takenBack: string[]; visitorsLeft: string[]; notKept: string[] };
}

interface Listed {
  imports: {
    id: number;
    file: string;
    lines: number;
    views: { people: number; ai: number };
    firstDay: string;
  }[];
}

const list = async (project: ProjectClient) =>
  ((await run.import(['--list'], { project })) as unknown as Listed).imports;

/** Undoes the import in an order of the days of which each is a transaction. */
describe('an import is taken back', () => {
  test('from closed days that hold nothing else, and can be given again as if for the first time', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const empty = await everything(project);
    const log = await run.write('access.log', logOf(requests(days)));
    const first = await run.import([log], { project });
    const counted = await everything(project);
    expect(await undo(project, log)).toMatchObject({
      views: first.counted,
      days: { takenBack: days, visitorsLeft: [], notKept: [] },
    });
    expect(await everything(project)).toEqual(empty);
    expect(await run.import([log], { project })).toEqual(first);
    expect(await everything(project)).toEqual(counted);
  });

  test('after the throw-away salts of its days are gone, and after a restart of the command', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const empty = await everything(project);
    const log = await run.write('access.log', logOf(requests(days)));
    await run.import([log], { project });
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
    expect((await undo(project, log)).days.takenBack).toEqual(days);
    expect(await everything(project)).toEqual(empty);
  });

  test('from an active day, on which hits came before it and after it, from the same visitors and others', async () => {
    const send = async (project: ProjectClient, withImport: () => Promise<unknown>) => {
      await hit(project, '192.0.2.1', '/');
      await hit(project, '192.0.2.2', '/live', otherPerson);
      await withImport();
      await hit(project, '192.0.2.1', '/later');
      await hit(project, '192.0.2.3', '/shared', otherPerson);
      await hit(project, '192.0.2.4', '/live');
    };
    const project = await run.addProject({ hosts: ['example.com'] });
    const alone = await run.addProject({ hosts: ['example.com'] });
    const at = (hour: number) => `${today}T0${hour}:00:00Z`;
    const log = await run.write(
      'access.log',
      logOf([
        { at: at(1), ip: '192.0.2.1', path: '/' },
        { at: at(2), ip: '192.0.2.1', path: '/only-logged' },
        { at: at(3), ip: '192.0.2.3', path: '/shared', userAgent: otherPerson },
        { at: at(3), ip: '192.0.2.3', path: '/only-logged', userAgent: otherPerson },
        { at: at(4), ip: '192.0.2.9', path: '/live', referrer: 'https://www.google.com/' },
        { at: at(5), ip: '192.0.2.8', path: '/', userAgent: aiClient },
        ...requests([today]).slice(0, 8),
      ]),
    );
    await send(project, () => run.import([log, '--merge', '--people', 'count'], { project }));
    await send(alone, async () => undefined);
    expect(await everything(project)).not.toEqual(await everything(alone));
    expect((await undo(project, log)).days).toEqual({ takenBack: [today], visitorsLeft: [], notKept: [] });
    expect(await everything(project)).toEqual(await everything(alone));
    // What comes in afterwards finds the visitors as they are.
    for (const each of [project, alone]) {
      await hit(each, '192.0.2.1', '/only-logged');
      await hit(each, '192.0.2.9', '/live');
      await hit(each, '192.0.2.8', '/', aiClient);
    }
    expect(await everything(project)).toEqual(await everything(alone));
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
    expect(await everything(project)).toEqual(await everything(alone));
  });

  test.skipIf(!isOnPostgres)('from days whose visitors are divided among many shards', async () => {
    const projects = [];
    for (const _ of ['project', 'alone']) projects.push(await run.addProject({ hosts: ['example.com'] }));
    await execute(run.headcount, 'update projects set buckets = 64');
    const [project, alone] = projects as [ProjectClient, ProjectClient];
    const files = [
      await run.write('first.log', logOf(requests([...days, today]))),
      await run.write('second.log', logOf(requests([today], '203.0.113'))),
    ] as const;
    for (const each of projects) for (let i = 0; i < 9; i++) await hit(each, `192.0.2.${i}`, `/${i % 2}`);
    for (const file of files) await run.import([file, '--merge', '--people', 'count'], { project });
    await run.import([files[1], '--merge', '--people', 'count'], { project: alone });
    await undo(project, files[0]);
    expect(await everything(project)).toEqual(await everything(alone));
    for (const each of projects) for (let i = 0; i < 9; i++) await hit(each, `192.0.2.${i}`, '/page-1');
    expect(await everything(project)).toEqual(await everything(alone));
    expect(await run.headcount.context.store.check.findDamage()).toEqual([]);
  });

  test('while another one on the same active day stays, in either order', async () => {
    const shared = requests([today]).slice(0, 8);
    const texts = [
      logOf([...shared, { at: `${today}T09:00:00Z`, ip: '192.0.2.1', path: '/first' }]),
      logOf([...shared.map((one) => ({ ...one, path: '/second' })), ...requests([today], '203.0.113')]),
    ] as const;
    for (const [taken, left] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const project = await run.addProject({ hosts: ['example.com'] });
      const alone = await run.addProject({ hosts: ['example.com'] });
      const files = [
        await run.write('first.log', texts[0]),
        await run.write('second.log', texts[1]),
      ] as const;
      for (const file of files) await run.import([file], { project });
      await run.import([files[left]], { project: alone });
      await undo(project, files[taken]);
      expect(await everything(project)).toEqual(await everything(alone));
      await undo(project, files[left]);
      expect((await everything(project)).visitors).toMatchObject({ totals: { total: 0 } });
    }
  });

  test('from a closed day with other counts as far as it can be told, which is said', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const day = days[0] as string;
    const first = await run.write('first.log', logOf(requests([day])));
    const second = await run.write('second.log', logOf(requests([day], '203.0.113')));
    const alone = await run.addProject({ hosts: ['example.com'] });
    await run.import([first, second], { project });
    await run.import([second], { project: alone });
    clock.advance(3 * dayMs);
    await sealDueDays(run.headcount.context);
    expect((await undo(project, first)).days).toEqual({ takenBack: [], visitorsLeft: [day], notKept: [] });
    expect(await project.views()).toEqual(await alone.views());
    const { dropped, 'data-sources': dataSources } = await everything(project);
    expect({ dropped, 'data-sources': dataSources }).toEqual(
      Object.fromEntries(
        Object.entries(await everything(alone)).filter(
          ([name]) => name === 'dropped' || name === 'data-sources',
        ),
      ),
    );
    const [visitors, views] = [await project.visitors(), await project.views()];
    for (const [path, { human, ai }] of Object.entries(visitors)) {
      expect(human).toBeLessThanOrEqual(views[path]?.human ?? 0);
      expect(ai).toBeLessThanOrEqual(views[path]?.ai ?? 0);
    }
    const text = await run.show(['--list']);
    expect(text).toBe('No log was imported.\n');
  });

  test('in words, and twice only once', async () => {
    const log = await run.write('access.log', logOf(requests(days)));
    await run.import([log]);
    const [listed] = await list(run.project);
    expect(listed).toMatchObject({ file: log, firstDay: days[0], views: { people: 24, ai: 8 } });
    expect(await run.show(['--list'])).toMatch(/^IMPORT +LAST READ +LINES/);
    expect(await run.show(['--undo', String(listed?.id)])).toContain('is taken back: 32 views.');
    await expect(run.show(['--undo', log])).rejects.toThrow(
      /is no import of this project.*Nothing was changed/,
    );
    const { entries } = await run.headcount.get<AuditReply>(`/v1/projects/${run.headcount.projectId}/audit`);
    expect(entries.filter(({ action }) => action === 'logs.removed')).toHaveLength(days.length);
  });

  test('by the name of the file that had it, not of a copy in which nothing is new', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const text = logOf(requests(days));
    const log = await run.write('access.log', text);
    const copy = await run.write('copy.log', text);
    await run.import([log], { project });
    const listed = await list(project);
    clock.advance(60_000);
    await run.import([copy], { project });
    expect(await list(project)).toEqual(listed);
    // A log that was rotated and has grown goes on under its new name.
    const rotated = await run.write('access.log.1', text + logOf(requests(['2026-03-05'])));
    await run.import([rotated], { project });
    expect(await list(project)).toMatchObject([{ file: rotated, lines: 60 }]);
    expect((await undo(project, copy)).days.takenBack).toEqual([...days, '2026-03-05']);
  });

  test.each(['2026-03-01', today])('with the names that found no room on %s', async (day) => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const caps = () =>
      project.get<{ cardinalityLimits: object[] }>(`/v1/analytics/${project.projectId}/cardinality-limits`);
    const pages = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({ at: `${day}T01:00:00Z`, path: `/made-up/${from + i}` }));
    const first = await run.write('first.log', logOf(pages(0, 2100)));
    const second = await run.write('second.log', logOf(pages(2100, 2250)));
    await run.import([first], { project });
    const [counted, capped] = [await everything(project), await caps()];
    expect(capped.cardinalityLimits[0]).toMatchObject({ names: 'path', cap: 'visitor', views: 100 });
    await run.import([second], { project });
    expect((await caps()).cardinalityLimits[0]).toMatchObject({ names: 'path', views: 250 });
    await undo(project, second);
    expect([await everything(project), await caps()]).toEqual([counted, capped]);
    await undo(project, first);
    expect((await caps()).cardinalityLimits).toEqual([]);
    await run.import([first], { project });
    expect([await everything(project), await caps()]).toEqual([counted, capped]);
  });

  test('day by day: stopped between two of them, it goes on, and nothing is counted in between', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const empty = await everything(project);
    const log = await run.write('access.log', logOf(requests(days)));
    await run.import([log], { project });
    const [{ id = 0 } = {}] = await list(project);
    const { imports } = run.headcount.context.store;
    const by = { actor: commandLine, at: clock.now() };
    expect(await imports.undoNextDay(project.projectId, id, by)).toMatchObject({ outcome: 'whole' });
    await appendFile(log, logOf(requests(['2026-03-05'])));
    await expect(run.import([log], { project })).rejects.toThrow('taken back in part');
    expect((await undo(project, log)).days.takenBack).toEqual(days.slice(1));
    expect(await everything(project)).toEqual(empty);
  });

  test.each(['forget', 'fold', 'repair', 'export'] as const)(
    'to its end first, which %s says and changes nothing',
    async (changed) => {
      // By a clock that is wrong, for the sake of the repair.
      clock.set('2027-06-20T12:00:00Z');
      const project = await run.addProject({ hosts: ['example.com'], personalPaths: 'keep' });
      const empty = await everything(project);
      const personal = { at: '2027-06-18T12:00:00Z', path: '/reset/V1StGXR8_Z5jdHi6B-myT' };
      const log = await run.write('access.log', logOf([...requests([...days, '2027-06-18']), personal]));
      await run.import([log], { project });
      const [{ id = 0 } = {}] = await list(project);
      await sealDueDays(run.headcount.context);
      const by = { actor: commandLine, at: clock.now() };
      await run.headcount.context.store.imports.undoNextDay(project.projectId, id, by);
      clock.set('2026-11-20T12:00:00Z');
      const { projectId } = project;
      const terminal = terminalOf(run.headcount, { now: clock.now });
      await projectCommand.run(['set', projectId, '--personal-paths', 'mask'], terminal);
      const [command, args] = {
        forget: [forgetCommand, ['--project', projectId, '--path', '/page-1', '--yes']] as const,
        fold: [projectCommand, ['fold-paths', projectId, '--yes']] as const,
        repair: [checkCommand, ['--project', projectId, '--repair', '--move-to', '2026-11-20']] as const,
        export: [exportCommand, ['--project', projectId, join(run.folder, 'project.jsonl')]] as const,
      }[changed];
      const before = await everything(project);
      await expect(command.run([...args], terminal)).rejects.toThrow(
        `Import ${id} is taken back in part. Go on with that first: "headcount import --undo ${id} --project ${projectId}".`,
      );
      expect(await everything(project)).toEqual(before);
      await undo(project, log);
      expect(await everything(project)).toEqual(empty);
      await command.run([...args], terminal);
      expect(await everything(project)).toEqual(empty);
    },
  );

  test('after days of it were forgotten', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const empty = await everything(project);
    const log = await run.write('access.log', logOf(requests(days)));
    await run.import([log], { project });
    const { store } = run.headcount.context;
    const cutoff = Date.parse(days[2] as string) / dayMs;
    const cutoffs = { details: cutoff, counts: cutoff };
    while (await store.retention.forgetSome(project.projectId, cutoffs));
    await store.retention.finish(project.projectId, cutoffs);
    expect((await undo(project, log)).days).toEqual({
      takenBack: days.slice(2),
      visitorsLeft: [],
      notKept: days.slice(0, 2),
    });
    expect(await everything(project)).toEqual(empty);
  });

  test.each(['details', 'counts'] as const)(
    'after the %s of its days were forgotten, and takes nothing from what was counted there since',
    async (forgotten) => {
      const project = await run.addProject({ hosts: ['example.com'] });
      const alone = await run.addProject({ hosts: ['example.com'] });
      const log = await run.write('access.log', logOf(requests(days)));
      await run.import([log], { project });
      clock.set('2026-11-24T12:00:00Z');
      await sealDueDays(run.headcount.context);
      const before = Date.parse('2026-03-05') / dayMs;
      const cutoffs = { details: before, counts: forgotten === 'counts' ? before : null };
      const { retention } = run.headcount.context.store;
      while (await retention.forgetSome(project.projectId, cutoffs));
      await retention.finish(project.projectId, cutoffs);
      const other = requests(days, '203.0.113').map((request, i) => ({
        ...request,
        path: `/other-${i % 4}`,
      }));
      const later = await run.write('later.log', logOf([...other, ...requests(days, '192.0.2')]));
      for (const one of [project, alone])
        await run.import([later, '--merge', '--people', 'count'], { project: one });
      await undo(project, log);
      expect(await viewsIn(project)).toEqual(await viewsIn(alone));
    },
  );

  test('while hits arrive', async () => {
    const project = await run.addProject({ hosts: ['example.com'] });
    const log = await run.write('access.log', logOf(requests([...days, today])));
    await run.import([log, '--merge', '--people', 'count'], { project });
    let hits = 0;
    const send = async () => {
      expect((await hit(project, `192.0.2.${hits % 50}`, '/live')).status).toBe(202);
      hits++;
    };
    await meanwhile([send], async () => {
      await undo(project, log);
    });
    expect(await project.views()).toEqual({ '/live': { human: hits, ai: 0, total: hits } });
    const visitors = Math.min(hits, 50);
    expect(await project.visitors()).toEqual({ '/live': { human: visitors, ai: 0, total: visitors } });
  });
});

test('a log that was followed is taken back, and read from its start when it is followed again', async () => {
  const live = await startImport({ hosts: ['example.com'] });
  try {
    const { dataDir, projectId } = live.headcount;
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    const log = await live.write(
      'live.log',
      logOf([
        { at: ago(5 * dayMs), path: '/closed' },
        { at: ago(60_000), path: '/active', userAgent: aiClient },
      ]),
    );
    const counted = { '/active': { human: 0, ai: 1, total: 1 }, '/closed': { human: 1, ai: 0, total: 1 } };
    for (let round = 0; round < 2; round++) {
      const following = await startFollowing(dataDir, projectId, [log]);
      expect(await live.project.views()).toEqual(counted);
      await following.stop('SIGTERM');
      expect(await live.show(['--undo', log])).toContain('a command that follows it does so by itself');
      expect(await live.project.views()).toEqual({});
    }
  } finally {
    await live.stop();
  }
});
