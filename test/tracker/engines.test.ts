import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { EventsReply } from '../../shared/reports/analytics.ts';
import { engines } from '../support/engines/engine.ts';
import { flowsOf, pagesOf } from '../support/engines/flows.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { startSite } from '../support/sites/site.ts';

let headcount: Headcount;

beforeAll(async () => {
  // All in one day, also around midnight.
  const startedAt = Date.now();
  headcount = await startHeadcount({ now: () => startedAt });
});
afterAll(() => headcount.stop());

test.for(engines)('pages are counted alike in $name', async ({ browser, lacks, open }, context) => {
  const lacking = lacks();
  if (lacking) leaveOut(context, lacking);
  const project = await headcount.addProject({ keptParameters: ['page'] });
  const { projectId, get } = project;
  const flows = flowsOf(headcount.url, projectId);
  const files = {
    script: await (await fetch(`${headcount.url}/hc.js`)).text(),
    module: await readFile(join(import.meta.dirname, '..', '..', 'dist', 'headcount.js'), 'utf8'),
  };
  const site = await startSite(pagesOf(flows, headcount.url, projectId, files));
  onTestFinished(site.stop);
  onTestFinished(await open(`${site.url}/`));
  const ended = () => site.requests.find((url) => url.startsWith('/end?'));
  await expect.poll(() => ended() ?? site.requests.at(-1)).toMatch(/^\/end/);
  const hasNavigation = ended() === '/end?navigation=true';
  const views = flows.map((flow) => ({ ...flow.views, ...(hasNavigation && flow.navigationViews) }));
  await expect.poll(() => project.views()).toEqual(Object.assign({}, ...views));
  const read = <T>(report: string) => get<T>(`/v1/analytics/${projectId}/${report}`);
  const { events } = await read<EventsReply>('events');
  expect(Object.fromEntries(events.map(({ event, events }) => [event, events]))).toEqual({
    ...{ Module: 1, Partner: 1, 'Sign up': 1, 'Site search': 1 },
    ...{ 'Outbound link': 4, Download: 1, Marked: 2 },
  });
  const { browsers } = await read<{ browsers: { browser: string }[] }>('browsers');
  expect(browsers.map((row) => row.browser)).toEqual([browser]);
  expect(site.requests.filter((url) => url.startsWith('/trouble')).map(decodeURIComponent)).toEqual([]);
});
