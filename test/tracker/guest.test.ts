import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

describe('nobody is counted who does not want it', () => {
  test('with headcount.ignore in localStorage', async () => {
    const visit = await startVisit((tag) => ({ '*': html(tag()) }));
    await visit.context.addInitScript('localStorage["headcount.ignore"] ??= "";');
    await visit.open('/');
    await visit.run('history.pushState({}, "", "/docs"); headcount("/manual");');
    await visit.run('delete localStorage["headcount.ignore"]');
    await visit.endsWith({});
  });

  test.each([
    ['Global Privacy Control', 'globalPrivacyControl', true],
    ['Do Not Track', 'doNotTrack', '1'],
  ])('with %s, where the site respects it', async (_name, property, value) => {
    const visit = await startVisit((tag) => ({
      '/respectful': html(tag('data-respect-gpc')),
      '/': html(tag()),
    }));
    await visit.context.addInitScript(
      `Object.defineProperty(navigator, '${property}', { value: ${JSON.stringify(value)} })`,
    );
    await visit.open('/respectful');
    await visit.run('headcount("/manual")');
    await visit.open('/');
    await visit.endsWith({ '/': 1 });
  });

  test('and everybody else is, where the site respects it', async () => {
    const visit = await startVisit((tag) => ({ '/': html(tag('data-respect-gpc')) }));
    await visit.open('/');
    await visit.endsWith({ '/': 1 });
  });

  test('on a local file', async () => {
    const visit = await startVisit((tag) => ({ '*': html(tag()) }));
    const folder = await mkdtemp(join(tmpdir(), 'headcount-page-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'page.html');
    await writeFile(
      file,
      html(`<script defer src="${visit.server}/hc.js" data-project="${visit.projectId}"></script>`),
    );
    await visit.page.goto(pathToFileURL(file).href);
    expect(await visit.run('typeof headcount')).toBe('function');
    await visit.run(`headcount(); headcount('${visit.site.url}/manual');`);
    await visit.open('/');
    await visit.endsWith({ '/': 1 });
    expect(visit.problems).toEqual([]);
  });
});

test('a page with a strict content security policy and integrity check is counted', async () => {
  let script = '';
  const visit = await startVisit((tag, server) => ({
    '*': () => ({
      body: html(
        tag(`integrity="sha384-${createHash('sha384').update(script).digest('base64')}" crossorigin`),
      ),
      headers: {
        'Content-Security-Policy': `default-src 'none'; script-src ${server}/hc.js; connect-src ${server}/v1/hit; require-trusted-types-for 'script'; trusted-types 'none'`,
      },
    }),
  }));
  script = await (await fetch(`${visit.server}/hc.js`)).text();
  await visit.open('/');
  await visit.run('history.pushState({}, "", "/docs")');
  await visit.endsWith({ '/': 1, '/docs': 1 });
  expect(visit.problems).toEqual([]);
});

describe('the script counts a view once', () => {
  test('when it stands on the page twice, and is added a third time later', async () => {
    const visit = await startVisit((tag) => ({ '*': html(tag() + tag(), tag()) }));
    await visit.open('/');
    await visit.run(`
      const again = document.createElement('script');
      const { src, dataset } = document.querySelector('script');
      Object.assign(again, { src: src + '?again', onload: () => { document.loaded = true; } });
      again.dataset.project = dataset.project;
      document.body.append(again);
    `);
    await visit.page.waitForFunction('document.loaded');
    await visit.run('history.pushState({}, "", "/docs")');
    await visit.endsWith({ '/': 1, '/docs': 1 });
  });

  test('when a script adds it, or it runs as a module', async () => {
    const visit = await startVisit((tag, server, projectId) => ({
      '/added': html(`<script>
        const script = document.createElement('script');
        script.src = '${server}/hc.js';
        script.dataset.project = '${projectId}';
        document.head.append(script);
      </script>`),
      '/module': html(tag('type="module"')),
    }));
    await visit.open('/added');
    await visit.open('/module');
    await visit.endsWith({ '/added': 1, '/module': 1 });
  });

  test('when it counts for two projects', async () => {
    const other = await startVisit(() => ({}));
    const visit = await startVisit((tag) => ({
      '*': html(tag() + tag().replace(/data-project="[^"]+"/, `data-project="${other.projectId}"`)),
    }));
    await visit.open('/');
    await visit.run('history.pushState({}, "", "/docs")');
    await visit.endsWith({ '/': 1, '/docs': 1 });
    await expect.poll(() => other.read('views')).toEqual({ '/': 1, '/docs': 1 });
  });

  test('when the page has something else of the name', async () => {
    const visit = await startVisit((tag) => ({
      '/element': html(tag(), '<p id="headcount">42</p>'),
      '/function': html(`<script>function headcount() { return 42; }</script>${tag()}`),
      '/': html(tag()),
    }));
    await visit.open('/element');
    expect(await visit.run('headcount.textContent')).toBe('42');
    await visit.open('/function');
    expect(await visit.run('headcount()')).toBe(42);
    await visit.open('/');
    await visit.endsWith({ '/element': 1, '/function': 1, '/': 1 });
  });
});

describe('a page is left in peace', () => {
  const breaks = {
    'has no fetch': 'delete window.fetch',
    'has a fetch that throws': 'window.fetch = () => { throw new Error("No fetch here") }',
    'has a fetch that fails': 'window.fetch = () => Promise.reject(new Error("No fetch here"))',
    'has a fetch that answers nothing': 'window.fetch = () => {}',
  };
  test.each(Object.entries(breaks))('that %s', async (_name, script) => {
    const visit = await startVisit((tag) => ({
      '/broken': html(`<script>${script}</script>${tag()}`),
      '/': html(tag()),
    }));
    await visit.open('/broken');
    await visit.run('history.pushState({}, "", "/broken/too"); headcount("/manual");');
    await visit.open('/');
    await visit.endsWith({ '/': 1 });
    expect(visit.problems).toEqual([]);
  });

  test.each([
    ['the Navigation API', '', { '/': 1, '/pushed': 1 }],
    // Then nothing tells of a push, and the first view has to do.
    ['nothing but history', 'delete window.navigation', { '/': 1 }],
  ])('that froze its history in a browser with %s', async (_name, script, views) => {
    const visit = await startVisit((tag) => ({
      '*': html(`<script>Object.freeze(history); Object.freeze(History.prototype);</script>${tag()}`),
    }));
    await visit.context.addInitScript(script);
    await visit.open('/');
    await visit.run('history.pushState({}, "", "/pushed")');
    await visit.endsWith(views);
    expect(visit.problems).toEqual([]);
  });

  test('that has no storage, and is counted', async () => {
    const visit = await startVisit((tag) => ({
      '/': html('', '<iframe sandbox="allow-scripts" src="/framed"></iframe>'),
      '/framed': html(tag()),
    }));
    await visit.open('/');
    await expect.poll(() => visit.read('views')).toEqual({ '/framed': 1 });
    expect(visit.problems).toEqual([]);
  });

  test('with nothing stored and one name added', async () => {
    const visit = await startVisit((tag) => ({ '/tracked': html(tag()), '/plain': html('') }));
    const names = 'Reflect.ownKeys(window).map(String).sort()';
    await visit.open('/plain');
    const before = await visit.run<string[]>(names);
    await visit.open('/tracked');
    await visit.run('history.replaceState({}, "", "?x"); headcount();');
    expect(await visit.run(names)).toEqual([...before, 'headcount'].sort());
    await visit.endsWith({ '/tracked': 2 });
    expect(
      await visit.run(`(async () => [
        document.cookie,
        localStorage.length,
        sessionStorage.length,
        (await indexedDB.databases()).length,
        (await caches.keys()).length,
      ])()`),
    ).toEqual(['', 0, 0, 0, 0]);
    expect(await visit.context.cookies()).toEqual([]);
  });
});

test('the noscript image counts where no script runs', async () => {
  const visit = await startVisit(
    (tag, server, projectId) => ({
      '*': html(
        tag(),
        `<noscript><img src="${server}/v1/image/${projectId}" alt="" width="1" height="1" style="position:absolute" referrerpolicy="no-referrer-when-downgrade"></noscript>`,
      ),
    }),
    { javaScriptEnabled: false },
  );
  await visit.open('/docs/page?query#part');
  await visit.open('/');
  await expect.poll(() => visit.read('views')).toEqual({ '/docs/page': 1, '/': 1 });
  expect(visit.problems).toEqual([]);
});
