import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readStoredSettings } from '../../shared/project/project.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

const set = (settings: object) =>
  fetch(`${headcount.url}/v1/projects/${headcount.projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });

describe('a host is stored as browsers write it', () => {
  test.each([
    ['b\u00fccher.example', 'xn--bcher-kva.example'],
    ['*.B\u00dcCHER.example', '*.xn--bcher-kva.example'],
    [' example.com. ', 'example.com'],
    ['\uff45xample\uff0ecom', 'example.com'],
    ['\uff11\uff12\uff17.0.0.\uff11', '127.0.0.1'],
    ['site\uff11.example', 'site1.example'],
    ['::1', '[::1]'],
    ['[2001:DB8:0:0::1]', '[2001:db8::1]'],
  ])('%s as %s', async (written, stored) => {
    const response = await set({ hosts: [written] });
    expect(response.status).toBe(200);
    expect(JSON.stringify(await response.json())).toContain(JSON.stringify([stored]));
  });

  test.each([
    'https://example.com',
    'example.com:8080',
    'example.com:\uff18\uff10',
    '[::\uff11]',
    'example.com/a',
    'a b.example',
    'user@example.com',
    '%61.example',
  ])('%s is refused', async (written) => {
    const response = await set({ hosts: [written] });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('must be a host name');
  });

  test('a hit of the host that browsers send counts', async () => {
    await set({ hosts: ['b\u00fccher.example'] });
    for (const host of ['xn--bcher-kva.example', 'xn--bcher-kva.example.']) {
      const response = await headcount.hits([
        { url: `https://${host}/a`, ip: '192.0.2.1', userAgent: chromeUserAgent },
      ]);
      expect(await response.json()).toEqual({ accepted: 1, dropped: [] });
    }
  });

  test('siteHost and agentHosts too', async () => {
    const response = await set({
      siteHost: 'B\u00fccher.example.',
      agentHosts: ['docs.b\u00fccher.example'],
    });
    expect(await response.json()).toMatchObject({
      siteHost: 'xn--bcher-kva.example',
      agentHosts: ['docs.xn--bcher-kva.example'],
    });
  });

  test('hosts that an earlier version noted are noted once', () => {
    const seenHosts = ['b\u00fccher.example', 'xn--bcher-kva.example', 'a.example.', 'a.example'];
    expect(readStoredSettings({ name: 'Old', seenHosts }).seenHosts).toEqual([
      'xn--bcher-kva.example',
      'a.example',
    ]);
  });

  test('settings of an earlier version match from now on, and never count all hosts', () => {
    const stored = { name: 'Old', hosts: ['b\u00fccher.example'], siteHost: 'b\u00fccher.example' };
    expect(readStoredSettings(stored)).toMatchObject({
      hosts: ['xn--bcher-kva.example'],
      siteHost: 'xn--bcher-kva.example',
    });
    expect(readStoredSettings({ name: 'Old', hosts: ['no host', 'a.example'] }).hosts).toEqual([
      'host.invalid',
      'a.example',
    ]);
  });
});
