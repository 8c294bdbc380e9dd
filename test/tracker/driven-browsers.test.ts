import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startDrivenBrowser } from '../support/browser.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import {
  agent,
  appear,
  clientsOf,
  drivenSite,
  pass,
  settles,
  viewsOf,
} from '../support/tracker/agent-visit.ts';
import { visits } from '../support/tracker/visit.ts';

const startVisit = visits(startDrivenBrowser);

/** What a browser that a program drives says of itself besides. */
const browsers: [name: string, options: BrowserContextOptions, family: string][] = [
  ['with windows', { userAgent: chromeUserAgent }, 'automated browser'],
  ['without windows', {}, 'headless browser'],
];

describe.each(browsers)(
  'a browser %s that says itself that a program drives it',
  (_name, options, family) => {
    const dropped = (hits: number) => ({ dropped: [{ reason: 'bot', family, hits }] });

    test('is a bot, and nothing more is sent of it', async () => {
      const visit = await drivenSite(startVisit, options);
      const hits: string[] = [];
      visit.context.on('request', (request) => {
        if (request.url().endsWith('/v1/hit')) hits.push(JSON.parse(request.postData() ?? '').a);
      });
      await visit.open('/');
      expect(await visit.run('navigator.webdriver')).toBe(true);
      await pass(visit);
      expect(hits).toEqual(['w']);
      await expect.poll(() => visit.get('dropped')).toMatchObject(dropped(1));
      expect(await viewsOf(visit)).toEqual({});
    });

    test('is AI with an agent at work, from the moment that it shows', async () => {
      const visit = await drivenSite(startVisit, options);
      await visit.open('/driven');
      await settles(visit, { '/driven': agent() });
      await visit.open('/');
      await visit.run(appear);
      await settles(visit, { '/driven': agent(), '/': agent() });
      expect(await clientsOf(visit)).toEqual(['Claude in Chrome']);
      expect(await visit.get('dropped')).toMatchObject(dropped(1));
    });
  },
);
