// Writes the pictures of the README and of every view into docs/: "npm run screenshots", or with "-- views/rules" some of them. The dataset is the seeded one of the tests.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { LinkReply } from '../shared/accounts/admin.ts';
import type { ProjectRole } from '../shared/accounts/role.ts';
import type { JobReply } from '../shared/jobs/job.ts';
import { startBrowser } from '../test/support/browser.ts';
import { scrollThrough } from '../test/support/dashboard/page.ts';
import { invite, join as joinAs } from '../test/support/dashboard/people.ts';
import { type DashboardWorld, startDashboardWorld } from '../test/support/dashboard/world.ts';
import { sendFromBrowser } from '../test/support/dataset/sender.ts';
import { answeredHits } from './answers.ts';
import { automations } from './automations.ts';
import { addFindings } from './findings.ts';
import { addOddProjects } from './odd-projects.ts';
import { writePlaces } from './places.ts';
import { type Shot, shotsOfDocs, shotsOfViews } from './shots.ts';
import { pages, prompt, scriptedModel, slug } from './site.ts';

const folder = join(import.meta.dirname, '..', 'docs');
/** Late on a Friday, so that the day has its visitors. */
const endsAt = '2026-11-20T20:40:00Z';
/** Besides those that are shown. */
const otherProjects = 200;

async function take(browser: Browser, { url, clock, client }: DashboardWorld, shot: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: shot.viewport,
    colorScheme: shot.scheme,
    deviceScaleFactor: shot.viewport.width < 500 && !shot.isForReview ? 2 : 1,
    reducedMotion: 'reduce',
    locale: shot.locale ?? 'en-GB',
    timezoneId: 'UTC',
  });
  const [name = '', value = ''] = client.cookie.split('=');
  if (!shot.isSignedOut) await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  await page.clock.setFixedTime(clock.now());
  await page.goto(url + shot.path);
  // Icons come when somebody does something.
  await page.mouse.move(1, 1);
  await settle(page);
  // What is far below is loaded when it is seen.
  if (shot.isWhole || shot.unfold) await scrollThrough(page);
  if (shot.press) await page.getByRole('button', { name: shot.press }).click();
  if (shot.unfold) {
    // On a phone the last panels are folded.
    const last = page.locator('.fold [aria-expanded=false]').last();
    if (await last.isVisible()) await last.click();
    await page.getByText(shot.unfold).first().click();
  }
  if (shot.choose) await page.getByLabel(shot.choose.field).selectOption({ label: shot.choose.option });
  await settle(page);
  await save(page, shot);
  await context.close();
}

/** Those of the README as PNG; the many others as WebP, which takes a fifth of the room. */
async function save(page: Page, { name, isForReview = false, isWhole = false, from }: Shot): Promise<void> {
  if (!isForReview) return void (await page.screenshot({ path: join(folder, `${name}.png`) }));
  const part = isWhole && (await showWhole(page, from));
  const tools = await page.context().newCDPSession(page);
  const { data } = await tools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    ...(part && { clip: { x: 0, scale: 1, ...part } }),
  });
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}

/** Makes the window as high as the page, of which the picture is all, or what begins with the panel of a report. */
async function showWhole(page: Page, from?: string): Promise<{ y: number; width: number; height: number }> {
  const { width = 0 } = page.viewportSize() ?? {};
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width, height });
  await settle(page);
  await page.evaluate('scrollTo(0, 0)');
  const panel = from && (await page.locator(`[data-report=${from}]`).boundingBox());
  const y = panel ? panel.y - 12 : 0;
  return { y, width, height: height - y };
}

/** Waits until everything has been read. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('[aria-busy=true], .skeleton, .placeholder').first().waitFor({ state: 'detached' });
}

/** Keys, links, automations and a job, as a site has them. */
async function addContent({
  client,
  clock,
  projectId,
  jobs,
}: DashboardWorld): Promise<{ jobId: string; share: string }> {
  const admin = `/v1/admin/projects/${projectId}`;
  await client.must('PATCH', admin, jobs);
  await client.must('POST', `${admin}/keys`, { name: 'edge worker', scope: 'ingest' });
  await client.must('POST', `${admin}/keys`, { name: 'weekly report', scope: 'admin' });
  const { url } = await client.must<LinkReply>('POST', `${admin}/links`, { kind: 'page' });
  await client.must('POST', `${admin}/links`, { kind: 'badge' });
  const share = new URL(url).pathname;
  const agent = `/v2/agent/${projectId}`;
  for (const automation of automations) {
    // They are listed in the order in which they were added.
    clock.advance(1_000);
    await client.must('POST', `${agent}/automations`, automation);
  }
  const { id } = await client.must<JobReply>('POST', `${agent}/job`, { prompt });
  for (;;) {
    const job = await client.must<JobReply>('GET', `${agent}/job/${id}`);
    if (job.status === 'failed') throw new Error('The job failed.');
    if (job.status !== 'active') return { jobId: id, share };
    await pause(100);
  }
}

/** Others than the administrator: one who has signed in, one who has not. */
async function addPeople({ url, client, projectId }: DashboardWorld): Promise<void> {
  const ada: ProjectRole[] = [{ projectId: null, role: 'viewer' }];
  await joinAs({ url }, client, 'ada', [...ada, { projectId, role: 'editor' }]);
  await invite(client, 'grace@example.com', [{ projectId, role: 'owner' }]);
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
  const answer = await world.hits([...hits, ...answeredHits]);
  if (!answer.ok) throw new Error(`The hits were refused: ${await answer.text()}`);
  agent.destroy();
}

/** Those whose names begin with one of the arguments, or all. */
function chosen(shots: readonly Shot[]): readonly Shot[] {
  const beginnings = process.argv.slice(2);
  if (beginnings.length === 0) return shots;
  return shots.filter(({ name }) => beginnings.some((beginning) => name.startsWith(beginning)));
}

async function main(): Promise<void> {
  await mkdir(join(folder, 'views'), { recursive: true });
  const temporary = await mkdtemp(join(tmpdir(), 'headcount-screenshots-'));
  const world = await startDashboardWorld({
    env: { HEADCOUNT_COUNTRY_DATABASE: await writePlaces(temporary) },
    dataset: { endsAt, silenced: true, events: true },
    script: scriptedModel,
    slug,
    files: pages,
  });
  const browser = await startBrowser();
  try {
    const content = await addContent(world);
    await visit(world);
    await addFindings(world);
    const odd = await addOddProjects(world, otherProjects);
    const shown = { projectId: world.projectId, odd, ...content };
    const takeAll = async (shots: readonly Shot[]) => {
      for (const shot of chosen(shots)) await take(browser, world, shot);
    };
    await takeAll(shotsOfDocs(shown));
    await addPeople(world);
    await takeAll(shotsOfViews(shown));
  } finally {
    await browser.close();
    await world.stop();
    await rm(temporary, { recursive: true });
  }
}

await main();
