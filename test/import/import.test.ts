import { appendFile, rename } from 'node:fs/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { createClock } from '../support/clock.ts';
import { aiClient, bot, combined, type ImportRun, startImport } from '../support/import/import-run.ts';

const clock = createClock('2026-11-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  clock.set('2026-11-20T12:00:00Z');
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

const human = (count: number) => ({ human: count, ai: 0, total: count });

/** Somebody's visits to some pages on a day. */
const visits = (day: string, ip: string, paths: string[]) =>
  paths.map((path, i) => combined({ at: `${day}T10:00:${String(i).padStart(2, '0')}Z`, ip, path })).join('');

describe('a log', () => {
  test('counts pages by day, visitors once a day, and says why the rest is not counted', async () => {
    const log = await run.write(
      'access.log',
      [
        combined({
          at: '2026-03-01T10:00:00Z',
          path: '/docs/?utm_source=news',
          referrer: 'https://www.google.com/',
        }),
        combined({ at: '2026-03-01T10:00:01Z', path: '/docs' }),
        combined({ at: '2026-03-01T10:00:01Z', path: '/app.css' }),
        combined({ at: '2026-03-01T23:59:59Z', path: '/', referrer: 'https://example.com/docs' }),
        combined({ at: '2026-03-02T00:00:00Z', path: '/', status: 304, referrer: 'https://chatgpt.com/' }),
        combined({ at: '2026-03-02T00:00:00Z', path: '/gone', status: 404 }),
        combined({ at: '2026-03-02T00:00:00Z', method: 'POST' }),
        combined({ at: '2026-03-02T00:00:01Z', path: '/docs.md', userAgent: aiClient }),
        combined({ at: '2026-03-02T00:00:02Z', path: '/docs', userAgent: bot }),
        'nonsense\n',
      ].join(''),
    );
    expect(await run.import([log])).toEqual({
      lines: 10,
      counted: { people: 4, ai: 1 },
      notCounted: { asset: 1, status: 1, method: 1, bot: 1, unreadable: 1 },
      examples: {
        asset: [{ file: log, line: 3, text: 'GET /app.css 200' }],
        status: [{ file: log, line: 6, text: 'GET /gone 404' }],
        method: [{ file: log, line: 7, text: 'POST / 200' }],
        bot: [{ file: log, line: 9, text: bot }],
        unreadable: [{ file: log, line: 10, text: 'nonsense' }],
      },
    });
    expect(await run.project.visitors({ dateTo: '2026-03-02' })).toEqual({
      '/docs': human(1),
      '/': human(1),
    });
    expect(await run.project.views()).toEqual({ '/docs': { human: 2, ai: 1, total: 3 }, '/': human(2) });
    const { projectId } = run.project;
    const { sources } = await run.project.get<{ sources: object[] }>(`/v1/analytics/${projectId}/sources`);
    expect(sources).toEqual([
      { source: '(direct)', ...human(1), ai: 1, total: 2 },
      { source: 'ChatGPT', ...human(1) },
      { source: 'news', ...human(1) },
    ]);
    const dropped = await run.project.get<{ dropped: object[] }>(`/v1/analytics/${projectId}/dropped`);
    expect(dropped.dropped).toEqual([{ reason: 'bot', family: 'search engine', hits: 1 }]);
  });

  test('counts on days in the time zone of the project, and leaves out what the project excludes', async () => {
    const project = await run.addProject({
      timeZone: 'America/St_Johns',
      excludedPaths: ['/admin/**'],
      excludedAddresses: ['192.0.2.0/24'],
    });
    const log = await run.write(
      'access.log',
      combined({ at: '2026-07-02T02:29:59Z' }) +
        combined({ at: '2026-07-02T02:30:00Z' }) +
        combined({ at: '2026-07-02T02:30:00Z', path: '/admin/x' }) +
        combined({ at: '2026-07-02T02:30:00Z', ip: '192.0.2.9' }),
    );
    const { notCounted } = await run.import([log], { project });
    expect(notCounted).toEqual({ excluded_path: 1, excluded_address: 1 });
    expect(await project.visitors({ dateTo: '2026-07-02' })).toEqual({ '/': human(1) });
    expect(await project.visitors({ dateFrom: '2026-07-02' })).toEqual({ '/': human(1) });
  });

  test('given twice adds nothing, whatever it is called and however it is packed', async () => {
    const text =
      visits('2026-03-01', '192.0.2.1', ['/', '/a', '/b']) + visits('2026-03-02', '192.0.2.1', ['/']);
    const log = await run.write('access.log', text);
    expect((await run.import([log])).lines).toBe(4);
    const again = [
      log,
      await run.write('access.log.1', text),
      await run.write('access.log.2.gz', gzipSync(text)),
      await run.write('old', zstdCompressSync(text)),
    ];
    for (const file of again) expect((await run.import([file])).lines).toBe(0);
    expect((await run.import(again)).lines).toBe(0);
    expect((await run.import(['-'], { input: gzipSync(text) })).lines).toBe(0);
    expect(Object.values(await run.project.views())).toEqual([human(2), human(1), human(1)]);
  });

  test('is in the audit list once for each command that counted something', async () => {
    const log = await run.write('access.log', visits('2026-03-01', '192.0.2.1', ['/', '/a']));
    for (const more of [['--dry-run'], [], []]) await run.import([log, ...more]);
    const { entries } = await run.headcount.get<AuditReply>(`/v1/projects/${run.headcount.projectId}/audit`);
    const told = entries.filter(({ actor }) => actor.kind === 'command');
    expect(told.map(({ action, subject }) => [action, subject])).toEqual([['logs.added', 'Test']]);
  });

  test('given several times at once counts once', async () => {
    const text = visits('2026-03-01', '192.0.2.1', ['/', '/a']);
    const files = [await run.write('a.gz', gzipSync(text)), await run.write('b', text)];
    expect(await run.import([...files, files[0] as string])).toMatchObject({
      lines: 2,
      counted: { people: 2 },
    });
  });

  test('that has grown goes on where it ended, with the same visitors', async () => {
    const log = await run.write('access.log', visits('2026-03-01', '192.0.2.1', ['/']));
    await run.import([log]);
    await appendFile(
      log,
      visits('2026-03-01', '192.0.2.1', ['/', '/a']) + visits('2026-03-01', '192.0.2.2', ['/']),
    );
    expect((await run.import([log])).lines).toBe(3);
    expect(await run.project.visitors()).toEqual({ '/': human(2), '/a': human(1) });
    expect(await run.project.views()).toEqual({ '/': human(3), '/a': human(1) });
  });

  test('rotated in the middle of a day is one with the next, in one command or two', async () => {
    const parts = [
      visits('2026-03-01', '192.0.2.1', ['/']) + visits('2026-03-02', '192.0.2.1', ['/']),
      visits('2026-03-02', '192.0.2.1', ['/', '/a']) + visits('2026-03-03', '192.0.2.1', ['/']),
    ] as const;
    const expected = { '/': human(3), '/a': human(1) };
    const older = await run.write('access.log.1.gz', gzipSync(parts[0]));
    const newer = await run.write('access.log', parts[1]);
    const together = await run.addProject({});
    await run.import([newer, older], { project: together });
    expect(await together.visitors()).toEqual(expected);
    const apart = await run.addProject({});
    await run.import([older], { project: apart });
    await run.import([newer], { project: apart });
    expect(await apart.visitors()).toEqual(expected);
  });

  test('whose last line has no line break counts if it is whole, and not once more when the break comes', async () => {
    const [first = '', second = ''] = visits('2026-03-01', '192.0.2.1', ['/', '/a']).split('\n');
    const log = await run.write('access.log', `${first}\n${second.slice(0, -10)}`);
    expect(await run.import([log])).toMatchObject({ lines: 1, notCounted: { unfinished: 1 } });
    await appendFile(log, second.slice(-10));
    expect((await run.import([log])).counted.people).toBe(1);
    await appendFile(log, ` 0.25 "more"\n${first.replace('"GET / ', '"GET /b ')}\r\n`);
    expect(await run.import([log])).toMatchObject({ lines: 1, counted: { people: 1 }, notCounted: {} });
    expect(await run.project.views()).toEqual({ '/': human(1), '/a': human(1), '/b': human(1) });
  });

  test('has no pages of other sites that the server was asked for as if it were a proxy', async () => {
    const at = '2026-03-01T10:00:00Z';
    const asked = (url: string) => combined({ at, path: url });
    const lines = asked('http://other.example/') + asked('http://example.com/a') + asked('/b');
    const log = await run.write('access.log', lines);
    expect((await run.import([log])).notCounted).toEqual({ foreign_host: 1 });
    const unnamed = await run.addProject({});
    const { notCounted, examples } = await run.import([log, '--host', 'example.com'], { project: unnamed });
    expect(notCounted).toEqual({ foreign_host: 1 });
    expect(examples.foreign_host?.[0]?.text).toBe('GET http://other.example/ 200');
    expect(await unnamed.views()).toEqual({ '/a': human(1), '/b': human(1) });
    const named = await run.write('vhost.log', lines.replace(/^(?=.)/gm, 'example.com:80 '));
    const told = await run.addProject({});
    expect((await run.import([named], { project: told })).notCounted).toEqual({ foreign_host: 1 });
    const nowhere = await run.addProject({});
    expect((await run.import([log], { project: nowhere })).notCounted).toEqual({ foreign_host: 2 });
  });

  test.each(['b\u00fccher.example', 'XN--BCHER-KVA.example', 'b\u00fccher.example.'])(
    'knows links inside the site by --host %s',
    async (host) => {
      const referrer = 'http://xn--bcher-kva.example/before';
      const log = await run.write('host.log', combined({ at: '2026-03-01T10:00:00Z', referrer }));
      const project = await run.addProject({});
      await run.import([log, '--host', host], { project });
      const { sources } = await project.get<{ sources: object[] }>(
        `/v1/analytics/${project.projectId}/sources`,
      );
      expect(sources).toEqual([]);
    },
  );

  test('with anything in it that is no line is read to its end', async () => {
    const whole = combined({ at: '2026-03-01T10:00:00Z' });
    const hostile = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from(whole),
      Buffer.from(whole.replace('\n', '\r\n')),
      Buffer.alloc(3_000_000, 'x'),
      Buffer.from('\n\n\n'),
      Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 256)),
      Buffer.from(`\n\x1b]0;owned\x07\x1b[2J198.51.100.7 - 2001:db8::7 "\n`),
      Buffer.from(whole.replace('GET / ', 'GET /caf\xc3\xa9 '), 'latin1'),
      Buffer.from(whole.replace('GET / ', 'GET /\xff\xfe ').replace('Mozilla', 'M\xfczilla'), 'latin1'),
      Buffer.from(whole.replace('GET / HTTP/1.1', '\\x16\\x03\\x01')),
      Buffer.from(`\n[[\n${whole.repeat(3000)}`),
    ]);
    const log = await run.write('access.log', hostile);
    const { counted, examples } = await run.import([log]);
    expect(counted.people).toBe(3004);
    const shown = JSON.stringify(examples);
    expect(shown).not.toMatch(/198\.51\.100|2001:db8/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested
    expect(await run.show([log, '--merge'])).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(Object.keys(await run.project.views()).sort()).toEqual(['/', '/%FF%FE', '/caf%C3%A9']);
  });

  test('shows lines that cannot be read with their times, and without addresses', async () => {
    const times = '[23/Nov/2026:10:15:30 +0000] 10:15:30.125 9:05:01 2026-11-23T10:15:30Z failed';
    const addresses = [
      'of 198.51.100.7, 198.51.100.8.',
      '2001:db8::7 ::ffff:198.51.100.9 2001:DB8:1:2',
      '[2001:db8:0:1:2:3:4:5]:443 fe80::1%eth0 2001:10:15:30::',
    ];
    const readable = combined({ at: '2026-03-01T10:00:00Z' }).trim();
    const lines = [readable, times, ...addresses.slice(0, 2), readable, readable];
    const first = await run.import([await run.write('first.log', `${lines.join('\n')}\n`)]);
    expect(first.examples.unreadable?.map(({ text }) => text)).toEqual([
      times,
      'of (address), (address).',
      '(address) (address) (address)',
    ]);
    const rest = await run.write('rest.log', `${lines[0]}\n${addresses[2]}\n`);
    expect((await run.import([rest, '--merge'])).examples.unreadable?.[0]?.text).toBe(
      '[(address)]:443 (address)%eth0 (address)',
    );
  });

  test('that is empty, or no log, is said so', async () => {
    expect((await run.import([await run.write('empty', '')])).lines).toBe(0);
    const nonsense = await run.write('notes.txt', 'dear diary\n'.repeat(50));
    await expect(run.import([nonsense])).rejects.toThrow('name one with --format');
    await expect(run.import([`${nonsense}.not`])).rejects.toThrow('There is no file');
    await expect(run.import([run.folder])).rejects.toThrow('it is a folder');
    const text = visits('2026-03-01', '192.0.2.1', ['/', '/a']).repeat(2000);
    const broken = await run.write('broken.gz', gzipSync(text).subarray(0, -200));
    await expect(run.import([broken])).rejects.toThrow('broken.gz cannot be read: ');
    // What could be read of it is counted once the whole is given.
    const whole = await run.write('whole.gz', gzipSync(text));
    await run.import([whole]);
    expect(await run.project.views()).toEqual({ '/': human(2000), '/a': human(2000) });
  });
});

describe('a dry run', () => {
  test('says what would be counted, and counts nothing', async () => {
    const log = await run.write('access.log', visits('2026-03-01', '192.0.2.1', ['/', '/a']));
    expect(await run.import([log, '--dry-run'])).toMatchObject({ lines: 2, counted: { people: 2 } });
    expect(await run.show([log, '--dry-run'])).toContain('Nothing was counted: this was a dry run.');
    expect(await run.project.views()).toEqual({});
    await run.import([log]);
    await rename(log, `${log}.1`);
    expect((await run.import([`${log}.1`, '--dry-run'])).lines).toBe(0);
  });
});
