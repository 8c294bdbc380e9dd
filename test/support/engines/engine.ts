import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openUndriven } from '../browser.ts';
import { findProgram } from '../machine/program.ts';

/** A browser of another maker. Nobody drives it, so that it does not say that it is automated: the page has to act by itself. */
export interface Engine {
  name: string;
  /** As reports name it. */
  browser: string;
  /** What this machine lacks to run it. */
  lacks(): string | undefined;
  /** Opens a page. The returned function ends the browser. */
  open(url: string): Promise<() => Promise<void>>;
}

const miniBrowser = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser')[0];

/** Firefox asks its maker nothing, and shows no page but the one that it is given. */
const firefoxSettings = [
  ['app.normandy.enabled', false],
  ['app.update.auto', false],
  ['browser.aboutwelcome.enabled', false],
  ['browser.safebrowsing.blockedURIs.enabled', false],
  ['browser.safebrowsing.malware.enabled', false],
  ['browser.safebrowsing.phishing.enabled', false],
  ['browser.shell.checkDefaultBrowser', false],
  ['browser.startup.homepage_override.mstone', 'ignore'],
  ['datareporting.policy.dataSubmissionEnabled', false],
  ['datareporting.policy.firstRunURL', ''],
  ['network.captive-portal-service.enabled', false],
  ['network.connectivity-service.enabled', false],
] as const;

export const engines: readonly Engine[] = [
  { name: 'Chromium', browser: 'Chrome', lacks: () => undefined, open: openUndriven },
  {
    name: 'Firefox',
    browser: 'Firefox',
    lacks: () => (findProgram('firefox-esr') ? undefined : 'firefox-esr is not installed'),
    open: (url) =>
      openIn(async (home) => {
        const settings = firefoxSettings.map((setting) => {
          return `user_pref(${setting.map((part) => JSON.stringify(part)).join(', ')});\n`;
        });
        await writeFile(join(home, 'user.js'), settings.join(''));
        return start(
          'firefox-esr',
          ['--headless', '--no-remote', '--new-instance', '--profile', home, url],
          home,
        );
      }),
  },
  {
    name: 'WebKit',
    browser: 'Safari',
    lacks: () => {
      if (!miniBrowser) return 'libwebkit2gtk-4.1-0 is not installed';
      return findProgram('Xvfb') ? undefined : 'Xvfb is not installed';
    },
    open: (url) =>
      openIn(async (home) => {
        const screen = start(
          'Xvfb',
          ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'],
          home,
          3,
        );
        const [display] = await once(screen.stdio[3] as NodeJS.ReadableStream, 'data');
        const env = {
          DISPLAY: `:${String(display).trim()}`,
          // There is no card to draw with.
          LIBGL_ALWAYS_SOFTWARE: '1',
          WEBKIT_DISABLE_COMPOSITING_MODE: '1',
          WEBKIT_DISABLE_DMABUF_RENDERER: '1',
        };
        return [start(String(miniBrowser), ['--private', url], home, 0, env), screen];
      }),
  },
];

/** In a group of its own, as a browser is many processes. */
function start(program: string, args: string[], home: string, pipe = 0, env = {}): ChildProcess {
  const stdio: ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'ignore'];
  if (pipe) stdio[pipe] = 'pipe';
  return spawn(program, args, { detached: true, stdio, env: { ...process.env, HOME: home, ...env } });
}

async function openIn(
  begin: (home: string) => Promise<ChildProcess | ChildProcess[]>,
): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'headcount-engine-'));
  const children = [await begin(home)].flat();
  return async () => {
    for (const child of children) await end(child);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await exit;
}
