import { describe, expect, test } from 'vitest';
import { html, type Visit, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

const paths = ['/docs', '/docs?page=2', '/about', '#part', '#/users', '#/users/7?tab=2', '#/']
  .map((href) => `<a href="${href}">${href}</a>`)
  .join(' ');
// Where there is no Navigation API, `navigation` is the element.
const links = `<nav id="navigation">${paths}</nav>`;

/** Like a router's: links to paths are pushed, links to fragments are left to the browser. */
const router = `<script>
  addEventListener('click', (event) => {
    const href = event.target.getAttribute('href');
    if (!href.startsWith('/')) return;
    event.preventDefault();
    history.pushState({}, '', href);
  });
</script>`;

describe.each(['navigation', 'no navigation'])('a single-page app in a browser with %s API', (kind) => {
  async function openApp(attributes = '', path = '/'): Promise<Visit> {
    const visit = await startVisit((tag) => ({ '*': html(tag(attributes), links + router) }));
    if (kind === 'no navigation') {
      await visit.context.addInitScript('delete window.navigation');
    }
    await visit.open(path);
    expect(await visit.run('"currentEntry" in navigation')).toBe(kind === 'navigation');
    return visit;
  }
  const click = (visit: Visit, href: string) => visit.page.click(`a[href="${href}"]`);

  test('counts each page that is pushed, and each that the back and forward buttons show', async () => {
    const visit = await openApp();
    await click(visit, '/docs');
    await click(visit, '/about');
    await visit.page.goBack();
    await visit.page.goBack();
    await visit.page.goForward();
    await visit.endsWith({ '/': 2, '/docs': 3, '/about': 1 });
  });

  test('counts a push of another query, and none of the same address', async () => {
    const visit = await openApp();
    await click(visit, '/docs');
    await click(visit, '/docs?page=2');
    await click(visit, '/docs?page=2');
    await visit.run(`history.pushState('state', '')`);
    await visit.endsWith({ '/': 1, '/docs': 1, '/docs?page=2': 1 });
  });

  test('counts a replacement where the path changes, and none of filters and scroll states', async () => {
    const visit = await openApp();
    await visit.run(`history.replaceState({}, '', '/about')`);
    await visit.run(`history.replaceState({}, '', '/about?filter=red')`);
    await visit.run(`history.replaceState({ scroll: 7 }, '')`);
    await click(visit, '#part');
    await visit.endsWith({ '/': 1, '/about': 1 });
  });

  test('counts one view of the address that a push is corrected to in the same task', async () => {
    const visit = await openApp();
    await visit.run(`
      history.pushState({}, '', '/old');
      history.replaceState({}, '', '/old');
      Promise.resolve().then(() => {
        history.replaceState({}, '', '/new');
        history.replaceState({}, '', '/new?page=3');
      });
    `);
    await visit.endsWith({ '/': 1, '/new?page=3': 1 });
  });

  test('counts every push of a task', async () => {
    const visit = await openApp();
    await visit.run(`
      history.pushState({}, '', '/one');
      History.prototype.pushState.call(history, {}, '', '/two');
    `);
    await visit.endsWith({ '/': 1, '/one': 1, '/two': 1 });
  });

  test('counts no fragment', async () => {
    const visit = await openApp('', '/#part');
    await click(visit, '#/users');
    await visit.page.goBack();
    await visit.endsWith({ '/': 1 });
  });

  test('counts fragments as routes with data-hash, and an empty one as no other route', async () => {
    const visit = await openApp('data-hash');
    await click(visit, '#/');
    await click(visit, '#/users');
    await click(visit, '#/users/7?tab=2');
    await visit.run(`history.replaceState({}, '', '#/users/7?tab=3')`);
    await visit.page.goBack();
    await visit.run(`history.pushState({}, '', '/#/users/8')`);
    await visit.endsWith({ '/': 1, '/#/users': 2, '/#/users/7': 1, '/#/users/8': 1 });
  });

  test('leaves the answers and errors of pushState as they are', async () => {
    const visit = await openApp();
    const outcome = await visit.run(`
      const attempt = (act) => {
        try {
          return act();
        } catch (error) {
          return error.name;
        }
      };
      [
        attempt(() => history.pushState({ kept: 1 }, '', '/docs')),
        attempt(() => history.state.kept),
        attempt(() => history.pushState({}, '', 'https://elsewhere.test/')),
        attempt(() => history.replaceState(() => {}, '')),
        attempt(() => Reflect.apply(history.pushState, {}, [{}, '', '/'])),
      ];
    `);
    expect(outcome).toEqual([undefined, 1, 'SecurityError', 'DataCloneError', 'TypeError']);
    await visit.endsWith({ '/': 1, '/docs': 1 });
  });
});

test('a single-page app that navigates with the Navigation API is followed', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag(), links) }));
  await visit.open('/');
  await visit.run(`navigation.addEventListener('navigate', (event) => event.intercept())`);
  await visit.page.click('a[href="/docs"]');
  await visit.run(`navigation.navigate('/about').finished`);
  await visit.page.goBack();
  await visit.endsWith({ '/': 1, '/docs': 2, '/about': 1 });
});
