import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../server/projects/key.ts';
import type { KeysReply, NewKeyReply } from '../../shared/accounts/admin.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { errorOf, type Headcount, type ProjectClient, startHeadcount } from '../support/headcount.ts';

const noWebhook = {
  repositoryTokens: false,
  forgeWebhookSecret: false,
  signingKey: false,
  webhookUrl: false,
  webhookSecret: false,
};

let headcount: Headcount;
let other: ProjectClient;

beforeAll(async () => {
  headcount = await startHeadcount({ project: { name: 'Docs', agentCommand: ['agent', '--key', 'hush'] } });
  other = await headcount.addProject({ name: 'Other' });
});
afterAll(() => headcount.stop());

function ask(key: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(headcount.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function must<T>(key: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await ask(key, method, path, body);
  const text = await response.text();
  expect([response.ok, text]).toEqual([true, expect.anything()]);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const pathOf = ({ projectId }: { projectId: string }, rest = '') => `/v1/projects/${projectId}${rest}`;

describe('GET /v1/projects', () => {
  const namesFor = async (key: string) => {
    const { projects } = await must<{ projects: { name: string }[] }>(key, 'GET', '/v1/projects');
    return projects.map(({ name }) => name).sort();
  };

  test('tells an admin key of the projects that it covers', async () => {
    expect(await namesFor(headcount.adminKey)).toEqual(['Docs']);
    expect(await namesFor(other.adminKey)).toEqual(['Other']);
    expect(await namesFor(headcount.rootKey)).toEqual(['Docs', 'Other']);
  });

  test('reports settings, and never the program that runs on the server', async () => {
    const response = await ask(headcount.adminKey, 'GET', '/v1/projects');
    const text = await response.text();
    const {
      agentCommand: _command,
      agentUnconfined: _unconfined,
      ...told
    } = projectSettings.parse({ name: 'Docs' });
    expect(JSON.parse(text)).toEqual({
      projects: [
        {
          id: headcount.projectId,
          createdAt: expect.stringMatching(/Z$/),
          ...told,
          secrets: { forgeToken: false, githubAppKey: false, ...noWebhook },
        },
      ],
    });
    expect(text).not.toContain('hush');
  });

  test('is nothing for a key that only sends views', async () => {
    expect((await ask(headcount.ingestKey, 'GET', '/v1/projects')).status).toBe(403);
  });
});

describe('a project', () => {
  test('is made with a key for all projects, and counts at once with a key made for it', async () => {
    const response = await ask(headcount.rootKey, 'POST', '/v1/projects', {
      name: 'Made',
      hosts: ['made.example'],
    });
    const made = (await response.json()) as { id: string; hosts: string[] };
    expect([response.status, response.headers.get('location'), made.hosts]).toEqual([
      201,
      `/v1/projects/${made.id}`,
      ['made.example'],
    ]);
    expect(await must(headcount.rootKey, 'GET', `/v1/projects/${made.id}`)).toEqual(made);
    const { secret } = await must<NewKeyReply>(headcount.rootKey, 'POST', `/v1/projects/${made.id}/keys`, {
      name: 'edge',
      scope: 'ingest',
    });
    const sent = await ask(secret, 'POST', '/v1/hits', {
      hits: [{ url: 'https://made.example/', ip: '192.0.2.1', userAgent: 'GPTBot/1.2' }],
    });
    expect(await sent.json()).toEqual({ accepted: 1, dropped: [] });
  });

  test('is not made with the key of one project', async () => {
    const response = await ask(headcount.adminKey, 'POST', '/v1/projects', { name: 'Mine' });
    expect([response.status, (await errorOf(response)).error]).toEqual([
      403,
      'This key is for one project: use an admin key for all projects.',
    ]);
  });

  test.each([
    ['its own key', () => other.adminKey],
    ['a key for all projects', () => headcount.rootKey],
  ])('is changed with %s, and what is not given stays', async (_name, key) => {
    await must(key(), 'PATCH', pathOf(other), { timeZone: 'Europe/Berlin', excludedPaths: ['/x/**'] });
    const changed = await must(key(), 'PATCH', pathOf(other), {
      name: 'Other',
      secrets: { forgeToken: 'ghp_x' },
    });
    expect(changed).toMatchObject({
      name: 'Other',
      timeZone: 'Europe/Berlin',
      excludedPaths: ['/x/**'],
      secrets: { forgeToken: true, githubAppKey: false, ...noWebhook },
    });
    expect(JSON.stringify(changed)).not.toContain('ghp_x');
    await must(key(), 'PATCH', pathOf(other), { excludedPaths: [], secrets: { forgeToken: null } });
  });

  test('keeps out keys of others, whether or not it is there', async () => {
    for (const path of [pathOf(other), '/v1/projects/nosuch']) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { name: 'x' }],
      ] as const) {
        expect((await ask(headcount.adminKey, method, path, body)).status).toBe(403);
      }
    }
    expect((await ask(headcount.rootKey, 'GET', '/v1/projects/nosuch')).status).toBe(404);
  });

  test.each([
    [{ timeZone: 'Mars/Base' }, 'timeZone'],
    [{ hosts: ['https://x.example'] }, 'hosts.0'],
    [{ agentCommand: ['sh'] }, 'agentCommand'],
    [{ agentUnconfined: true }, 'agentUnconfined'],
    [{ repository: 'file:///etc' }, 'repository'],
    [{ secrets: { forgeToken: 'two words' } }, 'secrets.forgeToken'],
  ])('refuses %j', async (body, path) => {
    for (const [method, where] of [
      ['PATCH', pathOf(other)],
      ['POST', '/v1/projects'],
    ] as const) {
      if (method === 'POST' && 'secrets' in body) continue;
      const response = await ask(headcount.rootKey, method, where, { name: 'x', ...body });
      const { details } = await errorOf(response);
      expect([method, response.status, details?.[0]?.path]).toEqual([method, 400, path]);
    }
  });
});

