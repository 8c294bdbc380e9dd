import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { type Chromium, findChromium, findShell } from './machine/chromium.ts';

/** Host names that end in .test are this machine. */
const usual = [
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
];

/**
 * So that nothing reveals a bot: no "HeadlessChrome", no `navigator.webdriver`. Arguments reach prerendered pages,
 * which emulation does not.
 */
const personal = [
  ...usual,
  '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  '--disable-blink-features=AutomationControlled',
  '--accept-lang=en-US,en',
];

/** For pages whose own server looks at requests: the packaged Chromium sends this header without a visible page. */
export const personalContext: BrowserContextOptions = {
  extraHTTPHeaders: { 'sec-ch-ua': '"Chromium";v="142", "Not A(Brand";v="99"' },
};

/** Chromium, with its back/forward cache. */
export async function startBrowser(): Promise<Browser> {
  return launch(await findChromium());
}

/** Chromium for pages of our own. */
export async function startShell(): Promise<Browser> {
  return launch(await findShell());
}

/** Chromium as programs start it: every page can see that it is automated. */
export async function startDrivenBrowser(): Promise<Browser> {
  return launch(await findChromium(), usual);
}

/** Browsers of this worker by how they were started. */
const started = new Map<string, Browser>();

/** A worker runs one file after the other, and starts each browser once: to close it closes its pages alone. */
async function launch({ executablePath, env }: Chromium, args = personal): Promise<Browser> {
  const options = { executablePath, env, args, ignoreDefaultArgs: ['--disable-back-forward-cache'] };
  if (process.env.VITEST === undefined) return chromium.launch(options);
  const name = [executablePath, ...args].join(' ');
  const known = started.get(name);
  if (known?.isConnected()) return known;
  const browser = await chromium.launch(options);
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  started.set(name, browser);
  return browser;
}

/**
 * Opens a page with no debugger attached, as Chromium does not prerender under one; the page has to act and
 * report by itself. The returned function ends the browser.
 */
export async function openUndriven(url: string): Promise<() => Promise<void>> {
  const { executablePath, env } = await findChromium();
  const profile = await mkdtemp(join(tmpdir(), 'headcount-chromium-'));
  const quiet = [
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  const child = spawn(
    executablePath,
    ['--headless', ...personal, ...quiet, `--user-data-dir=${profile}`, url],
    { env, stdio: 'ignore' },
  );
  const exit = once(child, 'exit');
  return async () => {
    child.kill();
    await exit;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}
