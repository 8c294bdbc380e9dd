import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { findProgram } from '../support/machine/program.ts';
import { person } from '../support/tracker/agent-visit.ts';
import { generators } from './generators.ts';
import { makeSite, note } from './site.ts';

let headcount: Headcount;
let browser: Browser;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

test.for(generators)('pages made with $name are counted', async (generator, { skip }) => {
  const { program, second = '/two' } = generator;
  if (program !== undefined && findProgram(program) === undefined) skip(`${program} is not installed`);
  const { projectId, views } = await headcount.addProject();
  const site = await makeSite(generator, headcount.url, { projectId });
  const page = await browser.newPage();
  await page.goto(await site.start());
  await page.getByText('Go on').click();
  await page.waitForURL(/\/two/);
  await expect.poll(() => views(), { message: site.output }).toEqual({ '/': person(), [second]: person() });
  await page.close();
  if (program === undefined) await note(generator, site);
});
