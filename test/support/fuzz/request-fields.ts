import fc from 'fast-check';
import { mostly } from './schema-values.ts';

export type Field = [name: string, value: string];

export const jsonType = fc.constant<Field>(['Content-Type', 'application/json']);

/** What fits into a line of a request; bytes above 127 come through as Latin-1. */
const fieldText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom(
    '',
    ',',
    '\xff\xfe',
    'x'.repeat(3_000),
    'x'.repeat(20_000),
    '"',
    'a;b=c,',
    '*/*',
    '0',
    '-1',
  ),
);

const usualValues = {
  'Content-Type': [
    'text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=nonsense',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    '/',
  ],
  'Content-Encoding': ['gzip', 'br', 'deflate', 'identity', 'zstd', 'nonsense'],
  Accept: ['text/event-stream', 'application/json', 'text/csv', 'image/*', '*/*;q=0'],
  'Accept-Encoding': ['gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=nonsense'],
  'Accept-Language': ['de-AT,de;q=0.9', '*', 'x-y-z', '-'],
  'Idempotency-Key': ['one', 'two', 'ü', ' '],
  'X-Forwarded-For': ['203.0.113.9', '::1', '203.0.113.9, 10.0.0.1', '[2001:db8::1]:80', '1.2.3.4.5', ', ,'],
  'X-Forwarded-Host': ['example.com', 'evil.example@example.com'],
  'X-Forwarded-Proto': ['https', 'javascript'],
  'User-Agent': ['Mozilla/5.0 GPTBot/1.2', 'curl/8', 'Mozilla/5.0 (X11; Linux x64) Chrome/142.0.0.0'],
  Origin: ['null', 'https://example.com', 'http://127.0.0.1'],
  'Sec-Fetch-Site': ['same-origin', 'cross-site', 'none'],
  Cookie: ['headcount_session=', 'headcount_session=x; headcount_session=y', '=;;='],
  'If-None-Match': ['*', 'W/"x"', '"'],
  Range: ['bytes=0-0', 'bytes=-1'],
  'Last-Event-ID': ['1', '-1', '9e99', 'x'],
  Referer: ['https://example.com/page', 'javascript:1', '::'],
  Expect: ['100-continue', 'nonsense'],
  Connection: ['close', 'keep-alive', 'Upgrade'],
  Upgrade: ['websocket', 'h2c'],
  Host: ['', 'example.com', 'a b', '127.0.0.1:99999'],
  Signature: ['sig1=:AAAA:', 'sig1=()'],
  'Signature-Input': ['sig1=("@authority");tag="web-bot-auth"', '((('],
};

/** Also such as no client sends. */
export const field: fc.Arbitrary<Field> = fc.oneof(
  ...Object.entries(usualValues).map(([name, values]) =>
    fc.tuple(fc.constant(name), mostly(fc.constantFrom(...values), fieldText)),
  ),
  fc.tuple(fc.constantFrom('X-Nonsense', 'x\x01y', 'X Y', '', '__proto__'), fieldText),
);
