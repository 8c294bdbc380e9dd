import { expect, test } from 'vitest';
import type { PropertiesReply } from '../../shared/reports/analytics.ts';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();

/** A site whose pages load the script with events and these attributes, and a page that is not there. */
async function visitSite(attributes: string, path = '/', body = '') {
  const page = (tag: (attributes: string) => string) =>
    html(tag(attributes).replace('hc.js', 'hc-events.js'), body);
  const visit = await startVisit((tag) => ({
    '/gone': { status: 404, body: page(tag) },
    '*': page(tag),
  }));
  // What links lead to is none of this test.
  await visit.context.route(/other\.example|report\.pdf/, (route) => route.fulfill({ status: 204 }));
  await visit.open(path);
  const propertiesOf = async (event: string) => {
    const report = `events/${encodeURIComponent(event)}/properties`;
    const { properties } = await visit.get<PropertiesReply>(report);
    return Object.fromEntries(
      properties.map(({ property, value, events }) => [`${property}: ${value}`, events]),
    );
  };
  return { ...visit, propertiesOf };
}

const links = `
  <a id="out" href="https://other.example/to?token=secret#part">Out</a>
  <a id="marked" href="https://other.example/" data-headcount-event="Partner">Partner</a>
  <a id="file" href="/files/report.pdf?for=anna">Report</a>
  <a id="inside" href="#part">Inside</a>
  <a id="mail" href="mailto:anna@example.com">Mail</a>`;

test('clicks on links that lead elsewhere and to files are told where that is asked for, without their queries', async () => {
  const visit = await visitSite('data-outbound data-downloads', '/', links);
  for (const id of ['out', 'marked', 'file', 'inside', 'mail']) await visit.page.click(`#${id}`);
  await visit.page.click('#out', { button: 'middle' });
  await visit.page.click('#out', { button: 'right' });
  await expect.poll(() => visit.propertiesOf('Outbound link')).toEqual({ 'to: https://other.example/to': 2 });
  expect(await visit.propertiesOf('Download')).toEqual({ [`file: ${visit.site.url}/files/report.pdf`]: 1 });
  expect(await visit.read('events')).toEqual({ Download: 1, 'Outbound link': 1, Partner: 1 });
});

test('pages that are not there, and searches, are told once each, also of apps that load no page', async () => {
  const missing = await visitSite('data-404', '/gone?token=secret');
  await expect.poll(() => missing.propertiesOf('404')).toEqual({ 'path: /gone': 1 });
  const visit = await visitSite('data-404 data-search="q, s"', '/?q=tea');
  await visit.run('history.pushState({}, "", "/?q=tea&page=2")');
  await visit.run('history.pushState({}, "", "/?s=green+tea")');
  await expect
    .poll(() => visit.propertiesOf('Site search'))
    .toEqual({ 'query: tea': 1, 'query: green tea': 1 });
  expect(await visit.read('events')).toEqual({ 'Site search': 1 });
  expect(visit.problems).toEqual([]);
});

test('nothing of it is told where no attribute asks for it', async () => {
  const visit = await visitSite('', '/gone?q=tea', links);
  for (const id of ['out', 'file']) await visit.page.click(`#${id}`);
  await visit.run('headcount.event("Last")');
  await expect.poll(() => visit.read('events')).toEqual({ Last: 1 });
});
