import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  InstallReply,
  KeyReply,
  KeysReply,
  LinkReply,
  LinksReply,
  NewKeyReply,
  ProjectReply,
  ProjectsReply,
} from '../../shared/admin.ts';
import { type Clock, createClock, dayMs } from '../support/clock.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

let clock: Clock;
let headcount: Headcount;
let client: DashboardClient;

beforeEach(async () => {
  clock = createClock('2026-11-20T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now, project: { name: 'First' } });
  client = await openDashboard(headcount);
});
afterEach(() => headcount.stop());

const base = '/v1/admin/projects';
const pathOf = (rest = '') => `${base}/${headcount.projectId}${rest}`;
const patch = (body: object) => client.must<ProjectReply>('PATCH', pathOf(), body);

async function refusal(method: string, path: string, body?: unknown): Promise<[number, string, unknown]> {
  const response = await client.send(method, path, { body });
  const { error, details } = await errorOf(response);
  return [response.status, error, details?.map(({ path }) => path)];
}

describe('projects', () => {
  test('are made, listed, read, changed and removed by their name', async () => {
    const added = await client.must<ProjectReply>('POST', base, {
      name: ' Docs ',
      timeZone: 'Europe/Berlin',
    });
    expect(added).toMatchObject({
      id: expect.stringMatching(/^[a-z0-9]{12}$/),
      name: 'Docs',
      timeZone: 'Europe/Berlin',
      hosts: [],
      createdAt: '2026-11-20T10:00:00.000Z',
      secrets: { forgeToken: false, githubAppKey: false },
    });
    const path = `${base}/${added.id}`;
    expect(await client.must('GET', path)).toEqual(added);
    expect((await client.must<KeysReply>('GET', `${path}/keys`)).keys.map(({ name }) => name)).toEqual([
      'root',
    ]);
    const changed = await client.must<ProjectReply>('PATCH', path, {
      settings: { hosts: ['Docs.Example.com'], keptParameters: ['page'] },
    });
    expect(changed).toEqual({ ...added, hosts: ['docs.example.com'], keptParameters: ['page'] });
    const { projects } = await client.must<ProjectsReply>('GET', base);
    expect(projects.map(({ name }) => name)).toEqual(['First', 'Docs']);
    expect(projects[1]).toEqual(changed);

    expect(await refusal('DELETE', path, { name: 'docs' })).toEqual([
      400,
      'Nothing was removed: name must be the name of the project, which is "Docs".',
      ['name'],
    ]);
    await client.must('DELETE', path, { name: 'Docs' });
    expect((await refusal('GET', path))[0]).toBe(404);
    expect((await client.send('GET', `/v1/analytics/${added.id}/visitors`)).status).toBe(404);
  });

  test('keep all that a change does not name, also when it is changed twice', async () => {
    const settings = { excludedPaths: ['/x/**'], draft: true, branchPrefix: 'bot/', ref: 'main' };
    await patch({ settings });
    await patch({ settings: { name: 'Renamed' } });
    expect(await patch({})).toMatchObject({ ...settings, name: 'Renamed' });
  });

  test.each([
    [{ settings: { name: '' } }, 'The project is not valid: name must not be empty.', ['name']],
    [
      { settings: { hosts: ['https://x'] } },
      expect.stringContaining('hosts.0 must be a host name'),
      ['hosts.0'],
    ],
    [{ settings: { timeZone: 'Mars/Base' } }, expect.stringContaining('IANA'), ['timeZone']],
    [{ settings: { excludedAddresses: ['300.1.1.1'] } }, expect.any(String), ['excludedAddresses.0']],
    [{ settings: [] }, expect.any(String), ['settings']],
    [
      { settings: { repository: 'file:///srv/site.git' } },
      expect.stringContaining('HEADCOUNT_GIT_PROTOCOLS'),
      ['repository'],
    ],
    [
      { settings: { repository: 'https://me:secret@git.example/site' } },
      expect.not.stringContaining('secret@'),
      ['repository'],
    ],
    [
      { settings: { forgeUrl: 'http://git.example/api' } },
      expect.stringContaining('HEADCOUNT_GIT_PROTOCOLS'),
      ['forgeUrl'],
    ],
    [
      { settings: { repository: 'https://192.168.0.1/site.git' } },
      'The project is not valid: repository is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS.',
      ['repository'],
    ],
    [
      { settings: { forgeUrl: 'https://[::1]/api' } },
      expect.stringContaining('HEADCOUNT_PRIVATE_NETWORKS'),
      ['forgeUrl'],
    ],
    [
      { settings: { agentCommand: ['sh', '-c', 'id'] } },
      expect.stringContaining('headcount project set'),
      ['agentCommand'],
    ],
    [
      { settings: { agentUnconfined: true } },
      expect.stringContaining('--agent-unconfined'),
      ['agentUnconfined'],
    ],
    [
      { secrets: { forgeToken: 'two words' } },
      expect.not.stringContaining('two words'),
      ['secrets.forgeToken'],
    ],
    [
      { secrets: { githubAppKey: 'no key' } },
      expect.not.stringContaining('no key'),
      ['secrets.githubAppKey'],
    ],
    [{ secrets: { forgeToken: '' } }, expect.any(String), ['secrets.forgeToken']],
  ])('are not changed by %j', async (body, error, details) => {
    const before = await client.must('GET', pathOf());
    expect(await refusal('PATCH', pathOf(), body)).toEqual([400, error, details]);
    expect(await client.must('GET', pathOf())).toEqual(before);
  });

  test('are not made with settings that the operator did not allow', async () => {
    expect(await refusal('POST', base, { name: 'x', repository: 'http://git.example/x' })).toEqual([
      400,
      expect.stringContaining('HEADCOUNT_GIT_PROTOCOLS'),
      ['repository'],
    ]);
    expect(await refusal('POST', base, { name: 'x', agentCommand: ['sh'] })).toEqual([
      400,
      expect.stringContaining('headcount project set'),
      ['agentCommand'],
    ]);
    expect(await refusal('POST', base, {})).toEqual([
      400,
      'The project is not valid: name is missing.',
      ['name'],
    ]);
    expect((await client.must<ProjectsReply>('GET', base)).projects).toHaveLength(1);
  });

  test('keep an agent command of the command line when the whole of the settings is sent back', async () => {
    const { store, registry } = headcount.context;
    const { id, createdAt, secrets, ...settings } = await client.must<ProjectReply>('GET', pathOf());
    await store.setProject(id, { ...settings, agentCommand: ['claude', '-p'] });
    await registry.refresh();
    const sent = { ...settings, agentCommand: ['claude', '-p'], name: 'Renamed' };
    expect(await patch({ settings: sent })).toEqual({ id, createdAt, secrets, ...sent });
    expect((await refusal('PATCH', pathOf(), { settings: { agentCommand: ['claude'] } }))[0]).toBe(400);
  });
});

describe('secrets', () => {
  const forgeToken = 'ghp_Zu5fLz0nXqg7wJ1sEoVb4TkDmCpRyHiA96N2';
  const githubAppKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
  }) as string;
  const settings = { repository: 'https://github.com/owner/name' };
  const stored = () => headcount.context.secrets.read(headcount.projectId);

  beforeEach(() => patch({ settings, secrets: { forgeToken: `${forgeToken}\n`, githubAppKey } }));

  test('are set, never shown, and removed', async () => {
    expect(await stored()).toEqual({ forgeToken, githubAppKey: githubAppKey.trim() });
    const response = await client.send('GET', base);
    const text = await response.text();
    expect(text).toContain('"secrets":{"forgeToken":true,"githubAppKey":true}');
    expect(text).not.toContain(forgeToken);
    expect(await patch({ secrets: { forgeToken: null } })).toMatchObject({
      secrets: { forgeToken: false, githubAppKey: true },
    });
    expect(await stored()).toEqual({ githubAppKey: githubAppKey.trim() });
  });

  test.each([
    { repository: 'https://evil.example/owner/name' },
    { repository: 'https://github.com:8443/owner/name' },
    { repository: null },
    { forgeUrl: 'https://evil.example/api/v1' },
    { repository: 'https://evil.example/owner/name', forgeUrl: 'https://github.com/api/v3' },
  ])('do not go where they were not meant for: %j', async (next) => {
    expect((await patch({ settings: next })).secrets).toEqual({ forgeToken: false, githubAppKey: false });
    expect(await stored()).toEqual({});
  });

  test.each([
    { repository: 'https://github.com/owner/other' },
    { forgeUrl: 'https://github.com/api/v3' },
    { model: 'anthropic/claude-opus-4-5', name: 'Renamed' },
  ])('stay with %j', async (next) => {
    expect((await patch({ settings: next })).secrets).toEqual({ forgeToken: true, githubAppKey: true });
  });

  test('that are given anew with another address are kept', async () => {
    const next = { repository: 'https://git.example/owner/name' };
    const changed = await patch({ settings: next, secrets: { forgeToken: 'new-token' } });
    expect(changed.secrets).toEqual({ forgeToken: true, githubAppKey: false });
    expect(await stored()).toEqual({ forgeToken: 'new-token' });
  });
});

