import { text } from 'node:stream/consumers';
import type { Request } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openUndriven } from '../support/browser.ts';
import { findChromium } from '../support/machine/chromium.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { startSite } from '../support/sites/site.ts';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

test('every page that is opened is a view, and the visitor of a path counts once a day', async () => {
  const visit = await startVisit((tag) => ({
    '/': html(tag(), '<a href="/docs/?from=home#top">Docs</a>'),
    '/docs/': html(tag()),
  }));
  await visit.open('/');
  await visit.page.click('a');
  await visit.page.waitForURL('**/docs/**');
  await visit.page.reload();
  await visit.endsWith({ '/': 1, '/docs': 2 });
  expect(await visit.read('visitors')).toEqual({ '/': 1, '/docs': 1, '/end': 1 });
});

test.each(['hc.js', 'hc-events.js'])('hits go where `data-endpoint` says: %s', async (file) => {
  const visit = await startVisit((_tag, server, projectId) => {
    const line = (endpoint: string) =>
      `<script defer src="/copy.js" data-project="${projectId}" ${endpoint}></script>`;
    return {
      '/copy.js': async () => ({
        body: Buffer.from(await (await fetch(`${server}/${file}`)).arrayBuffer()),
        headers: { 'Content-Type': 'text/javascript' },
      }),
      '/away': html(line('')),
      '*': html(line(`data-endpoint="${server}/v1/hit"`)),
    };
  });
  const asked: string[] = [];
  visit.page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
  await visit.open('/away');
  await expect.poll(() => asked).toContain(`POST ${visit.site.url}/v1/hit`);
  await visit.open('/');
  await visit.open('/docs');
  await expect.poll(() => visit.read('views')).toEqual({ '/': 1, '/docs': 1 });
});

test('a link from another site is a source', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag()) }));
  const news = await startSite({ '/': html('', `<a href="${visit.site.url}/">A site</a>`) });
  onTestFinished(news.stop);
  await visit.page.goto(`http://news.test:${news.port}/`);
  await visit.page.click('a');
  await visit.page.waitForURL(`${visit.site.url}/`);
  await visit.endsWith({ '/': 1 });
  expect(await visit.read('sources')).toEqual({ 'news.test': 1 });
});

test.each([
  [200, 'xs'],
  [320, 'xs'],
  [511, 'xs'],
  [512, 'sm'],
  [768, 'md'],
  [1279, 'lg'],
  [3840, 'xl'],
])('a window %d pixels wide counts as %s', async (width, screen) => {
  const visit = await startVisit((tag) => ({ '*': html(tag()) }), { viewport: { width, height: 700 } });
  await visit.open('/');
  await visit.endsWith({ '/': 1 });
  expect(await visit.read('screens')).toEqual({ [screen]: 1 });
});

test('a hit sends the address without its fragment, the one before it, the width class, and nothing else', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag(), '<a href="/more">More</a>') }));
  const hits: Request[] = [];
  visit.context.on('request', (request) => {
    if (request.url().startsWith(visit.server) && !request.url().endsWith('/hc.js')) hits.push(request);
  });
  const { url } = visit.site;
  await visit.open('/?a=1#part');
  await visit.run('history.pushState(null, "", "/inside#secret"); headcount("/virtual");');
  await visit.page.click('a');
  await visit.page.waitForURL('**/more');
  await visit.endsWith({ '/': 1, '/inside': 1, '/virtual': 1, '/more': 1 });
  const p = visit.projectId;
  await expect
    .poll(() => hits.map((hit) => JSON.parse(hit.postData() ?? '')))
    .toEqual([
      { p, u: `${url}/?a=1`, r: '', a: '', s: 5 },
      { p, u: `${url}/inside`, r: `${url}/?a=1`, a: '', s: 5 },
      { p, u: `${url}/virtual`, r: `${url}/inside`, a: '', s: 5 },
      { p, u: `${url}/more`, r: `${url}/inside`, a: '', s: 5 },
      { p, u: `${url}/end`, r: `${url}/more`, a: '', s: 5 },
    ]);
  // Anything but a simple request would have been preceded by a preflight.
  expect(hits.map((hit) => `${hit.method()} ${hit.url()}`)).toEqual(
    hits.map(() => `POST ${visit.server}/v1/hit`),
  );
});

test('a landing tells which passage the link was to, and what follows it does not', async () => {
  const visit = await startVisit((tag) => ({
    '*': html(tag(), '<a href="/more#part">More</a> Two cups of tea'),
  }));
  const referrers: unknown[] = [];
  visit.context.on('request', (request) => {
    if (request.url() === `${visit.server}/v1/hit`) referrers.push(JSON.parse(request.postData() ?? '').r);
  });
  const { url } = visit.site;
  await visit.open('/tea#top:~:text=Two%20cups,tea');
  await visit.run('history.pushState(null, "", "/inside")');
  await visit.page.click('a');
  await visit.page.waitForURL('**/more#part');
  await visit.endsWith({ '/tea': 1, '/inside': 1, '/more': 1 });
  await expect
    .poll(() => referrers)
    .toEqual([':~:text=Two%20cups,tea', `${url}/tea`, `${url}/inside`, `${url}/more`]);
  expect(await visit.read('sources')).toEqual({ '(direct)': 1 });
  // One visitor alone is told to nobody.
  expect(await visit.get('text-fragments')).toMatchObject({ passages: [], hasMore: false });
});

