import { afterAll, beforeAll, expect, test } from 'vitest';
import { gptBot } from '../support/browsers.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../support/headcount.ts';
import { frameworks } from './frameworks.ts';
import { makeSite, note } from './site.ts';

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

/** As a proxy in front of the site passes it on. */
const read = (url: string, userAgent: string, address: string) =>
  fetch(url, { headers: { 'user-agent': userAgent, accept: 'text/html', 'x-forwarded-for': address } });

test.each(frameworks.filter(({ start }) => start))(
  'a site with $name reports who reads it',
  async (framework) => {
    const project = await headcount.addProject();
    const site = await makeSite(framework, headcount.url, { env: { HEADCOUNT_KEY: project.ingestKey } });
    const url = await site.start();
    const answer = await read(url, gptBot, '20.171.206.7');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Hello');
    await read(url, chromeUserAgent, '203.0.113.9');
    const dropped = async () => {
      const path = `/v1/analytics/${project.projectId}/dropped`;
      const reply = await project.get<{ dropped: { reason: string; hits: number }[] }>(path);
      return Object.fromEntries(reply.dropped.map(({ reason, hits }) => [reason, hits]));
    };
    await expect
      .poll(() => project.views(), { message: site.output })
      .toEqual({ '/': { human: 0, ai: 1, total: 1 } });
    // The script counts people.
    await expect.poll(dropped).toEqual({ left_to_script: 1 });
    await note(framework, site);
  },
);

test.each(frameworks.filter(({ start }) => !start))(
  'the code for $name fits its types',
  async (framework) => {
    const site = await makeSite(framework, headcount.url, { env: { HEADCOUNT_KEY: 'hc_ingest_none' } });
    await note(framework, site);
  },
);

test('a site with Next.js hands on the script and its hits', async () => {
  const next = frameworks.find(({ name }) => name === 'Next.js');
  if (!next) throw new Error('There is no Next.js among the frameworks.');
  const { projectId, ingestKey, views } = await headcount.addProject();
  const site = await makeSite({ ...next, page: 'own-domain.md' }, headcount.url, {
    env: { HEADCOUNT_KEY: ingestKey },
  });
  const url = await site.start();
  const script = await read(`${url}/count/hc.js`, chromeUserAgent, '203.0.113.9');
  expect(await script.text()).toBe(await (await fetch(`${headcount.url}/hc.js`)).text());
  const hit = await fetch(`${url}/count/v1/hit`, {
    method: 'POST',
    headers: { 'user-agent': chromeUserAgent, 'x-forwarded-for': '203.0.113.9' },
    body: JSON.stringify({ p: projectId, u: `${url}/page` }),
  });
  expect(hit.status).toBe(202);
  expect(await views()).toEqual({ '/page': { human: 1, ai: 0, total: 1 } });
});
