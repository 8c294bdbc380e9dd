import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { parse } from 'acorn';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PropertiesReply } from '../../shared/reports/analytics.ts';
import { html, visits } from '../support/tracker/visit.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');

const startVisit = visits();

describe('the script as it is served', () => {
  const readScript = async (file = 'hc.js') => {
    const { server } = await startVisit(() => ({}));
    return (await fetch(`${server}/${file}`)).text();
  };

  // 700 for counting, and the rest for the marks of agents.
  test('has at most 950 bytes, packed with Brotli', async () => {
    expect(brotliCompressSync(await readScript()).length).toBeLessThanOrEqual(950);
  });

  test('has at most 1,700 bytes with events', async () => {
    expect(brotliCompressSync(await readScript('hc-events.js')).length).toBeLessThanOrEqual(1700);
  });

  test.each(['hc.js', 'hc-events.js'])('leaves a page no names but `headcount`: %s', async (file) => {
    const script = await readScript(file);
    const [statement, ...others] = parse(script, { ecmaVersion: 2019 }).body;
    expect([statement?.type, others]).toEqual(['TryStatement', []]);
    // What a block declares with `let` stays in it; these two words would not.
    expect(script).not.toMatch(/\bvar\b|\bfunction \w/);
  });

  test.each(['hc.js', 'hc-events.js'])('is understood by browsers of 2019: %s', async (file) => {
    const script = await readScript(file);
    expect(() => parse(script, { ecmaVersion: 2019 })).not.toThrow();
  });
});

describe('the module', () => {
  const visitPage = async (options: string) =>
    startVisit((_tag, server, projectId) => ({
      '/headcount.js': async () => ({
        body: await readFile(join(dist, 'headcount.js')),
        headers: { 'Content-Type': 'text/javascript' },
      }),
      '*': html(`<script type="module">
        import { start } from '/headcount.js';
        document.tracker = start({ project: '${projectId}', server: '${server}/', ${options} });
      </script>`),
    }));

  test('counts a page and its navigations until it is stopped, and adds no name to the page', async () => {
    const visit = await visitPage('');
    await visit.open('/');
    await visit.run('history.pushState({}, "", "/docs#part")');
    await visit.run('document.tracker.view("/virtual"); document.tracker.stop();');
    await visit.run('history.pushState({}, "", "/late"); document.tracker.view();');
    expect(await visit.run('typeof headcount')).toBe('undefined');
    await visit.open('/next');
    await expect.poll(() => visit.read('views')).toEqual({ '/': 1, '/docs': 1, '/virtual': 1, '/next': 1 });
  });

  test('does as its options say', async () => {
    const visit = await visitPage(
      'hash: location.pathname === "/hash", manual: location.pathname === "/manual"',
    );
    await visit.open('/hash#/route');
    await visit.open('/manual#/route');
    await visit.run('document.tracker.view()');
    await visit.open('/#/route');
    await expect.poll(() => visit.read('views')).toEqual({ '/hash#/route': 1, '/manual': 1, '/': 1 });
  });

  test('tells of clicks and searches by itself where its options say so, until it is stopped', async () => {
    const visit = await visitPage('outbound: true, downloads: true, search: ["q"]');
    const click = (attributes: string) =>
      visit.run(`
        document.body.innerHTML = '<a ${attributes}>Link</a>';
        addEventListener('click', (event) => event.preventDefault(), { once: true });
        document.querySelector('a').click();
      `);
    await visit.open('/?q=tea');
    await click('href="https://elsewhere.example/page"');
    await click('href="/price-list.pdf"');
    await click('data-headcount-event="Sign up"');
    const all = { 'Site search': 1, 'Outbound link': 1, Download: 1, 'Sign up': 1 };
    await expect.poll(() => visit.read('events')).toEqual(all);
    await visit.run('document.tracker.stop()');
    await click('data-headcount-event="Late"');
    await visit.open('/?q=coffee');
    const searches = () => visit.get<PropertiesReply>('events/Site%20search/properties');
    await expect
      .poll(async () => (await searches()).properties.map(({ value }) => value))
      .toContain('coffee');
    expect(await visit.read('events')).toEqual(all);
  });

  test('does nothing where there is no page', async () => {
    const { start } = await import(join(dist, 'headcount.js'));
    const tracker = start({ project: 'abc', server: 'http://127.0.0.1:9' });
    expect(() => {
      tracker.view();
      tracker.event('Sign up');
      tracker.stop();
    }).not.toThrow();
  });

  test('brings its types', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-types-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const file of ['headcount.js', 'headcount.d.ts']) await cp(join(dist, file), join(folder, file));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(
      join(folder, 'good.ts'),
      `import { start, type Tracker } from './headcount.js';
       const tracker: Tracker = start({ project: 'abc', server: 'https://stats.example', hash: true });
       tracker.view('/docs');
       tracker.event('Sign up', { plan: 'team' });
       tracker.stop();`,
    );
    await writeFile(
      join(folder, 'bad.ts'),
      `import { start } from './headcount.js';
       start({ project: 'abc' });`,
    );
    const compile = (file: string) => {
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', ''];
      const tsc = join(root, 'node_modules', '.bin', 'tsc');
      return spawnSync(tsc, [...options, file], { cwd: folder, encoding: 'utf8' }).stdout;
    };
    expect(compile('good.ts')).toBe('');
    expect(compile('bad.ts')).toContain("'server' is missing");
  });
});
