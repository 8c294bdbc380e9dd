import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ImportRun, startImport } from '../support/import/import-run.ts';

let run: ImportRun;

beforeAll(async () => {
  run = await startImport();
});
afterAll(() => run.stop());

test.each([
  [['x.log', '--format', 'binary'], '--format must be one of auto, combined, apache, common, lighttpd'],
  [
    ['x.log', '--log-format', '$remote_addr$time_local "$request" "$http_user_agent"'],
    'nothing between them',
  ],
  [
    ['x.log', '--log-format', '$remote_addr [$time_local] "$request"'],
    'lacks the user agent: it needs $http_user_agent',
  ],
  [['x.log', '--log-format', '$time_local|$request|$http_user_agent'], 'lacks the address'],
  [['x.log', '--people', 'some'], '--people must be count or skip'],
  [['x.log', '--follow', '--dry-run'], 'cannot follow'],
  [['-', '--follow'], 'leave --follow out'],
  [['-', '-'], 'can be given once'],
  [['x.log', '--host', 'https://example.com'], '--host must be a host name such as example.com'],
  [['x.log', '--host', 'example.com:8080'], 'without scheme, port or path'],
  [[], 'Give the log files'],
  [['x.log', '--colour'], '--colour'],
  [['nosuch.log'], 'There is no file nosuch.log'],
])('wrong usage says what to do: %s', async (args, message) => {
  await expect(run.import(args)).rejects.toThrow(message);
});
