import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chromeUserAgent,
  errorOf,
  type Headcount,
  pathsAfter,
  startHeadcount,
} from '../support/headcount.ts';

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

const load = (address: string, headers = {}) =>
  fetch(headcount.url + address, { headers: { 'user-agent': chromeUserAgent, ...headers } });

describe.each([
  ['GET /v1/image/{project}', (project: string) => `/v1/image/${project}?`],
  ['GET /v1/pixel.gif', (project: string) => `/v1/pixel.gif?p=${project}&`],
])('%s', (_name, addressOf) => {
  const image = (query: string, headers = {}) => load(addressOf(headcount.projectId) + query, headers);

  test('counts the page that the image stands on', async () => {
    const send = () => image('', { referer: 'https://example.com/image/page?x' });
    expect(await pathsAfter(headcount, send)).toEqual(['/image/page']);
  });

  test('counts the page that it is told', async () => {
    const send = () => image(`u=${encodeURIComponent('https://example.com/told')}`);
    expect(await pathsAfter(headcount, send)).toEqual(['/told']);
  });

  test.each([{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }])(
    'counts nothing for a page that a browser prepares for a visit that may never come (%j)',
    async (ahead) => {
      const response = await image('u=https://example.com/ahead', ahead);
      expect([response.status, response.headers.get('x-headcount-dropped')]).toEqual([202, 'no_page']);
    },
  );

  test('is an image that nobody keeps', async () => {
    const response = await image('u=https://example.com/');
    expect(response.headers.get('content-type')).toBe('image/gif');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 6).toString()).toBe('GIF89a');
  });

  test('says what is missing', async () => {
    expect((await errorOf(await image(''))).error).toMatch(/referrerpolicy/);
    expect((await errorOf(await image('u='))).error).toMatch(/^The query is not valid: u /);
  });

  test('is sent for a project that is not there, too, and says so in its head', async () => {
    const { status, headers } = await load(`${addressOf('nobody')}u=https://example.com/`);
    expect([status, headers.get('x-headcount-dropped')]).toEqual([202, 'unknown_project']);
  });
});

test('the earlier address wants its project in the query, once', async () => {
  expect((await errorOf(await load('/v1/pixel.gif?u=https://example.com/'))).error).toBe(
    'The query is not valid: p is missing.',
  );
  expect((await errorOf(await load('/v1/pixel.gif?p=a&p=b&u=https://example.com/'))).error).toBe(
    'The query is not valid: p must be given only once.',
  );
});
