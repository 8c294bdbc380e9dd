import { randomBytes } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openExport } from '../../../server/import/history/exported-files.ts';
import { HistorySite } from '../../../server/import/history/history-site.ts';
import { knowSearchFiles } from '../../../server/import/searches/known-files.ts';
import { lookAt, readSearchFiles } from '../../../server/import/searches/run.ts';
import { type LiveProject, Registry } from '../../../server/projects/registry.ts';
import type { SearchEnginesReply } from '../../../shared/reports/search-engines.ts';
import { runHeadcount } from '../../support/child.ts';
import { createClock } from '../../support/clock.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import { type ImportRun, person, startImport } from '../../support/import/import-run.ts';
import { bingFile, consoleExport } from '../../support/import/search-exports.ts';
import { zip } from '../../support/import/zip.ts';
import { leaveOut } from '../../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase } from '../../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();

describe('headcount import-search', () => {
  const clock = createClock('2026-10-02T12:00:00Z');
  let run: ImportRun;
  let file: string;

  beforeEach(async () => {
    run = await startImport({}, clock.now);
    file = await run.write('export.zip', zip(consoleExport));
  });
  afterEach(() => run.stop());

  const get = <T>(path: string) =>
    run.project.get<T>(`/v1/analytics/${run.project.projectId}/${path}`) as Promise<T>;
  const engines = async (query = '') =>
    (await get<SearchEnginesReply>(`search-engines${query}`)).searchEngines;
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${run.headcount.adminKey}` };
    const url = `${run.headcount.url}/v1/analytics/${run.project.projectId}/${path}`;
    return (await fetch(url, { headers })).text();
  };

  test('stands beside people who came from there by our own counts, and is not added to them', async () => {
    const from = (referrer: string, ip: string, more: object = {}) => ({
      ...{ url: 'https://example.com/', ip, userAgent: person, referrer },
      ...more,
    });
    await run.headcount.hits([
      from('https://www.google.com/', '198.51.100.1'),
      from('https://www.google.de/', '198.51.100.2'),
      from('https://cn.bing.com/', '198.51.100.3'),
      from('https://copilot.microsoft.com/', '198.51.100.4'),
      from('https://news.example/', '198.51.100.5'),
    ]);
    const before = await run.project.visitors();
    await run.searches([file]);
    const cited = bingFile([
      ['Date', 'Citations'],
      ['10/2/2026 12:00:00 AM', 9],
    ]);
    const clicked = bingFile([
      ['Date', 'Clicks', 'Impressions', 'Avg. CTR'],
      ['10/2/2026 12:00:00 AM', 7, 90, '7.78%'],
    ]);
    await run.searches([await run.write('ai.csv', cited), await run.write('bing.csv', clicked)]);
    const rows = await engines('?by=day&dateFrom=2026-10-02&dateTo=2026-10-03');
    expect(rows.map(({ tool, clicks, citations, people }) => [tool, clicks, citations, people])).toEqual([
      ['search-console', 4, null, 2],
      ['bing', 7, null, 1],
      ['bing-ai', null, 9, 1],
    ]);
    expect((await engines('?tool=bing')).map(({ tool }) => tool)).toEqual(['bing']);
    expect(await run.project.visitors()).toEqual(before);
    expect(await read('search-engines?format=csv&tool=bing')).toBe(
      '"date","tool","from","to","days","clicks","impressions","position","citations","citedPages","people"\r\n,"bing","2026-10-02","2026-10-02",1,7,90,,,,1\r\n',
    );
  });

  test('reads nothing and keeps nothing as long as it is asked to try', async () => {
    const shown = await run.showSearches([file, '--dry-run']);
    expect(shown).toMatch(/the site +2026-10-01 to 2026-10-03 +3 by day/);
    expect(shown).toMatch(/queries +2026-10-01 to 2026-10-03 +one range/);
    expect(shown).toContain('Nothing was kept: this was a dry run.');
    expect(await engines()).toEqual([]);
  });

  test('takes numbers of a tool out again, which the audit list says', async () => {
    await run.searches([file]);
    const [row] = await engines();
    expect(await run.showSearches(['--remove', 'search-console'])).toBe(
      'The numbers of Google Search Console (7 tables of a day or a range) would be deleted. Nothing was changed: add --yes to do it.\n',
    );
    expect(await engines()).toEqual([row]);
    expect(await run.showSearches(['--remove', 'search-console', '--yes'])).toContain('were deleted.\n');
    expect(await engines()).toEqual([]);
    expect(await run.showSearches(['--remove', 'bing', '--yes'])).toBe(
      'There are no numbers of Bing Webmaster Tools. Nothing was changed.\n',
    );
    const { projectId, context } = run.headcount;
    const { rows } = await context.store.audit.listEntries({ projectId, limit: 3, offset: 0 });
    expect(rows.map(({ actor, action, subject }) => [actor.kind, action, subject])).toEqual([
      ['command', 'search_numbers.removed', 'Google Search Console'],
      ['command', 'search_numbers.added', 'Google Search Console'],
    ]);
  });

  test('forgets pages whose paths are forgotten', async () => {
    await run.searches([file]);
    await run.headcount.context.store.paths.move(run.headcount.projectId, [{ from: '/tea', to: null }]);
    expect(await read('search-names?of=page')).not.toContain('"/tea"');
  });

  test('says what is wrong with what it was asked', async () => {
    const refused = (...args: string[]) => expect(run.searches(args)).rejects;
    await refused().toThrow('Give the files that Search Console or Bing Webmaster Tools exported.');
    await refused('--remove', 'google').toThrow('--remove must be one of search-console, bing, bing-ai');
    await refused('--remove', 'bing', file).toThrow('--remove takes no files');
    await refused(file, '--yes').toThrow('--yes goes with --remove.');
    await refused(file, '--days', '2026-10-01').toThrow('--days must be the first and the last day');
    await refused(file, '--days', '2026-10-02..2026-10-01').toThrow(
      '--days must be the first and the last day',
    );
    await refused(file, '--days', '2026-02-01..2026-02-30').toThrow(
      '--days must be the first and the last day',
    );
    await refused(join(run.folder, 'none.csv')).toThrow(/There is no file .*none\.csv/);
  });

  test('refuses parameters that it cannot honour', async () => {
    for (const report of ['search-engines', 'search-names']) {
      expect(await read(`${report}?path=/tea`)).toContain('has no filter \\"path\\"');
      expect(await read(`${report}?dateFrom=2026-02-30`)).toContain('is not a date that exists');
      expect(await read(`${report}?tool=yahoo`)).toContain('must be one of search-console, bing, bing-ai');
    }
    expect(await read('search-names?of=city')).toContain('must be one of query, page, country, device');
  });

  test('refuses files that change while they are read, before anything is kept', async () => {
    const { store, log } = run.headcount.context;
    const registry = new Registry(store, log);
    await registry.refresh();
    const site = new HistorySite(registry.project(run.headcount.projectId) as LiveProject);
    const path = await run.write('Dates.csv', consoleExport[0]?.content ?? '');
    const requireUnchanged = lookAt([path]);
    const files = await knowSearchFiles(await openExport([path]), undefined);
    let grown: Promise<void> | undefined;
    await readSearchFiles(files, {
      ...{ site, range: undefined, keptFrom: null },
      onLine: () => {
        grown ??= appendFile(path, '2026-10-04,1,1,100%,1\n');
        return true;
      },
    });
    await grown;
    expect(requireUnchanged).toThrow(/Dates\.csv changed while it was read\. .* Nothing was counted\./);
  });
});

test('numbers of search engines go along with an export and a move to the other engine', async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  const folder = await newFolder();
  const url = await makeEmptyDatabase();
  const key = { HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64') };
  const env = { ...key, HEADCOUNT_DATA_DIR: join(folder, 'data') };
  const moved = { ...key, HEADCOUNT_DATA_DIR: join(folder, 'moved'), HEADCOUNT_DATABASE_URL: url };
  const again = { HEADCOUNT_DATA_DIR: join(folder, 'again') };
  const file = join(folder, 'export.zip');
  await writeFile(file, zip(consoleExport));
  const headcount = async (args: string[], where: Record<string, string>) => {
    const { code, stdout, stderr } = await runHeadcount(args, where);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const added = await headcount(['project', 'add', '--name', 'Tea', '--json'], env);
  const { projectId } = JSON.parse(added) as { projectId: string };
  const searchLines = async (where: Record<string, string>) => {
    const lines = (await headcount(['export', '--project', projectId, '-'], where)).split('\n');
    return lines.filter((line) => line.includes('"searchNumbers"')).map((line) => JSON.parse(line) as object);
  };
  await headcount(['import-search', file, '--project', projectId], env);
  const lines = await searchLines(env);
  expect(lines).toHaveLength(3 + 3 + 3 + 2 + 2);
  expect(lines).toContainEqual({
    ...{ type: 'searchNumbers', tool: 'search-console', of: 'site', from: '2026-10-02', to: '2026-10-02' },
    ...{ name: '', clicks: 4, impressions: 100, positions: 80_000, citations: 0, pages: null },
  });
  await headcount(['move', '--to', 'postgres'], { ...env, HEADCOUNT_DATABASE_URL: url });
  expect(await searchLines(moved)).toEqual(lines);
  const archive = join(folder, 'tea.jsonl');
  await headcount(['export', '--project', projectId, archive], moved);
  await headcount(['project', 'import', archive], again);
  expect(await searchLines(again)).toEqual(lines);
  // Into PostgreSQL, too, once it has no such project.
  await headcount(['project', 'remove', projectId, '--yes'], moved);
  await headcount(['project', 'import', archive], moved);
  expect(await searchLines(moved)).toEqual(lines);
  await dropDatabase(url);
});
