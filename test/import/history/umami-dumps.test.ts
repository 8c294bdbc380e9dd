import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { umamiExport } from '../../support/import/umami-export.ts';

/**
 * Two sessions with four views and an event, in databases that Umami's own migrations made (2.0.0 and 3.1.0 on PostgreSQL 15,
 * 2.0.0 on MariaDB 10.11), written by psql, pg_dump, mysql and mysqldump. A title has quotes, a backslash, a tab, the end of a
 * line and SQL. psql-*.csv was copied in the time zone Asia/Kolkata.
 */
const folder = join(import.meta.dirname, 'umami-dumps');
const dump = (name: string) => join(folder, name);

const clock = createClock('2026-06-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

const people = (count: number) => ({ human: count, ai: 0, total: count });

async function visitorsBy(report: string, name: string): Promise<Record<string, number>> {
  const reply = (await run.project.get(`/v1/analytics/${run.project.projectId}/${report}`)) as Record<
    string,
    ({ total: number } & Record<string, string>)[]
  >;
  return Object.fromEntries((reply[report] ?? []).map((row) => [row[name], row.total]));
}

/** What of it the pattern finds. */
const dumpedWith = (name: string, part: RegExp) => part.exec(readFileSync(dump(name), 'utf8'))?.[0] ?? '';

const whole = [
  ['pg_dump of 2.0', ['pg_dump-200.sql']],
  ['pg_dump of 3.1', ['pg_dump-310.sql']],
  ['pg_dump --inserts', ['pg_dump-inserts.sql']],
  ['pg_dump --column-inserts --rows-per-insert', ['pg_dump-column-inserts.sql']],
  ['\\copy as CSV, with half an hour in the zone', ['psql-event.csv', 'psql-session.csv']],
  ['\\copy as text', ['psql-event.tsv', 'psql-session.tsv']],
  ['mysqldump', ['mysqldump.sql']],
  ['mysqldump without comments', ['mysqldump-nocomments.sql']],
  ['mysqldump --complete-insert --skip-extended-insert', ['mysqldump-complete.sql']],
  ['mysqldump --tab', ['tab']],
  [
    'mysql --batch, with sessions of mysqldump --tab',
    ['mysql-batch-event.tsv', 'tab/session.txt', 'tab/session.sql'],
  ],
] as const;

test.each(whole)('the tables of Umami as written by %s count the same', async (_what, names) => {
  const taken = await run.history(names.map(dump));
  expect(taken).toMatchObject({
    tool: 'Umami',
    days: { added: ['2026-03-14', '2026-03-15'] },
    counted: { visitors: 3, views: 4 },
    notCounted: { event: 1 },
    skippedColumns: [],
  });
  expect(await run.project.views()).toEqual({ '/': people(3), '/docs': people(1) });
  expect(await visitorsBy('sources', 'source')).toEqual({ 'google.com': 1, news: 1, '(direct)': 1 });
  expect(await visitorsBy('browsers', 'browser')).toEqual({ Chrome: 1, Firefox: 2 });
  expect(await visitorsBy('systems', 'system')).toEqual({ Windows: 1, Linux: 2 });
  expect(await visitorsBy('devices', 'device')).toEqual({ desktop: 3 });
  expect(await visitorsBy('countries', 'country')).toEqual({ DE: 1, FR: 2 });
  expect(await visitorsBy('languages', 'language')).toEqual({ 'de-DE': 1, fr: 2 });
});

test.each([
  ['a dump that names no columns', () => readFileSync(dump('mysqldump-nameless.sql')), /--complete-insert/],
  [
    'a table without its header',
    () => readFileSync(dump('psql-headless.csv')),
    /first line has to name the columns/,
  ],
  ["pg_dump's own format", () => 'PGDMP\x01\x0e\x00', /--format=plain/],
  [
    'a dump that was cut',
    () => readFileSync(dump('pg_dump-310.sql'), 'utf8').split('signup')[0] ?? '',
    /another number of columns|in the middle/,
  ],
  [
    'statements that were cut',
    () => readFileSync(dump('mysqldump.sql'), 'utf8').split('signup')[0] ?? '',
    /ends in the middle of a statement/,
  ],
  [
    'a dump that was cut behind a row',
    () => dumpedWith('pg_dump-inserts.sql', /^[\s\S]*?INSERT INTO public.website_event[\s\S]*?;\n/),
    /ends before the last line of a dump/,
  ],
  [
    'a dump of MySQL that was cut behind its rows',
    () => dumpedWith('mysqldump.sql', /^[\s\S]*INSERT INTO[\s\S]*?;\n/),
    /ends before the last line of a dump/,
  ],
  [
    'a statement that was cut behind a row',
    () =>
      dumpedWith('mysqldump.sql', /^[\s\S]*INSERT INTO `website_event`[\s\S]*?\)(?=,)/).replace(
        /^-- M.*$/m,
        '',
      ),
    /ends in the middle of a statement/,
  ],
  [
    'a dump without a row',
    () => 'CREATE TABLE website_event (\n    event_id uuid NOT NULL\n);\n',
    /without a row/,
  ],
])('%s is refused, and says what to do', async (_what, content, message) => {
  const file = await run.write('umami.sql', content());
  await expect(run.history([file])).rejects.toThrow(message);
  expect(await run.project.views()).toEqual({});
});

