import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenApi } from '../../server/description/openapi.ts';
import { operations } from '../../server/operations.ts';
import { Description } from '../support/described/description.ts';
import type { RecordedAnswer } from '../support/described/record.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
let description: Description;

beforeAll(async () => {
  headcount = await startHeadcount();
  description = await Description.make();
});
afterAll(() => headcount.stop());

test('anybody may read it, also a page elsewhere', async () => {
  const response = await fetch(`${headcount.url}/openapi.json`);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toMatchObject({ openapi: '3.1.1', info: { title: 'Headcount' } });
});

test('whoever has it already is told that it is the same', async () => {
  const { url } = headcount;
  const { headers } = await fetch(`${url}/openapi.json`);
  // Of itself fetch would ask for a new answer, as it does not know that it is given a condition.
  const conditional = { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
  const again = await fetch(`${url}/openapi.json`, { headers: conditional });
  expect(again.status).toBe(304);
});

test('reports every operation but those that only the dashboard uses', async () => {
  const { paths } = (await (await fetch(`${headcount.url}/openapi.json`)).json()) as OpenApi;
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = operations
    .filter(({ path }) => !path.startsWith('/v1/admin/'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(told.sort()).toEqual(served.sort());
});

test('names the scope that a key needs, operation by operation', async () => {
  const { paths, components } = (await (await fetch(`${headcount.url}/openapi.json`)).json()) as OpenApi;
  const needed = new Map(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId, security }) => [operationId, security]),
  );
  expect(needed.get('analytics.visitors')).toEqual([{ key: ['read'] }]);
  expect(needed.get('jobs.create')).toEqual([{ key: ['jobs'] }]);
  expect(needed.get('hits.batch')).toEqual([{ key: ['ingest'] }]);
  expect(needed.get('keys.add')).toEqual([{ key: ['admin'] }]);
  expect(needed.get('hits.send')).toEqual([]);
  expect(components.securitySchemes.key?.description).toContain('`jobs` also starts, stops and reverts jobs');
  const page = await (await fetch(`${headcount.url}/docs`)).text();
  expect(page).toContain('<em>Needs a key with the scope jobs or admin.</em>');
});

test('the linter finds nothing to warn of', async () => {
  const source = await (await fetch(`${headcount.url}/openapi.json`)).text();
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test('the linter is one that warns', async () => {
  const source = JSON.stringify({ openapi: '3.1.1', info: { title: 'x', version: '1' }, paths: {} });
  const config = await createConfig({ extends: ['recommended-strict'] });
  expect((await lintFromString({ source, config })).map(({ ruleId }) => ruleId)).toContain('info-license');
});

const read: RecordedAnswer = {
  method: 'GET',
  target: '/v2/agent/x/jobs?limit=1',
  status: 200,
  type: 'application/json; charset=utf-8',
  body: '{"jobs": [], "hasMore": false}',
  by: 'here',
};

test.each<[string, Partial<RecordedAnswer>, RegExp | undefined]>([
  ['what is described', {}, undefined],
  ['a status that is not', { status: 206 }, /the status 206 is not described/],
  ['a refusal that the operation does not know', { status: 429, body: '{"error": "No."}' }, /the status 429/],
  ['a body that lacks a field', { body: '{"jobs": []}' }, /must have required property 'hasMore'/],
  ['a field more', { body: '{"jobs": [], "hasMore": false, "x": 1}' }, /must NOT have additional properties/],
  ['a field of another sort', { body: '{"jobs": [], "hasMore": 0}' }, /hasMore must be boolean/],
  ['another type', { type: 'text/html' }, /the type text\/html is not described/],
  ['an address that is not described', { target: '/v3/jobs' }, /the status 200 is not described/],
  ['a method that is not described', { method: 'PUT' }, /the status 200 is not described/],
  ['a method that is refused', { method: 'PUT', status: 405, body: '{"error": "No."}' }, undefined],
  ['a refusal without a sentence', { status: 404, body: '{}' }, /must have required property 'error'/],
  ['what any request may be refused with', { status: 431, body: '{"error": "No."}' }, undefined],
])('answers of the tests are held against it: %s', (_, answer, fault) => {
  const found = description.faultOf({ ...read, ...answer });
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});

test('a described status that no test sees is named', async () => {
  const fresh = await Description.make();
  expect(fresh.unseen()).toContain('jobs.list 200');
  fresh.faultOf(read);
  expect(fresh.unseen()).not.toContain('jobs.list 200');
  expect(fresh.unseen()).toContain('jobs.list 404');
});
