import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config/config.ts';
import { SetupNotice } from '../../server/http/setup-notice.ts';
import { createLog } from '../../server/log.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { sendRaw } from '../support/raw-connection.ts';

let headcount: Headcount;
afterEach(() => headcount?.stop());

const hit = (headers: Record<string, string> = {}) => headcount.hit({ u: 'https://example.com/' }, headers);
/** A page of the dashboard, as it is asked for by that name. */
const getPage = (host: string, more = '') =>
  sendRaw(headcount.url, `GET /sign-in HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`);
const untrusted =
  'Requests come from 127.0.0.1 with X-Forwarded-For, but it is not among HEADCOUNT_TRUSTED_PROXIES, so all of them count as one visitor: if it is your proxy, add it there.';

describe('a proxy that is not trusted', () => {
  test('is named once, with the setting', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_TRUSTED_PROXIES: 'none' } });
    expect(headcount.log).toEqual([]);
    for (let i = 0; i < 5; i++) await hit({ 'x-forwarded-for': `198.51.100.${i}` });
    await fetch(`${headcount.url}/hc.js`, { headers: { 'x-forwarded-for': '198.51.100.9' } });
    expect(headcount.log).toEqual([expect.stringContaining(`warn ${untrusted}`)]);
  });

  test('is told of by pages and images too', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_TRUSTED_PROXIES: 'none' } });
    await fetch(`${headcount.url}/hc.js`, { headers: { 'x-forwarded-for': '198.51.100.9' } });
    expect(headcount.log).toEqual([expect.stringContaining(untrusted)]);
  });

  test('is nobody where it is trusted, or says nothing', async () => {
    headcount = await startHeadcount();
    await hit({ 'x-forwarded-for': '198.51.100.1' });
    await headcount.stop();
    const { log } = headcount;
    headcount = await startHeadcount({ env: { HEADCOUNT_TRUSTED_PROXIES: 'none' } });
    await hit();
    expect([...log, ...headcount.log]).toEqual([]);
  });

  test('of the open internet is named once ten visitors came by it, and no visitor is', () => {
    const log: string[] = [];
    const config = readConfig({});
    const notice = new SetupNotice({ config, log: createLog((line) => log.push(line), Date.now) });
    // Who forges the field is a visitor: his address stays out of the log.
    for (let i = 0; i < 1000; i++) notice.forwarded('203.0.113.5', '198.51.100.1');
    for (let i = 0; i < 1000; i++) notice.forwarded(`192.0.2.${i % 250}`, '198.51.100.1');
    for (let i = 0; i < 9; i++) notice.forwarded('203.0.113.6', `198.51.100.${i}`);
    expect(log).toEqual([]);
    for (let i = 0; i < 30; i++) notice.forwarded('203.0.113.6', `198.51.100.${i}`);
    expect(log).toEqual([expect.stringContaining('Requests come from 203.0.113.6 with X-Forwarded-For')]);
  });
});

describe('requests that do not fit the base URL', () => {
  test('by their host are told of once, where none is set', async () => {
    headcount = await startHeadcount();
    for (const host of ['localhost:8787', '127.0.0.1', '[::1]:8787', 'headcount']) await getPage(host);
    expect(headcount.log).toEqual([]);
    await getPage('count.example.com');
    await getPage('count.example.com');
    expect(headcount.log).toEqual([
      expect.stringContaining(
        'warn Requests come for count.example.com, but HEADCOUNT_BASE_URL is not set: links, the lines to paste and cookies go by it.',
      ),
    ]);
  });

  test('by their host are told of where one is set, for whoever is signed in, as scanners make up hosts', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_BASE_URL: 'http://count.example.com' } });
    for (const host of ['scanner.example', '203.0.113.7', 'count.example.com']) await getPage(host);
    const dashboard = await openDashboard(headcount);
    expect(headcount.log).toEqual([]);
    await dashboard.send('GET', '/v1/admin/session', {
      headers: { 'x-forwarded-host': 'stats.example.org' },
    });
    expect(headcount.log).toEqual([
      expect.stringContaining(
        'Requests come for stats.example.org, but HEADCOUNT_BASE_URL is http://count.example.com:',
      ),
    ]);
  });

  test('by https are told of once, where a trusted proxy says so', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_BASE_URL: 'http://count.example.com' } });
    for (let i = 0; i < 3; i++) await getPage('count.example.com', 'X-Forwarded-Proto: https\r\n');
    expect(headcount.log).toEqual([
      expect.stringContaining(
        'warn The proxy says that browsers use https, but HEADCOUNT_BASE_URL is http://count.example.com: set it',
      ),
    ]);
  });

  test('are silent where they fit, and cannot fill the log or write into it', async () => {
    headcount = await startHeadcount({ env: { HEADCOUNT_BASE_URL: 'https://count.example.com' } });
    await getPage('count.example.com', 'X-Forwarded-Proto: https\r\n');
    await headcount.stop();
    expect(headcount.log).toEqual([]);
    headcount = await startHeadcount();
    for (let i = 0; i < 20; i++) await getPage(`made-up-${i}.example`);
    expect(headcount.log).toHaveLength(3);
    await getPage('a b.example"\u001b[31m');
    expect(headcount.log).toHaveLength(3);
  });
});