test('of a database with several websites, the one is taken that is named', async () => {
  const file = await run.write(
    'website_event.csv',
    umamiExport([
      { website_id: 'w1', session_id: 'a', created_at: '2026-03-01 10:00:00' },
      { website_id: 'w2', session_id: 'b', created_at: '2026-03-01 10:00:00' },
    ]),
  );
  await expect(run.history([file])).rejects.toThrow(/:3 is of another website .*w1 and w2.*--website <id>/);
  const taken = await run.history([file, '--website', 'w2']);
  expect([taken.counted, taken.notCounted]).toEqual([{ visitors: 1, views: 1 }, { foreign_host: 1 }]);
});

test.each([
  ['2026-03-14 09:05:06.345+00', '2026-03-14'],
  ['2026-03-14T09:05:06,345Z', '2026-03-14'],
  ['1773479106', '2026-03-14'],
  ['1773479106345', '2026-03-14'],
  ['1773479106345678', '2026-03-14'],
  ['2026-03-14 23:59:59-03', '2026-03-15'],
  ['2026-03-15 02:00:00+05:30', '2026-03-14'],
  ['2026-03-15 02:00:00+0530', '2026-03-14'],
  ['2026-03-14T09:05:06.345678Z', '2026-03-14'],
  ['2026-03-14 09:05', '2026-03-14'],
  ['2026-03-14 09:05:06 UTC', '2026-03-14'],
])('the time %s is of %s', async (created_at, day) => {
  const file = await run.write('website_event.csv', umamiExport([{ session_id: 'a', created_at }]));
  expect((await run.history([file, '--dry-run'])).days.added).toEqual([day]);
});

test('columns of other versions, and of other tools, are known or skipped and named', async () => {
  const vitals = umamiExport([{ session_id: 'a', created_at: '2026-03-14 09:05:06.345+00' }])
    .replace('\n', ',lcp,inp,cls,fcp,ttfb,mood\n')
    .replace(/\n$/, ',1.2,,(null),NULL,3,happy\n');
  const file = await run.write('website_event.csv', vitals);
  expect(await run.history([file])).toMatchObject({
    counted: { visitors: 1, views: 1 },
    skippedColumns: [{ file, columns: ['mood'] }],
  });
});

test.each([
  ['semicolons', (text: string) => text.replaceAll(',', ';')],
  ['tabs', (text: string) => text.replaceAll(',', '\t').replaceAll('"', '')],
  ['the line of Excel that names the delimiter', (text: string) => `sep=;\r\n${text.replaceAll(',', ';')}`],
  [
    'ends of lines of Windows, and a byte order mark',
    (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`,
  ],
  ['UTF-16, little endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16, big endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
])('CSV with %s is read', async (_what, written) => {
  const rows = umamiExport([{ session_id: 'a', url_path: '/über', created_at: '2026-03-14 09:05:06+00' }]);
  const file = await run.write('website_event.csv', written(rows));
  await run.history([file]);
  expect(await run.project.views()).toEqual({ '/%C3%BCber': people(1) });
});
