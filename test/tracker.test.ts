import { expect, onTestFinished, test } from 'vitest';
import { openUndriven } from './support/browser.ts';
import { startSite } from './support/site.ts';
import { html, visits } from './support/visit.ts';

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

test('a link from another site is a source, a navigation inside the site is none', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag(), '<a href="/more">More</a>') }));
  const news = await startSite({ '/': html('', `<a href="${visit.site.url}/">A site</a>`) });
  onTestFinished(news.stop);
  await visit.page.goto(`http://news.test:${news.port}/`);
  await visit.page.click('a');
  await visit.page.waitForURL(`${visit.site.url}/`);
  await visit.run('history.pushState(null, "", "/inside")');
  await visit.page.click('a');
  await visit.page.waitForURL('**/more');
  await visit.endsWith({ '/': 1, '/inside': 1, '/more': 1 });
  expect(await visit.read('sources')).toEqual({ 'news.test': 1 });
});

test('a page that comes back from the back/forward cache is a view, and not from the source again', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag(), '<a href="/next">Next</a>') }));
  const news = await startSite({ '/': html('', `<a href="${visit.site.url}/">A site</a>`) });
  onTestFinished(news.stop);
  await visit.page.goto(`http://news.test:${news.port}/`);
  await visit.page.click('a');
  await visit.page.waitForURL(`${visit.site.url}/`);
  await visit.run('onpageshow = ({ persisted }) => { document.restored = persisted; }');
  await visit.page.click('a');
  await visit.page.waitForURL('**/next');
  // Nothing loads, so there is no load event to wait for.
  await visit.page.goBack({ waitUntil: 'commit' });
  await visit.page.waitForFunction('document.restored');
  await visit.endsWith({ '/': 2, '/next': 1 });
  expect(await visit.read('sources')).toEqual({ 'news.test': 1 });
});

test('a prerendered page is one view, once it is shown', async () => {
  const shown = Promise.withResolvers<string>();
  const rules = '{"prerender":[{"urls":["/next"],"eagerness":"immediate"}]}';
  const opener = `<script type="speculationrules">${rules}</script>
    <script>fetch('/go').then(() => { location.href = '/next'; });</script>`;
  // The timers give the tracker's own the time to send something that it should not.
  const prerendered = `<script>
    onload = () => {
      history.replaceState(null, '', '/next/corrected');
      setTimeout(() => fetch('/ready?' + document.prerendering), 50);
    };
    document.addEventListener('prerenderingchange', () => setTimeout(() => headcount('/end'), 50));
  </script>`;
  const visit = await startVisit((tag) => ({
    '/': html(tag(), opener),
    '/go': () => shown.promise,
    '/next': html(tag(), prerendered),
    '/ready': '',
  }));
  onTestFinished(await openUndriven(`${visit.site.url}/`));

  await expect.poll(() => visit.site.requests, { timeout: 15_000 }).toContain('/ready?true');
  await expect.poll(() => visit.read('views'), { timeout: 10_000 }).toEqual({ '/': 1 });
  shown.resolve('');
  await expect
    .poll(() => visit.read('views'), { timeout: 10_000 })
    .toEqual({ '/': 1, '/next/corrected': 1, '/end': 1 });
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
  expect(visit.complaints).toEqual([]);
});

test('a manual view makes none of the automatic ones count twice', async () => {
  const visit = await startVisit((tag) => ({ '*': html(tag(), '<a href="#part">Part</a>') }));
  await visit.open('/');
  await visit.run('headcount("http://["); headcount("/virtual");');
  await visit.page.click('a');
  await visit.run('history.pushState(null, "", "/")');
  await visit.endsWith({ '/': 1, '/virtual': 1 });
});
