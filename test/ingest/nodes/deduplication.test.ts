import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchReply } from '../../../shared/hit.ts';
import { manus } from '../../support/browsers.ts';
import { createClock } from '../../support/clock.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import {
  chromeUserAgent,
  type Headcount,
  type ProjectClient,
  startHeadcount,
} from '../../support/headcount.ts';
import { createSigner, signRequest } from '../../support/proof/signer.ts';
import { createSignerProofs } from '../../support/proof/signer-proofs.ts';
import { dropDatabase, makeDatabase } from '../../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();
const clock = createClock('2026-11-21T12:00:00Z');
const openAi = createSigner();
const address = '198.51.100.1';

let url: string;
/** Two nodes of one installation. */
let one: Headcount;
let two: Headcount;

const startNode = async () =>
  startHeadcount({
    now: clock.now,
    env: { HEADCOUNT_DATABASE_URL: url, HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
    proofs: createSignerProofs(openAi, { dataDir: await newFolder(), now: clock.now }),
  });

beforeAll(async () => {
  url = await makeDatabase();
  one = await startNode();
  two = await startNode();
});
afterAll(async () => {
  await one.stop();
  await two.stop();
  await dropDatabase(url);
});

const report = async (
  node: Headcount,
  project: ProjectClient,
  hit: object,
  key?: string,
): Promise<BatchReply> => {
  const response = await fetch(`${node.url}/v1/hits`, {
    method: 'POST',
    body: JSON.stringify({
      people: 'skip',
      hits: [{ url: 'https://example.com/a', ip: address, userAgent: manus, ...hit }],
    }),
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${project.ingestKey}`,
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  });
  expect(response.status).toBe(202);
  return (await response.json()) as BatchReply;
};

const script = async (node: Headcount, project: ProjectClient, path = '/a') => {
  const response = await fetch(`${node.url}/v1/hit`, {
    method: 'POST',
    body: JSON.stringify({ p: project.projectId, u: `https://example.com${path}` }),
    headers: { 'user-agent': manus, 'x-forwarded-for': address },
  });
  expect(response.status).toBe(202);
  return response.headers.get('x-headcount-dropped');
};

const sameView = { accepted: 0, dropped: [{ index: 0, reason: 'same_view' }] };

describe('two nodes', () => {
  test('count a view once of which the script sends one and a report the other', async () => {
    const project = await one.addProject();
    expect(await report(one, project, {})).toEqual({ accepted: 1, dropped: [] });
    expect(await script(two, project)).toBe('same_view');
    expect(await script(one, project, '/b')).toBeNull();
    expect(await report(two, project, { url: 'https://example.com/b' })).toEqual(sameView);
    expect(await report(two, project, { url: 'https://example.com/b' }, 'key')).toMatchObject({
      accepted: 1,
    });
    expect(await project.views()).toEqual({
      '/a': { human: 0, ai: 1, total: 1 },
      '/b': { human: 0, ai: 2, total: 2 },
    });
  });

  test('count as many views as one of the sources reports, however they come', async () => {
    const project = await one.addProject();
    const tellings = Array.from({ length: 40 }, (_, i) => {
      const node = i % 4 < 2 ? one : two;
      return i % 2 === 0
        ? script(node, project)
        : report(node, project, {}, i % 3 === 0 ? `key-${i}` : undefined);
    });
    await Promise.all(tellings);
    expect((await project.views())['/a']).toEqual({ human: 0, ai: 20, total: 20 });
    await one.context.ingest.drain();
    await two.context.ingest.drain();
    const { dropped } = await project.get<{ dropped: object[] }>(
      `/v1/analytics/${project.projectId}/dropped`,
    );
    expect(dropped).toEqual([expect.objectContaining({ reason: 'same_view', hits: 20 })]);
  });

  test('pair a view no longer than a minute', async () => {
    const project = await one.addProject();
    await report(one, project, {});
    clock.advance(61_000);
    expect(await script(two, project)).toBeNull();
  });

  test('count a signed request once, and what is replayed on the other as a copy', async () => {
    const project = await one.addProject();
    const signed = (nonce: string) => {
      const page = 'https://example.com/signed';
      const agent = '"https://chatgpt.com"';
      const { headers } = signRequest(openAi, { url: page, agent, nonce, at: clock.now() });
      return { url: page, userAgent: chromeUserAgent, headers };
    };
    // The first ones have the key directory fetched.
    for (const node of [one, two]) {
      await expect
        .poll(async () => (await report(node, project, signed(`first-${Math.random()}`))).accepted)
        .toBe(1);
    }
    const counted = (await project.views())['/signed']?.ai as number;
    expect(await report(one, project, signed('same'), 'key')).toMatchObject({ accepted: 1 });
    expect(await report(two, project, signed('same'))).toEqual({
      accepted: 0,
      dropped: [{ index: 0, reason: 'spoofed' }],
    });
    // The sender's own repetition is none.
    expect(await report(two, project, signed('same'), 'key')).toMatchObject({ accepted: 1 });
    expect((await project.views())['/signed']?.ai).toBe(counted + 1);
  });
});