describe('exclusions', () => {
  test('changed exclusions warn of a path that is of every page', async () => {
    const response = await ask(other.adminKey, 'PATCH', pathOf(other, '/exclusions'), { paths: ['/**'] });
    const warning = expect.stringContaining('names /**, which is of every page');
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ paths: ['/**'], warnings: [warning] }),
    ]);
    const again = await ask(other.adminKey, 'PATCH', pathOf(other, '/exclusions'), { paths: [] });
    expect(await again.json()).not.toHaveProperty('warnings');
  });

  test('are told, changed list by list, and hold for the next view', async () => {
    const path = pathOf(other, '/exclusions');
    expect(await must(other.adminKey, 'GET', path)).toMatchObject({ paths: [], addresses: [], hosts: [] });
    await must(other.adminKey, 'PATCH', path, { paths: ['/private/**'], addresses: ['192.0.2.0/24'] });
    expect(await must(other.adminKey, 'PATCH', path, { hosts: ['docs.example'] })).toMatchObject({
      paths: ['/private/**'],
      addresses: ['192.0.2.0/24'],
      hosts: ['docs.example'],
    });
    const reasonFor = async (url: string, ip: string) => {
      const sent = await other.hits([{ url, ip, userAgent: 'GPTBot/1.2' }]);
      return ((await sent.json()) as { dropped: { reason: string }[] }).dropped[0]?.reason;
    };
    expect(await reasonFor('https://docs.example/private/a', '198.51.100.1')).toBe('excluded_path');
    expect(await reasonFor('https://docs.example/', '192.0.2.9')).toBe('excluded_address');
    expect(await reasonFor('https://elsewhere.example/', '198.51.100.1')).toBe('foreign_host');
    expect(await reasonFor('https://docs.example/', '198.51.100.1')).toBeUndefined();
    await must(other.adminKey, 'PATCH', path, { paths: [], addresses: [], hosts: [] });
  });

  test.each([
    [{ paths: ['private'] }, 'paths.0'],
    [{ addresses: ['300.1.1.1'] }, 'addresses.0'],
    [{ hosts: ['a b'] }, 'hosts.0'],
  ])('refuse %j', async (body, path) => {
    const response = await ask(other.adminKey, 'PATCH', pathOf(other, '/exclusions'), body);
    expect([response.status, (await errorOf(response)).details?.[0]?.path]).toEqual([400, path]);
  });
});

