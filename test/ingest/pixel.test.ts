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

describe('GET /v1/pixel.gif', () => {
  const pixel = (query: string, headers = {}) =>
    fetch(`${headcount.url}/v1/pixel.gif?${query}`, {
      headers: { 'user-agent': chromeUserAgent, ...headers },
    });

  test('counts the page that the image stands on', async () => {
    const send = () => pixel(`p=${headcount.projectId}`, { referer: 'https://example.com/pixel/page?x' });
    expect(await pathsAfter(headcount, send)).toEqual(['/pixel/page']);
  });

  test('counts the page that it is told', async () => {
    const send = () => pixel(`p=${headcount.projectId}&u=${encodeURIComponent('https://example.com/told')}`);
    expect(await pathsAfter(headcount, send)).toEqual(['/told']);
  });

  test('is an image that nobody keeps', async () => {
    const response = await pixel(`p=${headcount.projectId}&u=https://example.com/`);
    expect(response.headers.get('content-type')).toBe('image/gif');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 6)
        .toString(),
    ).toBe('GIF89a');
  });

  test('says what is missing', async () => {
    expect((await errorOf(await pixel(`p=${headcount.projectId}`))).error).toMatch(/referrerpolicy/);
    expect((await errorOf(await pixel('u=https://example.com/'))).error).toBe(
      'The query is not valid: p is missing.',
    );
    expect((await errorOf(await pixel('p=a&p=b&u=https://example.com/'))).error).toBe(
      'The query is not valid: p must be given only once.',
    );
  });
});
