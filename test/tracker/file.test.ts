import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

describe('GET /hc.js', () => {
  const get = (encoding: string, headers = {}) =>
    fetch(`${headcount.url}/hc.js`, { headers: { 'accept-encoding': encoding, ...headers } });

  test.each(['br', 'gzip', 'identity'])('is the same script, sent as %s', async (encoding) => {
    const response = await get(encoding);
    expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.text()).toBe(await (await get('identity')).text());
  });

  test('is asked for again with its ETag, and not sent twice', async () => {
    const first = await get('br');
    expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
    const again = await get('br', {
      'if-none-match': first.headers.get('etag') ?? '',
      'cache-control': 'max-age=0',
    });
    expect(again.status).toBe(304);
    const other = await get('gzip', {
      'if-none-match': first.headers.get('etag') ?? '',
      'cache-control': 'max-age=0',
    });
    expect(other.status).toBe(200);
  });
});
