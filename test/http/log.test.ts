import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { currentRequestId, withRequestId } from '../../server/http/request-id.ts';
import { createLog } from '../../server/log.ts';
import type { Store } from '../../server/store/store.ts';
import { startProcess } from '../support/child.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

const at = Date.parse('2026-11-22T10:00:00Z');

describe('a line', () => {
  const lines = (format: 'text' | 'json', level: 'info' | 'warn' | 'error' = 'info') => {
    const written: string[] = [];
    const log = createLog(
      (line) => written.push(line),
      () => at,
      { format, level, requestId: currentRequestId },
    );
    log.info('It began.');
    withRequestId('r1', () => log.warn('It is slow.'));
    log.error('It failed:', 'as "quoted"\nwas so');
    return written;
  };

  test('is a sentence for people', () => {
    expect(lines('text')).toEqual([
      '2026-11-22T10:00:00.000Z info It began.\n',
      '2026-11-22T10:00:00.000Z warn It is slow. (request r1)\n',
      '2026-11-22T10:00:00.000Z error It failed: as "quoted"\nwas so\n',
    ]);
  });

  test('is one line of JSON for programs, whatever is in it', () => {
    expect(lines('json').map((line) => [line.indexOf('\n') === line.length - 1, JSON.parse(line)])).toEqual([
      [true, { level: 'info', time: '2026-11-22T10:00:00.000Z', msg: 'It began.' }],
      [true, { level: 'warn', time: '2026-11-22T10:00:00.000Z', msg: 'It is slow.', requestId: 'r1' }],
      [
        true,
        { level: 'error', time: '2026-11-22T10:00:00.000Z', msg: 'It failed:', err: 'as "quoted"\nwas so' },
      ],
    ]);
  });

  test('is left out below the level', () => {
    expect(lines('text', 'warn')).toHaveLength(2);
    expect(lines('json', 'error')).toHaveLength(1);
  });
});

describe('a server', () => {
  let headcount: Headcount | undefined;
  afterEach(() => headcount?.stop());

  const broken = (store: Store): Store => ({
    ...store,
    readSeries: () => Promise.reject(new Error('The reader broke.')),
  });

  test('gives back the id of a request, or a new one', async () => {
    headcount = await startHeadcount();
    const idFor = async (given?: string) => {
      const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
      return (await fetch(`${headcount?.url}/healthz`, { headers })).headers.get('x-request-id');
    };
    expect(await idFor('abc-1.2:3')).toBe('abc-1.2:3');
    const made = [await idFor(), await idFor(), await idFor('two words'), await idFor('x'.repeat(101))];
    for (const id of made) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(made).size).toBe(4);
  });

  test('what fails is logged with the id of its answer, and without what opens a shared page', async () => {
    headcount = await startHeadcount({ wrapStore: broken });
    const dashboard = await openDashboard(headcount);
    const path = `/v1/admin/projects/${headcount.projectId}/links`;
    const { url } = await dashboard.must<{ url: string }>('POST', path, { kind: 'badge' });
    const { pathname } = new URL(url);
    const token = pathname.split('/')[2]?.replace('.svg', '') ?? '';
    const response = await fetch(headcount.url + pathname, { headers: { 'x-request-id': 'proxy-7' } });
    expect([response.status, response.headers.get('x-request-id')]).toEqual([500, 'proxy-7']);
    const text = headcount.log.join('\n');
    expect(text).toContain('error GET /badge/… failed (request proxy-7): Error: The reader broke.');
    expect(text).not.toContain(token);
  });

  test('says of hits that are left out that they could not be noted yet', async () => {
    headcount = await startHeadcount({
      wrapStore: (store) => ({ ...store, countViews: () => Promise.reject(new Error('It broke.')) }),
    });
    await headcount.hit(
      { u: 'https://example.com/' },
      { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' },
    );
    await headcount.stop();
    expect(headcount.log.join('\n')).toContain(
      'Dropped hits could not be stored yet; retrying: Error: It broke.',
    );
  });

  test('names no visitor, whatever goes wrong', async () => {
    headcount = await startHeadcount({
      wrapStore: (store) => ({ ...store, countViews: () => Promise.reject(new Error('It broke.')) }),
    });
    const response = await headcount.hit(
      { u: 'https://example.com/zebra', r: 'https://okapi.example/' },
      { 'user-agent': `${chromeUserAgent} Walrus/7`, 'x-forwarded-for': '203.0.113.77' },
    );
    expect(response.status).toBe(503);
    expect(headcount.log.join('\n')).toContain('could not be stored');
    expect(headcount.log.join('\n')).not.toMatch(/zebra|okapi|walrus|203\.0\.113/i);
  });

  test('writes JSON where nobody looks, and its welcome as text', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headcount-log-'));
    const server = await startProcess({
      HEADCOUNT_DATA_DIR: dataDir,
      HEADCOUNT_LOG_FORMAT: '',
      HEADCOUNT_PROT: '1',
    });
    const [line = ''] = server.output.stderr.split('\n');
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: 'The variable HEADCOUNT_PROT is not a setting of Headcount and does nothing: did you mean HEADCOUNT_PORT?',
    });
    expect(server.output.stdout).toMatch(/^Headcount runs at/);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    await rm(dataDir, { recursive: true });
  });
});
