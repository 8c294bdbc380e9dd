// Writes the pictures of the README into docs/: "npm run screenshots". The dataset is the seeded one of the tests.
import { mkdir } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { JobReply } from '../shared/job.ts';
import { startBrowser } from '../test/support/browser.ts';
import { type DashboardWorld, startDashboardWorld } from '../test/support/dashboard/world.ts';
import { sendFromBrowser } from '../test/support/dataset/sender.ts';
import { pages, prompt, scriptedModel, slug } from './site.ts';

const folder = join(import.meta.dirname, '..', 'docs');
/** Late on a Friday, so that the day has its visitors. */
const endsAt = '2026-11-20T20:40:00Z';
const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

interface Shot {
  name: string;
  path: string;
  viewport: { width: number; height: number };
  scheme: 'light' | 'dark';
  isSignedOut?: boolean;
}

function shotsOf(projectId: string, jobId: string): Shot[] {
  const base = `/p/${projectId}`;
  const light = { viewport: desktop, scheme: 'light' } as const;
  const dark = { viewport: desktop, scheme: 'dark' } as const;
  const small = { viewport: phone, scheme: 'light' } as const;
  const smallDark = { viewport: phone, scheme: 'dark' } as const;
  return [
    { name: 'overview-light', path: `${base}?range=90d`, ...light, viewport: { ...desktop, height: 1560 } },
    { name: 'overview-dark', path: base, ...dark },
    { name: 'overview-phone', path: base, ...small },
    { name: 'overview-phone-dark', path: `${base}?range=90d`, ...smallDark },
    { name: 'client-light', path: `${base}?client=GPTBot`, ...light },
    { name: 'job-light', path: `${base}/jobs/${jobId}`, ...light },
    { name: 'job-phone-dark', path: `${base}/jobs/${jobId}`, ...smallDark },
    { name: 'keys-dark', path: `${base}/keys`, ...dark },
    { name: 'install-light', path: `${base}/install`, ...light },
    { name: 'settings-dark', path: `${base}/settings`, ...dark },
    { name: 'sign-in-phone', path: '/sign-in', ...small, isSignedOut: true },
  ];
}

async function take(browser: Browser, { url, clock, client }: DashboardWorld, shot: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: shot.viewport,
    colorScheme: shot.scheme,
    deviceScaleFactor: shot.viewport.width < 500 ? 2 : 1,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const [name = '', value = ''] = client.cookie.split('=');
  if (!shot.isSignedOut) await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  await page.clock.setFixedTime(clock.now());
  await page.goto(url + shot.path);
  await settle(page);
  await page.screenshot({ path: join(folder, `${shot.name}.png`) });
  await context.close();
}

/** Waits until everything has been read. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy=true], .skeleton, .placeholder').first().waitFor({ state: 'detached' });
}

/** Keys, links and a job, as a site has them. Answers the job's id. */
async function addContent({ client, projectId, jobs }: DashboardWorld): Promise<string> {
  const admin = `/v1/admin/projects/${projectId}`;
  await client.must('PATCH', admin, jobs);
  await client.must('POST', `${admin}/keys`, { name: 'edge worker', scope: 'ingest' });
  await client.must('POST', `${admin}/keys`, { name: 'weekly report', scope: 'admin' });
  const agent = `/v2/agent/${projectId}`;
  const { id } = await client.must<JobReply>('POST', `${agent}/job`, { prompt });
  for (;;) {
    const job = await client.must<JobReply>('GET', `${agent}/job/${id}`);
    if (job.status === 'failed') throw new Error('The job failed.');
    if (job.status !== 'active') return id;
    await pause(100);
  }
}

/** Sends views, so that there are visitors right now. */
async function visit(world: DashboardWorld): Promise<void> {
  world.clock.advance(6 * 60_000);
  const views = world.dataset.at(-1)?.views ?? [];
  const people = new Map(views.flatMap((view) => (view.via === 'script' ? [[view.address, view]] : [])));
  const agent = new Agent();
  for (const view of [...people.values()].slice(-17)) await sendFromBrowser(world, view, agent);
  const clients = views.filter(({ fate }) => fate.dropped === undefined && fate.kind === 'ai');
  const hits = clients
    .filter((_view, index) => index % 12 === 0)
    .map(({ url, address, userAgent, accept }) => ({
      url,
      ip: address,
      userAgent,
      ...(accept !== undefined && { headers: { accept } }),
    }));
  const answer = await world.hits(hits);
  if (!answer.ok) throw new Error(`The hits were refused: ${await answer.text()}`);
  agent.destroy();
}

async function main(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const world = await startDashboardWorld({ dataset: { endsAt }, script: scriptedModel, slug, files: pages });
  const browser = await startBrowser();
  try {
    const jobId = await addContent(world);
    await visit(world);
    for (const shot of shotsOf(world.projectId, jobId)) await take(browser, world, shot);
  } finally {
    await browser.close();
    await world.stop();
  }
}

await main();
