import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeCommands } from '../../server/command-line.ts';
import { settingGroups } from '../../server/config/settings.ts';
import { describeFormats } from '../../server/import/formats/formats.ts';
import { operations } from '../../server/operations.ts';
import type { Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import { startShell } from '../support/browser.ts';
import { expectNoSideways, findViolations } from '../support/dashboard/page.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

const get = (path: string) => fetch(headcount.url + path, { redirect: 'manual' });
const textOf = async (path: string) => (await get(path)).text();

test('the server serves its documentation, which asks nothing of other servers', async () => {
  const moved = await get('/help');
  expect([moved.status, moved.headers.get('location')]).toEqual([301, '/help/']);
  const start = await get('/help/');
  expect(start.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(start.headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(await start.text()).toContain('<title>Headcount</title>');
  const page = await textOf('/help/operations.html');
  expect(page).toContain('<h2 id="backup">');
  expect(page).toContain('href="configuration.html#');
  expect(page.match(/(?:src|(?<=<link )[^>]*href)="https?:[^"]+"/g)).toBeNull();
});

test('each page is there as Markdown, whose links lead to Markdown, and llms.txt lists the pages for users', async () => {
  const markdown = await get('/help/operations.md');
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(await markdown.text()).toMatch(/^# Operations\n(?:.*\n)*.*\]\(configuration\.md#/);
  expect(await textOf('/help/operations.html')).toContain(
    '<link rel="alternate" type="text/markdown" href="operations.md">',
  );
  const list = await textOf('/help/llms.txt');
  expect(list).toMatch(/^# Headcount\n\n> .+\n/);
  expect(list).toContain('- [Access logs](access-logs.md): nginx, Apache');
  expect(list).not.toContain('architecture.md');
  const names = Array.from(list.matchAll(/\]\(([\w.-]+)\)/g), ([, name]) => `/help/${name}`);
  const statuses = await Promise.all(names.map(async (name) => [name, (await get(name)).status]));
  expect(statuses.length).toBeGreaterThan(20);
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
  expect(await textOf('/help/llms-full.txt')).toContain('\n# Operations\n');
});

test('references of commands and settings are written from what is declared', async () => {
  const commands = await textOf('/help/commands.md');
  for (const { name, help } of await describeCommands()) {
    expect(commands).toContain(`\n## ${name}\n`);
    const options = name === 'serve' ? [] : (help.match(/--[a-z][a-z-]+/g) ?? []);
    expect(options.filter((option) => !commands.includes(option))).toEqual([]);
  }
  const routes = await textOf('/help/routes.md');
  for (const { method, path } of operations.filter((route) => !route.path.startsWith('/v1/admin'))) {
    expect(routes).toContain(`| \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\` |`);
  }
  const formats = await textOf('/help/log-formats.md');
  expect(describeFormats().filter((row) => !formats.includes(row))).toEqual([]);
  const settings = await textOf('/help/settings.md');
  for (const { name, standard } of settingGroups.flatMap(({ settings }) => settings)) {
    expect(settings).toContain(`| \`${name}\` | ${standard.replaceAll('<', '\\<')} |`);
  }
});

test('each report and each panel is explained at a place of a page', async () => {
  const names = Object.entries<Report>(reports).flatMap(([path, { panels = [] }]) => [
    path.split('/').at(-1) as string,
    ...panels.flatMap(({ name }) => name ?? []),
  ]);
  const unexplained = new Set(['filters', 'effect']);
  for (const name of new Set(['clients', 'conversions', 'properties', 'paths', ...names])) {
    const moved = await get(`/help/report/${name}`);
    const to = moved.headers.get('location') ?? '';
    const [page = '', anchor] = to.split('#');
    expect([name, moved.status, to === '/help/dashboard.html']).toEqual([name, 302, unexplained.has(name)]);
    const text = await textOf(page);
    expect(text).toContain('<title>');
    if (anchor !== undefined) expect([name, text.includes(` id="${anchor}"`)]).toEqual([name, true]);
  }
  expect((await get('/help/report/%0d%0aSet-Cookie:x')).headers.get('location')).toBe('/help/dashboard.html');
});

test('texts and messages name no file of the repository, and pages of the documentation that are there', async () => {
  const home = join(import.meta.dirname, '..', '..');
  const pages = globSync('docs/*.md', { cwd: home });
  const named = new RegExp(`(?:${pages.join('|')}|README\\.md|CONTRIBUTING\\.md)`);
  // What agents get is of the repository that they work in.
  const files = globSync(['{server,shared,dashboard,tracker,connect}/**/*.{ts,tsx,json}', '*.{sh,js}'], {
    cwd: home,
    exclude: ['server/jobs/**'],
  });
  const lines = files.flatMap((file) =>
    readFileSync(join(home, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/?\*|\/\/|#)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(lines.filter((line) => named.test(line))).toEqual([]);
  const places = lines.flatMap((line) => line.match(/\/help\/[\w-]+\.html(?:#[\w-]+)?/g) ?? []);
  expect(places).not.toEqual([]);
  for (const place of places) {
    const [page = '', anchor] = place.split('#');
    const shown = anchor === undefined ? '<title>' : ` id="${anchor}"`;
    expect([place, (await textOf(page)).includes(shown)]).toEqual([place, true]);
  }
});

test('a page that is not there is a 404', async () => {
  for (const name of ['nothing.html', '..%2fpackage.json', '%2e%2e%2fdashboard%2findex.html']) {
    expect([name, (await get(`/help/${name}`)).status]).toEqual([name, 404]);
  }
});

test('the search finds a section by the beginnings of its words', async () => {
  const browser = await startShell();
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(`${headcount.url}/help/api.html`);
  await page.keyboard.press('/');
  await page.keyboard.type('restor');
  await page.getByRole('link', { name: 'Operations: Restore' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/help/operations.html#restore');
  await page.getByRole('searchbox').fill('zzyzx');
  await page.getByText('Nothing found for “zzyzx”.').waitFor();
  await page.close();
  expect(faults).toEqual([]);
});

test.each([
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const)('its pages are accessible and fit: $width px, $colorScheme', async ({ width, colorScheme }) => {
  const browser = await startShell();
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  for (const name of ['', 'operations.html', 'access-logs.html']) {
    await page.goto(`${headcount.url}/help/${name}`);
    expect(await findViolations(page)).toEqual([]);
    await expectNoSideways(page);
  }
  await page.close();
});