test('a site can serve script and server below a path of its own', async () => {
  const visit = await startVisit((_tag, server, projectId) => ({
    '/': html(`<script defer src="/stats/count.js?v=2" data-project="${projectId}"></script>`),
    '/stats/count.js': async () => ({
      body: await (await fetch(`${server}/hc.js`)).text(),
      headers: { 'Content-Type': 'text/javascript' },
    }),
    '/stats/v1/hit': async (req) => {
      const headers = { 'user-agent': String(req.headers['user-agent']) };
      return (await fetch(`${server}/v1/hit`, { method: 'POST', headers, body: await text(req) })).text();
    },
  }));
  await visit.open('/');
  await visit.endsWith({ '/': 1 });
});

test('a page that comes back from the back/forward cache is a view', async (context) => {
  const { hasBackForwardCache } = await findChromium();
  if (!hasBackForwardCache) leaveOut(context, 'the packaged Chromium has no back/forward cache');
  const visit = await startVisit((tag) => ({ '*': html(tag(), '<a href="/next">Next</a>') }));
  await visit.open('/');
  await visit.run('onpageshow = ({ persisted }) => { document.restored = persisted; }');
  await visit.page.click('a');
  await visit.page.waitForURL('**/next');
  // Nothing loads, so there is no load event to wait for.
  await visit.page.goBack({ waitUntil: 'commit' });
  await visit.page.waitForFunction('document.restored');
  await visit.endsWith({ '/': 2, '/next': 1 });
});

test('a page in a tab in the background is a view once somebody looks at it', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag()) }));
  const turn = (isHidden: boolean) =>
    `Object.defineProperty(Document.prototype, 'hidden', { value: ${isHidden}, configurable: true });`;
  await visit.page.addInitScript(turn(true));
  await visit.open('/later');
  await visit.run('history.pushState(null, "", "/moved")');
  // What looks at the page once a second has looked.
  await visit.run('new Promise((resolve) => setTimeout(() => setTimeout(resolve, 1100), 1))');
  expect(await visit.read('views')).toEqual({});
  await visit.run(turn(false));
  await expect.poll(() => visit.read('views')).toEqual({ '/moved': 1 });
  await visit.run(turn(true));
  await visit.run('headcount("/unseen")');
  await visit.run(turn(false));
  await expect.poll(() => visit.read('views')).toEqual({ '/moved': 1, '/unseen': 1 });
});

test('a page that was never looked at is no view', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag()) }));
  await visit.page.addInitScript(
    `if (location.pathname === '/unseen') Object.defineProperty(Document.prototype, 'hidden', { value: true });`,
  );
  await visit.open('/unseen');
  await visit.open('/');
  await visit.endsWith({ '/': 1 });
});

test('a prerendered page is one view, once it is shown', async () => {
  const shown = Promise.withResolvers<string>();
  const counted = Promise.withResolvers<string>();
  const rules = '{"prerender":[{"urls":["/next"],"eagerness":"immediate"}]}';
  const opener = `<script type="speculationrules">${rules}</script>
    <script>fetch('/go').then(() => { location.href = '/next'; });</script>`;
  // The timer leaves the time to send something that should not be sent.
  const prerendered = `<script>
    onload = () => {
      history.replaceState(null, '', '/next/corrected');
      setTimeout(() => fetch('/ready?' + document.prerendering), 50);
    };
    document.addEventListener('prerenderingchange', () => fetch('/counted').then(() => headcount('/end')));
  </script>`;
  const visit = await startVisit((tag) => ({
    '/': html(tag(), opener),
    '/go': () => shown.promise,
    '/counted': () => counted.promise,
    '/next': html(tag(), prerendered),
    '/ready': '',
  }));
  onTestFinished(await openUndriven(`${visit.site.url}/`));

  await expect.poll(() => visit.site.requests).toContain('/ready?true');
  await expect.poll(() => visit.read('views')).toEqual({ '/': 1 });
  shown.resolve('');
  const views = { '/': 1, '/next/corrected': 1 };
  await expect.poll(() => visit.read('views')).toEqual(views);
  counted.resolve('');
  await expect.poll(() => visit.read('views')).toEqual({ ...views, '/end': 1 });
  expect(visit.site.requests.filter((url) => url === '/next')).toHaveLength(1);
});

test('with data-manual only the function counts, for any address of the site', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag('data-manual')) }));
  await visit.open('/quiet');
  await visit.run(`
    history.pushState(null, '', '/here');
    headcount();
    headcount('virtual?step=2');
    headcount('http://[');
    headcount(location.origin + '/absolute');
    history.pushState(null, '', '/quiet/too');
  `);
  await visit.endsWith({ '/here': 1, '/virtual': 1, '/absolute': 1 });
  expect(visit.problems).toEqual([]);
});

test('a manual view and the automatic ones beside it count once each', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag(), '<a href="#part">Part</a>') }));
  await visit.open('/');
  await visit.run('headcount("http://["); headcount("/virtual");');
  await visit.page.click('a');
  await visit.run(
    'history.pushState(null, "", "/"); history.pushState(null, "", "/docs"); headcount("/step");',
  );
  await visit.endsWith({ '/': 1, '/virtual': 1, '/docs': 1, '/step': 1 });
});