test('what to install names this server and says when the first hit has come', async () => {
  const before = await client.must<InstallReply>('GET', pathOf('/install'));
  const server = headcount.url.replace('127.0.0.1', 'localhost');
  expect(before).toEqual({
    server,
    script: `<script defer src="${server}/hc.js" data-project="${headcount.projectId}"></script>`,
    noscript: expect.stringContaining(`src="${server}/v1/pixel.gif?p=${headcount.projectId}"`),
    firstDay: null,
  });
  await headcount.hit({ u: 'https://example.com/' });
  clock.advance(dayMs);
  await headcount.hit({ u: 'https://example.com/' });
  expect((await client.must<InstallReply>('GET', pathOf('/install'))).firstDay).toBe('2026-11-20');
});

describe('keys', () => {
  const list = async () => (await client.must<KeysReply>('GET', pathOf('/keys'))).keys;
  const visitors = async (key: string) =>
    (
      await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/visitors`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).status;

  test('are made, shown once, used and revoked', async () => {
    const made = await client.must<NewKeyReply>('POST', pathOf('/keys'), {
      name: ' laptop ',
      scope: 'admin',
    });
    const { secret, ...key } = made;
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'laptop',
      scope: 'admin',
      allProjects: false,
      createdAt: '2026-11-20T10:00:00.000Z',
      lastUsedOn: null,
    } satisfies Record<keyof KeyReply, unknown>);
    expect(await list()).toContainEqual(key);
    expect(await visitors(secret)).toBe(200);
    expect(await list()).toContainEqual({ ...key, lastUsedOn: '2026-11-20' });
    await client.must('DELETE', pathOf(`/keys/${key.id}`));
    expect(await visitors(secret)).toBe(401);
    expect((await refusal('DELETE', pathOf(`/keys/${key.id}`)))[0]).toBe(404);
  });

  test('tell the day of their last use, also after a restart, and not that of a refused one', async () => {
    await headcount.hits([]);
    await headcount.hits([{ url: 'https://example.com/', ip: '192.0.2.1', userAgent: 'x' }]);
    expect(await visitors(headcount.rootKey)).toBe(200);
    clock.advance(dayMs);
    expect(await visitors(headcount.rootKey)).toBe(200);
    const used = (await list()).map(({ name, allProjects, lastUsedOn }) => [name, allProjects, lastUsedOn]);
    expect(used.toSorted()).toEqual([
      ['first admin key', false, null],
      ['first ingest key', false, '2026-11-20'],
      ['root', true, '2026-11-21'],
    ]);
    const second = await startHeadcount({ dataDir: headcount.dataDir, now: clock.now });
    expect(await second.context.keyUses.list()).toMatchObject(
      Object.fromEntries(
        (await list()).filter((key) => key.lastUsedOn).map((key) => [key.id, key.lastUsedOn]),
      ),
    );
    await second.stop();
  });

  test('of another project cannot be revoked here, those of all projects can', async () => {
    const other = await headcount.addProject();
    const { keys } = await client.must<KeysReply>('GET', `${base}/${other.projectId}/keys`);
    const foreign = keys.find(({ allProjects }) => !allProjects) as KeyReply;
    expect((await refusal('DELETE', pathOf(`/keys/${foreign.id}`)))[0]).toBe(404);
    const root = (await list()).find(({ allProjects }) => allProjects) as KeyReply;
    await client.must('DELETE', pathOf(`/keys/${root.id}`));
    expect(await visitors(headcount.rootKey)).toBe(401);
  });

  test.each([
    [{ scope: 'admin' }, ['name']],
    [{ name: ' ', scope: 'admin' }, ['name']],
    [{ name: 'x', scope: 'root' }, ['scope']],
    [{}, ['name', 'scope']],
  ])('are not made of %j', async (body, details) => {
    expect(await refusal('POST', pathOf('/keys'), body)).toEqual([400, expect.any(String), details]);
  });
});

describe('links', () => {
  test('are made, listed with their address, and revoked', async () => {
    const page = await client.must<LinkReply>('POST', pathOf('/links'), { kind: 'page' });
    const badge = await client.must<LinkReply>('POST', pathOf('/links'), { kind: 'badge' });
    const origin = headcount.url.replace('127.0.0.1', 'localhost');
    expect(page.url).toMatch(new RegExp(`^${origin}/share/\\w{28}$`));
    expect(badge.url).toMatch(new RegExp(`^${origin}/badge/\\w{28}\\.svg$`));
    const list = async () => (await client.must<LinksReply>('GET', pathOf('/links'))).links;
    expect(new Set(await list())).toEqual(new Set([page, badge]));
    await client.must('DELETE', pathOf(`/links/${page.id}`));
    expect(await list()).toEqual([badge]);
    expect((await refusal('DELETE', pathOf(`/links/${page.id}`)))[0]).toBe(404);
  });

  test('of another project are neither listed nor revoked here', async () => {
    const other = await headcount.addProject();
    const link = await client.must<LinkReply>('POST', `${base}/${other.projectId}/links`, { kind: 'page' });
    expect((await client.must<LinksReply>('GET', pathOf('/links'))).links).toEqual([]);
    expect((await refusal('DELETE', pathOf(`/links/${link.id}`)))[0]).toBe(404);
    expect(await refusal('POST', pathOf('/links'), { kind: 'x' })).toEqual([
      400,
      expect.any(String),
      ['kind'],
    ]);
  });
});

test.each([
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['GET', '/install'],
  ['GET', '/keys'],
  ['POST', '/keys'],
  ['DELETE', '/keys/x'],
  ['GET', '/links'],
  ['POST', '/links'],
  ['DELETE', '/links/x'],
])('a project that is not there: %s %s', async (method, rest) => {
  const response = await client.send(method, `${base}/none${rest}`, method === 'GET' ? {} : { body: {} });
  expect(response.status).toBe(404);
});

test('other methods, bodies and addresses are refused in words', async () => {
  const put = await client.send('PUT', base, { body: {} });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  const text = await client.send('POST', base, { headers: { 'content-type': 'text/plain' }, body: {} });
  expect(text.status).toBe(415);
  const large = await client.send('POST', base, { body: { name: 'x'.repeat(300_000) } });
  expect(large.status).toBe(413);
  expect((await client.send('GET', '/v1/admin/nothing')).status).toBe(404);
});