describe('keys', () => {
  test('are listed, made and revoked with an admin key of the project', async () => {
    const path = pathOf(other, '/keys');
    const made = await must<NewKeyReply>(other.adminKey, 'POST', path, { name: 'edge', scope: 'admin' });
    expect(made).toMatchObject({ name: 'edge', scope: 'admin', allProjects: false, lastUsedOn: null });
    expect(await must(made.secret, 'GET', pathOf(other))).toMatchObject({ id: other.projectId });
    const { keys } = await must<KeysReply>(other.adminKey, 'GET', path);
    expect(keys.find(({ id }) => id === made.id)).toMatchObject({
      lastUsedOn: expect.stringMatching(/^\d{4}-/),
    });
    expect(JSON.stringify(keys)).not.toContain(made.secret);
    await must(other.adminKey, 'DELETE', `${path}/${made.id}`);
    expect((await ask(made.secret, 'GET', pathOf(other))).status).toBe(401);
    expect((await ask(other.adminKey, 'DELETE', `${path}/${made.id}`)).status).toBe(404);
  });

  test('for all projects are seen and revoked by their like only', async () => {
    const spare = makeKey('admin', null, 'spare', Date.now());
    await headcount.context.store.addKey(spare.stored);
    await headcount.context.registry.refresh();
    const path = pathOf(other, '/keys');
    const idsFor = async (key: string) => (await must<KeysReply>(key, 'GET', path)).keys.map(({ id }) => id);
    expect(await idsFor(other.adminKey)).not.toContain(spare.stored.id);
    expect((await ask(other.adminKey, 'DELETE', `${path}/${spare.stored.id}`)).status).toBe(404);
    expect(await idsFor(headcount.rootKey)).toContain(spare.stored.id);
    await must(headcount.rootKey, 'DELETE', `${path}/${spare.stored.id}`);
    expect((await ask(spare.secret, 'GET', '/v1/projects')).status).toBe(401);
  });

  test('that are asked for wrongly are refused in words', async () => {
    const refused = async (body: unknown) =>
      (await errorOf(await ask(headcount.adminKey, 'POST', pathOf(headcount, '/keys'), body))).error;
    expect(await refused({ name: ' ', scope: 'admin' })).toBe(
      'The key is not valid: name must not be empty.',
    );
    expect(await refused({ name: 'Edge', scope: 'all' })).toBe(
      'The key is not valid: scope must be one of admin, jobs, read, ingest.',
    );
    expect(await refused({ name: 'Edge' })).toBe('The key is not valid: scope is missing.');
  });

  test('of another project are nobody’s business', async () => {
    const path = pathOf(other, '/keys');
    const { keys } = await must<KeysReply>(other.adminKey, 'GET', path);
    for (const [method, where] of [
      ['GET', path],
      ['POST', path],
      ['DELETE', `${path}/${keys[0]?.id}`],
    ] as const) {
      const body = method === 'POST' ? { name: 'x', scope: 'admin' } : undefined;
      expect((await ask(headcount.adminKey, method, where, body)).status).toBe(403);
      expect((await ask(headcount.ingestKey, method, where, body)).status).toBe(403);
    }
    const ownPath = pathOf(headcount, `/keys/${keys[0]?.id}`);
    expect((await ask(headcount.adminKey, 'DELETE', ownPath)).status).toBe(404);
  });
});
