import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

type Body = string | Uint8Array<ArrayBuffer>;

const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));

const postBatch = (body: Body, headers: Record<string, string> = {}) =>
  fetch(`${headcount.url}/v1/hits`, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${headcount.ingestKey}`,
      'content-type': 'application/json',
      ...headers,
    },
  });
const postHit = (body: Body) =>
  fetch(`${headcount.url}/v1/hit`, { method: 'POST', body, headers: { 'content-type': 'text/plain' } });

const notUtf8 = 'The body must be JSON in UTF-8.';
const broken: [string, Body, string][] = [
  ['no JSON', '{"hits":', 'The body must be JSON.'],
  ['null', 'null', '$ is not valid: must be object, received null.'],
  ['a text', '"x"', '$ is not valid: must be object, received string.'],
  ['a number', '7', '$ is not valid: must be object, received number.'],
  ['a list', '[]', '$ is not valid: must be object, received array.'],
  ['UTF-16 with a mark', utf16('\uFEFF{"hits":[]}'), notUtf8],
  ['UTF-16 without one', utf16('{"hits":[]}'), notUtf8],
  ['bytes of Latin-1', new Uint8Array(Buffer.from('{"hits":["é"]}', 'latin1')), notUtf8],
];

describe.each([
  ['a batch', 'The batch', (body: Body) => postBatch(body)],
  ['a hit', 'The hit', postHit],
] as const)('the body of %s', (_, subject, post) => {
  test.each(broken)('that is %s is refused in words', async (_, body, error) => {
    const response = await post(body);
    expect([response.status, (await errorOf(response)).error]).toEqual([400, error.replace('$', subject)]);
  });
});

describe('a body of JSON', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF8"'])(
    'is taken as %s',
    async (type) => {
      expect((await postBatch('{"hits":[]}', { 'content-type': type })).status).toBe(202);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonlines'])(
    'is refused as %s',
    async (type) => {
      const response = await postBatch('{"hits":[]}', { 'content-type': type });
      expect([response.status, (await errorOf(response)).error]).toEqual([
        415,
        'The body must be JSON, sent with "Content-Type: application/json".',
      ]);
    },
  );

  test.each(['utf-16', 'iso-8859-1'])('is refused in the character set %s', async (charset) => {
    const response = await postBatch('{"hits":[]}', {
      'content-type': `application/json; charset=${charset}`,
    });
    expect([response.status, (await errorOf(response)).error]).toEqual([415, notUtf8]);
  });

  test('may begin with a byte order mark, and be packed', async () => {
    expect((await postBatch('\uFEFF{"hits":[]}')).status).toBe(202);
    const packed = new Uint8Array(gzipSync('{"hits":[]}'));
    expect((await postBatch(packed, { 'content-encoding': 'gzip' })).status).toBe(202);
    const response = await postBatch(packed, { 'content-encoding': 'compress' });
    expect([response.status, (await errorOf(response)).error]).toEqual([
      415,
      'The Content-Encoding must be gzip, deflate or br, or left out.',
    ]);
  });

  test('that is empty lacks what it must have', async () => {
    const response = await postBatch('');
    expect([response.status, (await errorOf(response)).error]).toEqual([
      400,
      'The batch is not valid: hits is missing.',
    ]);
  });

  test.each(['length', 'chunks'])('that is too large is refused, sent by %s', async (by) => {
    const large = `{"hits":["${'x'.repeat(4 * 1024 * 1024)}"]}`;
    const body = by === 'length' ? large : new Blob([large]).stream();
    const response = await fetch(`${headcount.url}/v1/hits`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { authorization: `Bearer ${headcount.ingestKey}`, 'content-type': 'application/json' },
    } as RequestInit);
    expect([response.status, (await errorOf(response)).error]).toEqual([
      413,
      'The body must have at most 4194304 bytes.',
    ]);
  });

  test('with a replacement character of its own is text like any other', async () => {
    const u = 'https://example.com/\uFFFD';
    expect((await headcount.hit({ u })).status).toBe(202);
    expect(Object.keys(await headcount.views())).toEqual(['/%EF%BF%BD']);
  });
});
