import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';
import { startBrowser } from '../../test/support/browser.ts';
import { type Site, startSite } from '../../test/support/sites/site.ts';
import { atMost, type Bench, type Finding } from '../bench.ts';

const elements = 10_000;
/** Times slower than this machine, as a phone is. */
const slowdown = 6;
const seconds = 40;
/** Until the page is laid out and its view is sent. */
const settleMs = 5_000;
const target = 1;

const script = readFileSync(join(import.meta.dirname, '..', '..', 'dist', 'hc.js'));

/** What looking for agents costs a large page that nothing happens on, in a tab that is seen and in one that is hidden. */
export async function measureLook({ log, signal }: Bench): Promise<Finding[]> {
  const [browser, site] = await Promise.all([startBrowser(), startSite(pages())]);
  const end = () => void browser.close();
  signal.addEventListener('abort', end);
  try {
    log(`a page of ${elements} elements, ${slowdown} times slower, three times ${seconds} s`);
    const without = await measurePage(browser, site, '/without');
    const seen = (await measurePage(browser, site, '/seen')) - without;
    const hidden = (await measurePage(browser, site, '/hidden')) - without;
    return [findingOf('in a tab that is seen', seen), findingOf('in a hidden one', hidden)];
  } finally {
    signal.removeEventListener('abort', end);
    await browser.close();
    await site.stop();
  }
}

function findingOf(where: string, msPerSecond: number): Finding {
  return {
    what: `CPU time of the page a second, ${where}`,
    value: `${msPerSecond.toFixed(2)} ms`,
    target: atMost(msPerSecond, target, ' ms'),
  };
}

/** Three kinds of tags, and ids on a quarter of them, as selectors are slower where there is more to compare. */
function pages(): Parameters<typeof startSite>[0] {
  const row = (number: number) =>
    `<div id="row-${number}"><a href="#${number}" title="t"><b>x</b></a><p data-row="${number}">y</p></div>`;
  const body = Array.from({ length: elements / 4 }, (_, number) => row(number)).join('');
  const page = (head: string) => ({
    body: `<!doctype html>${head}${body}`,
    headers: { 'content-type': 'text/html' },
  });
  const line = '<script defer src="/hc.js" data-project="p"></script>';
  const hide = '<script>Object.defineProperty(document, "hidden", { value: true })</script>';
  return {
    '/hc.js': { body: script, headers: { 'content-type': 'text/javascript' } },
    '/v1/hit': '',
    '/without': page(''),
    '/seen': page(line),
    '/hidden': page(hide + line),
  };
}

/** Milliseconds a second. */
async function measurePage(browser: Browser, site: Site, path: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  // Of the thread, whatever else the machine does.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(site.url + path);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await pause(settleMs);
  const before = await scriptMs(session);
  await pause(seconds * 1000);
  const after = await scriptMs(session);
  await context.close();
  return (after - before) / seconds;
}

async function scriptMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0);
}
