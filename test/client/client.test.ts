import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toClientTypes } from '../../server/description/client-types.ts';
import { readDescription } from '../../server/description/routes.ts';
import { toType } from '../../server/description/typescript.ts';
import { operations } from '../../server/operations.ts';
import { type Client, createClient, HeadcountError } from '../support/client.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

/** As the package has them that the server serves. */
const types = await readFile(
  join(import.meta.dirname, '..', '..', 'dist', 'client', 'operations.d.cts'),
  'utf8',
);

let headcount: Headcount;
let client: Client;

beforeAll(async () => {
  const project = {
    repository: 'https://git.example.com/ada/site',
    model: 'anthropic/claude-opus-4-5',
  } as const;
  headcount = await startHeadcount({ project });
  client = createClient({ server: headcount.url, key: headcount.adminKey });
});
afterAll(() => headcount.stop());

test('its types are those of the description', async () => {
  expect(types).toBe(toClientTypes(await readDescription(operations)));
});

test('its types say a parameter once, and nothing that no operation takes or answers', async () => {
  expect(types.match(/dateFrom\?: string;/g)).toHaveLength(1);
  // `search` of another report means something else, and is a choice.
  expect(types.match(/search\?: string;/g)).toHaveLength(1);
  const names = Array.from(types.matchAll(/^export \w+ (\w+)/gm), ([, name]) => name as string);
  const unused = names.filter((name) => (types.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length < 2);
  // What operations refuse with.
  expect(unused).toEqual(['Error']);
});

test('its types leave nothing that is read unsaid', async () => {
  const { components } = await readDescription(operations);
  const unsaid = Object.entries(components.schemas)
    .map(([name, schema]) => [name, toType(schema)])
    .filter(([name, type]) => name !== 'RpcResponse' && /\w: unknown/.test(type ?? ''));
  expect(unsaid).toEqual([]);
});

test('sends views, and reads what was counted', async () => {
  const hits = ['/guide', '/a b'].map((path) => ({
    url: `https://docs.example.com${path}`,
    ip: '20.171.206.7',
    userAgent: 'GPTBot/1.4',
  }));
  // Sent again under its key, it counts once.
  for (const headers of [{ 'Idempotency-Key': 'guide' }, { 'Idempotency-Key': 'guide' }]) {
    expect(await client('POST /v1/hits', { body: { hits }, headers })).toEqual({ accepted: 2, dropped: [] });
  }
  const path = { projectId: headcount.projectId };
  const visitors = await client('GET /v1/analytics/{projectId}/visitors', {
    path,
    query: { sort: 'ai', limit: 1 },
  });
  expect(visitors.totals).toEqual({ human: 0, ai: 1, total: 1 });
  expect(visitors.hasMore).toBe(true);
  const read = await client('GET /v1/analytics/{projectId}/ai-clients/{client}/paths', {
    path: { ...path, client: 'GPTBot' },
  });
  expect(read.paths.map((row) => row.path).sort()).toEqual(['/a%20b', '/guide']);
});

test('starts a job and ends it', async () => {
  const path = { projectId: headcount.projectId };
  const job = await client('POST /v2/agent/{projectId}/job', {
    path,
    body: { prompt: 'Mention tea.' },
    headers: { 'Idempotency-Key': 'tea' },
  });
  const { jobs } = await client('GET /v2/agent/{projectId}/jobs', { path, query: { status: 'active' } });
  expect(jobs.map(({ id }) => id)).toEqual([job.id]);
  const ended = await client('POST /v2/agent/{projectId}/job/{jobId}/archive', {
    path: { ...path, jobId: job.id },
  });
  expect(ended.status).toBe('archived');
});

test('makes a key and revokes it, which answers nothing', async () => {
  const path = { projectId: headcount.projectId };
  const body = { name: 'Edge', scope: 'ingest' } as const;
  const { id: keyId } = await client('POST /v1/projects/{projectId}/keys', { path, body });
  expect(
    await client('DELETE /v1/projects/{projectId}/keys/{keyId}', { path: { ...path, keyId } }),
  ).toBeUndefined();
});

test('throws what the server refuses, with its sentence', async () => {
  const path = { projectId: headcount.projectId };
  const refused = client('GET /v1/analytics/{projectId}/visitors', { path, query: { limit: 0 } });
  await expect(refused).rejects.toThrow(HeadcountError);
  await expect(refused).rejects.toMatchObject({
    status: 400,
    message: 'The query is not valid: limit must be from 1 to 250.',
    details: [{ path: 'limit' }],
  });
  const stranger = createClient({ server: `${headcount.url}/` });
  await expect(stranger('GET /v1/projects')).rejects.toMatchObject({ status: 401 });
});

test('a proxy that answers in words of its own is no surprise', async () => {
  const send = async () =>
    new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'retry-after': '7' } });
  const behind = createClient({ server: 'https://count.example.com', fetch: send });
  await expect(behind('GET /v1/projects')).rejects.toMatchObject({
    status: 502,
    message: 'The server answered 502.',
    retryAfterSeconds: 7,
  });
});
