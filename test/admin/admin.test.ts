import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InstallReply, KeysReply, ProjectReply, ProjectsReply } from '../../shared/accounts/admin.ts';
import { dayMs } from '../support/clock.ts';
import { type AdminRun, base, startAdminRun } from '../support/dashboard/admin-run.ts';

const noWebhook = {
  repositoryTokens: false,
  forgeWebhookSecret: false,
  signingKey: false,
  webhookUrl: false,
  webhookSecret: false,
};

let { clock, headcount, client, pathOf, refusal } = {} as AdminRun;
beforeEach(async () => {
  ({ clock, headcount, client, pathOf, refusal } = await startAdminRun());
});
afterEach(() => headcount.stop());

const patch = (body: object) => client.must<ProjectReply>('PATCH', pathOf(), body);

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
      secrets: { forgeToken: false, githubAppKey: false, ...noWebhook },
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
    expect(text).toContain(
      '"secrets":{"forgeToken":true,"githubAppKey":true,"forgeWebhookSecret":false,"repositoryTokens":false,"signingKey":false,"webhookUrl":false,"webhookSecret":false}',
    );
    expect(text).not.toContain(forgeToken);
    expect(await patch({ secrets: { forgeToken: null } })).toMatchObject({
      secrets: { forgeToken: false, githubAppKey: true, ...noWebhook },
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
    expect((await patch({ settings: next })).secrets).toEqual({
      forgeToken: false,
      githubAppKey: false,
      ...noWebhook,
    });
    expect(await stored()).toEqual({});
  });

  test.each([
    { repository: 'https://github.com/owner/other' },
    { forgeUrl: 'https://github.com/api/v3' },
    { model: 'anthropic/claude-opus-4-5', name: 'Renamed' },
  ])('stay with %j', async (next) => {
    expect((await patch({ settings: next })).secrets).toEqual({
      forgeToken: true,
      githubAppKey: true,
      ...noWebhook,
    });
  });

  test('that are given anew with another address are kept', async () => {
    const next = { repository: 'https://git.example/owner/name' };
    const changed = await patch({ settings: next, secrets: { forgeToken: 'new-token' } });
    expect(changed.secrets).toEqual({ forgeToken: true, githubAppKey: false, ...noWebhook });
    expect(await stored()).toEqual({ forgeToken: 'new-token' });
  });
});

test('what to install names this server and says when the first hit has come', async () => {
  const before = await client.must<InstallReply>('GET', pathOf('/install'));
  const server = headcount.url.replace('127.0.0.1', 'localhost');
  expect(before).toEqual({
    server,
    script: `<script defer src="${server}/hc.js" data-project="${headcount.projectId}"></script>`,
    noscript: expect.stringContaining(`src="${server}/v1/image/${headcount.projectId}"`),
    firstDay: null,
  });
  await headcount.hit({ u: 'https://example.com/' });
  clock.advance(dayMs);
  await headcount.hit({ u: 'https://example.com/' });
  expect((await client.must<InstallReply>('GET', pathOf('/install'))).firstDay).toBe('2026-11-20');
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
