import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Day } from '../../server/counting/calendar.ts';
import { makeKey } from '../../server/projects/key.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { createClock } from '../support/clock.ts';
import { errorOf, statusAndError } from '../support/headcount.ts';
import { aiClient, combined, type ImportRun, startImport } from '../support/import/import-run.ts';
import { plausibleExport } from '../support/import/plausible-export.ts';
import { consoleExport } from '../support/import/search-exports.ts';
import { zip } from '../support/import/zip.ts';
import { execute } from '../support/store/kept.ts';

const clock = createClock('2026-11-20T12:00:00Z');
let run: ImportRun;

beforeAll(async () => {
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterAll(() => run.stop());

const log = (days: readonly string[]) =>
  days
    .flatMap((day) => [
      combined({ at: `${day}T10:00:00Z`, path: '/a' }),
      combined({ at: `${day}T11:00:00Z`, path: '/b', userAgent: aiClient }),
    ])
    .join('');
const days = ['2026-03-01', '2026-03-02'];

function ask(method: string, path: string, key = run.headcount.adminKey): Promise<Response> {
  return askOf(run, method, path, { key });
}

function askOf(
  { headcount }: ImportRun,
  method: string,
  path: string,
  { key = headcount.adminKey, signal }: { key?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const url = `${headcount.url}/v1/analytics/${headcount.projectId}/imports${path}`;
  return fetch(url, { method, headers: { authorization: `Bearer ${key}` }, signal: signal ?? null });
}

async function must(method: string, path = ''): Promise<unknown> {
  const response = await ask(method, path);
  expect(response.status, await response.clone().text()).toBe(200);
  return await response.json();
}

/** Status and sentence. */
async function refusal(method: string, path: string, key?: string): Promise<[number, string]> {
  const response = await ask(method, path, key);
  return [response.status, (await errorOf(response)).error];
}

async function lastEntries(count: number): Promise<unknown[]> {
  const { entries } = await run.headcount.get<AuditReply>(
    `/v1/projects/${run.headcount.projectId}/audit?limit=${count}`,
  );
  return entries.map(({ actor, action }) => [actor.kind, action]);
}

describe('a program', () => {
  test('lists imports of logs and undoes them, as the command does', async () => {
    const file = await run.write('access.log', log(days));
    await run.import([file]);
    const listed = (await must('GET')) as { imports: { id: number }[] };
    expect(listed).toEqual(await run.import(['--list']));
    expect(listed.imports).toMatchObject([
      { file, firstDay: days[0], lastDay: days[1], views: { people: 2, ai: 2 }, canUndo: true },
    ]);
    const id = listed.imports[0]?.id as number;
    expect(await must('DELETE', `/${id}`)).toEqual({
      ...{ import: id, file, views: { people: 2, ai: 2 } },
      days: { takenBack: days, visitorsLeft: [], notKept: [] },
    });
    expect(await run.project.views()).toEqual({});
    expect(await lastEntries(2)).toEqual([
      ['key', 'logs.removed'],
      ['key', 'logs.removed'],
    ]);
    expect(await must('GET')).toEqual({ imports: [] });
    // It is undone already.
    const [status, error] = await refusal('DELETE', `/${id}`);
    expect([status, error]).toEqual([404, expect.stringMatching(/no import \d+.*undone already/)]);
  });

  test.each(['1e3', '-1', '99999999999999999999', 'access.log', '%00', '%F0%9F%92%A9'])(
    'is refused an import that is not there: %s',
    async (id) => expect((await refusal('DELETE', `/${id}`))[0]).toBe(404),
  );

  test('is refused the import of another project, and an import that is too old', async () => {
    const other = await run.addProject({ hosts: ['example.com'] });
    await run.import([await run.write('other.log', log(days))], { project: other });
    const { imports } = (await run.import(['--list'], { project: other })) as unknown as {
      imports: { id: number }[];
    };
    const id = imports[0]?.id;
    expect((await refusal('DELETE', `/${id}`))[0]).toBe(404);
    expect((await refusal('DELETE', `/${id}`, other.adminKey))[0]).toBe(403);
    expect(await other.views()).toMatchObject({ '/a': { total: 2 } });
    await run.import([await run.write('old.log', log(['2026-03-09']))]);
    await execute(run.headcount, 'update logs set counted_at = null');
    const old = (await must('GET')) as { imports: { id: number; canUndo: boolean }[] };
    expect(old.imports).toMatchObject([{ canUndo: false }]);
    const [status, error] = await refusal('DELETE', `/${old.imports[0]?.id}`);
    expect([status, error]).toEqual([400, expect.stringContaining('cannot be taken back')]);
    await expect(run.import(['--undo', String(old.imports[0]?.id)])).rejects.toThrow(error);
  });

  test('lists imports with a key that only reads, and is refused everything else', async () => {
    const { store, registry } = run.headcount.context;
    const reading = makeKey('read', run.headcount.projectId, 'reading', clock.now());
    await store.addKey(reading.stored);
    await registry.refresh();
    const { imports } = (await must('GET')) as { imports: { id: number }[] };
    const listed = await ask('GET', '', reading.secret);
    expect([listed.status, await listed.json()]).toEqual([200, { imports }]);
    const removals = [`/${imports[0]?.id}`, '/stats/plausible', '/search/search-console'];
    for (const path of removals)
      expect(await refusal('DELETE', path, reading.secret)).toEqual([
        403,
        expect.stringContaining('this one has the scope read'),
      ]);
    expect((await refusal('GET', '', run.headcount.ingestKey))[0]).toBe(403);
  });

  test('removes the days of another tool, and only says which as a dry run', async () => {
    await run.history([await run.write('stats.zip', zip(plausibleExport))]);
    const removed = { projectId: run.project.projectId, tool: 'Plausible' };
    const dates = ['2025-03-01', '2025-03-02'];
    expect(await must('DELETE', '/stats/plausible?dryRun=true')).toEqual({
      ...removed,
      ...{ done: false, days: dates, left: [] },
    });
    expect(await must('DELETE', '/stats/plausible')).toEqual({
      ...removed,
      ...{ done: true, days: dates, left: [] },
    });
    expect(await lastEntries(1)).toEqual([['key', 'history.removed']]);
    expect(await must('DELETE', '/stats/plausible')).toMatchObject({ days: [], left: [] });
    expect(await lastEntries(2)).toEqual([
      ['key', 'history.removed'],
      ['command', 'history.added'],
    ]);
  });

  test('removes the numbers of a search engine', async () => {
    await run.searches([await run.write('search.zip', zip(consoleExport))]);
    const removed = { projectId: run.project.projectId, tool: 'search-console', periods: 7 };
    expect(await must('DELETE', '/search/search-console?dryRun=true')).toEqual({ ...removed, done: false });
    expect(await must('DELETE', '/search/search-console')).toEqual({ ...removed, done: true });
    expect(await lastEntries(1)).toEqual([['key', 'search_numbers.removed']]);
    expect(await must('DELETE', '/search/search-console')).toEqual({ ...removed, done: true, periods: 0 });
    expect(await lastEntries(1)).toEqual([['key', 'search_numbers.removed']]);
  });

  test.each(['stats', 'search'])('learns which tools there are: %s', async (of) => {
    const [status, error] = await refusal('DELETE', `/${of}/toString`);
    expect([status, error]).toEqual([400, expect.stringMatching(/must be one of .*, /)]);
    expect((await refusal('DELETE', `/${of}/matomo?dryRun=perhaps`))[0]).toBe(400);
    expect((await refusal('DELETE', `/${of}/matomo?dry-run=true`))[1]).toMatch(/dryRun/);
  });
});

describe('what takes long', () => {
  let own: ImportRun;
  let stopped: Promise<void> | undefined;

  beforeEach(async () => {
    own = await startImport({ hosts: ['example.com'] }, clock.now);
    stopped = undefined;
    return () => stopped ?? own.stop();
  });

  const stop = () => {
    stopped ??= own.stop();
  };
  const stoppedAnswer = [503, expect.stringMatching(/^It was stopped before the end: .* again/)];

  async function importLog(): Promise<string> {
    await own.import([await own.write('access.log', log(days))]);
    const [{ id = 0 } = {}] = await own.headcount.context.store.imports.listImports(own.headcount.projectId);
    return `/${id}`;
  }

  test('an undo ends between two days where the server stops', async () => {
    const path = await importLog();
    const { imports } = own.headcount.context.store;
    const undo = imports.undoNextDay;
    const seen = vi
      .spyOn(imports, 'undoNextDay')
      .mockImplementation((...args) => undo(...args).finally(stop));
    expect(await statusAndError(askOf(own, 'DELETE', path))).toEqual(stoppedAnswer);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  test('a removal ends between two days where the server stops', async () => {
    await own.history([await own.write('stats.zip', zip(plausibleExport))]);
    const { store } = own.headcount.context;
    const call = store.callAudited;
    const seen = vi
      .spyOn(store, 'callAudited')
      .mockImplementation((...args) => Promise.resolve(Reflect.apply(call, store, args)).finally(stop));
    expect(await statusAndError(askOf(own, 'DELETE', '/stats/plausible'))).toEqual(stoppedAnswer);
    expect(seen).toHaveBeenCalledTimes(1);
  });

  test('an undo ends where its client is gone', async () => {
    const path = await importLog();
    const client = new AbortController();
    // It has no end of its own.
    const seen = vi.spyOn(own.headcount.context.store.imports, 'undoNextDay').mockImplementation(async () => {
      client.abort();
      await pause(10);
      return { day: 0 as Day, outcome: 'whole', humanViews: 0, aiViews: 0 };
    });
    await expect(askOf(own, 'DELETE', path, { signal: client.signal })).rejects.toThrow('aborted');
    const daysOfPause = async () => {
      const before = seen.mock.calls.length;
      await pause(500);
      return seen.mock.calls.length - before;
    };
    await expect.poll(daysOfPause, { timeout: 4000 }).toBe(0);
  });
});
