import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { EventStreams } from '../../server/jobs/api/event-streams.ts';
import type { KeysReply, NewKeyReply } from '../../shared/accounts/admin.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { createClock, dayMs, hourMs, type TestClock } from '../support/clock.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { join } from '../support/dashboard/people.ts';
import { type Headcount, startHeadcount, statusAndError } from '../support/headcount.ts';
import { readEvents } from '../support/jobs/event-reader.ts';
import { jobClient } from '../support/jobs/jobs.ts';

let clock: TestClock;
let headcount: Headcount;
let owner: DashboardClient;

beforeEach(async () => {
  clock = createClock('2026-11-20T10:00:00Z');
  headcount = await startHeadcount({
    now: clock.now,
    project: { name: 'Docs', repository: 'https://git.example.com/ada/site', model: 'openai/x' },
    eventStreams: new EventStreams({ pollMs: 10, gatherMs: 1, heartbeatMs: 50, maxStreams: 4 }),
  });
  owner = await openDashboard(headcount);
});
afterEach(() => headcount.stop());

const keysPath = () => `/v1/projects/${headcount.projectId}/keys`;

function ask(key: string, method: string, path: string, body?: unknown, from?: string): Promise<Response> {
  return fetch(headcount.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      // What a proxy on this machine reports.
      ...(from !== undefined && { 'x-forwarded-for': from }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** A key that another one makes, or somebody in the dashboard. */
async function make(given: object, by?: string, from?: string): Promise<NewKeyReply> {
  const body = { name: 'made', scope: 'read', ...given };
  if (by === undefined) return owner.must('POST', `/v1/admin${keysPath().slice(3)}`, body);
  const response = await ask(by, 'POST', keysPath(), body, from);
  expect(response.status).toBe(201);
  return (await response.json()) as NewKeyReply;
}

const attempt = (given: object, by: string, from?: string) =>
  statusAndError(ask(by, 'POST', keysPath(), { name: 'made', scope: 'read', ...given }, from));

const read = (key: string, from?: string) =>
  statusAndError(ask(key, 'GET', `/v1/analytics/${headcount.projectId}/visitors`, undefined, from));

const listed = async () => (await owner.must<KeysReply>('GET', `/v1/admin${keysPath().slice(3)}`)).keys;

describe('the end of a key', () => {
  test('is shown, and from then on the key is refused with the time in the sentence', async () => {
    const key = await make({ expiresAt: '2026-11-21T12:00:00+02:00' });
    expect(key.expiresAt).toBe('2026-11-21T10:00:00.000Z');
    expect(await listed()).toContainEqual(expect.objectContaining({ id: key.id, expiresAt: key.expiresAt }));
    clock.advance(dayMs - 1);
    expect((await read(key.secret))[0]).toBe(200);
    clock.advance(1);
    const refused = await ask(key.secret, 'GET', `/v1/analytics/${headcount.projectId}/visitors`);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await statusAndError(refused))[1]).toContain('expired at 2026-11-21T10:00:00.000Z');
    // It is still listed, until somebody revokes it.
    expect((await listed()).map(({ id }) => id)).toContain(key.id);
  });

  test('ends a stream that the key has open', async () => {
    const jobs = jobClient(headcount.url, headcount);
    const { id } = await jobs.mustCreate();
    const { secret } = await make({ expiresAt: new Date(clock.now() + hourMs).toISOString() });
    const reader = readEvents(await jobs.stream(id, { headers: { authorization: `Bearer ${secret}` } }));
    await reader.next();
    clock.advance(hourMs);
    expect(await reader.rest()).toEqual([]);
  });

  test.each([
    ['2026-11-20T10:00:00.000Z', /expiresAt must lie in the future/],
    ['2020-01-01T00:00:00Z', /expiresAt must lie in the future/],
    ['2026-02-30T00:00:00Z', /expiresAt must be an RFC 3339 time/],
    ['tomorrow', /expiresAt must be an RFC 3339 time/],
    ['2027-01-01', /expiresAt must be an RFC 3339 time/],
    [1_800_000_000, /expiresAt must be an RFC 3339 time/],
  ])('is not %j', async (expiresAt, sentence) => {
    expect(await attempt({ expiresAt }, headcount.adminKey)).toEqual([400, expect.stringMatching(sentence)]);
  });
});

describe('the networks of a key', () => {
  test('are where it may be used from, as trusted proxies report it', async () => {
    const { secret, networks } = await make({ networks: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'] });
    expect(networks).toEqual(['192.0.2.0/24', '2001:db8::/32', '198.51.100.7']);
    for (const from of [
      '192.0.2.200',
      '2001:db8:1::1',
      '198.51.100.7',
      '203.0.113.1, 192.0.2.1',
      '::ffff:192.0.2.9',
    ])
      expect([from, (await read(secret, from))[0]]).toEqual([from, 200]);
    for (const from of [undefined, '198.51.100.8', '2001:db9::1', '192.0.2.1, 203.0.113.1', 'unknown'])
      expect([from, (await read(secret, from))[0]]).toEqual([from, 403]);
    expect((await read(secret, '203.0.113.1'))[1]).toBe(
      'This key may not be used from 203.0.113.1: use it from one of its networks, or use a key without that limit.',
    );
    const used = (await listed()).find(({ networks }) => networks.length > 0);
    expect(used?.lastUsedOn).toBe('2026-11-20');
  });

  test('are not evaded by what a client adds itself', async () => {
    const behind = await startHeadcount({ env: { HEADCOUNT_TRUSTED_PROXIES: 'none' } });
    onTestFinished(() => behind.stop());
    const response = await fetch(`${behind.url}/v1/projects/${behind.projectId}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${behind.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', scope: 'read', networks: ['192.0.2.1'] }),
    });
    const { secret } = (await response.json()) as NewKeyReply;
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-headcount-asked-for'])
      for (const value of ['192.0.2.1', 'for=192.0.2.1', 'x 192.0.2.1']) {
        const headers = { authorization: `Bearer ${secret}`, [name]: value };
        const asked = await fetch(`${behind.url}/v1/analytics/${behind.projectId}/visitors`, { headers });
        expect([name, asked.status]).toEqual([name, 403]);
      }
  });

  test.each([
    [['300.1.1.1'], 'networks.0'],
    [['10.0.0.0/33'], 'networks.0'],
    [['10.0.0.0/8', 'example.com'], 'networks.1'],
    ['10.0.0.0/8', 'networks'],
    [Array.from({ length: 101 }, () => '10.0.0.1'), 'networks'],
  ])('are not %j', async (networks, path) => {
    const response = await ask(headcount.adminKey, 'POST', keysPath(), {
      name: 'x',
      scope: 'read',
      networks,
    });
    const { details } = (await response.json()) as { details?: { path: string }[] };
    expect([response.status, details?.map((one) => one.path)]).toEqual([400, [path]]);
  });
});

describe('a key that another key makes', () => {
  const end = '2026-12-01T00:00:00.000Z';
  const limits = { scope: 'admin', expiresAt: end, networks: ['10.0.0.0/8', '2001:db8::/32'] };

  test('has its limits where none are given, and may have narrower ones', async () => {
    const { secret } = await make(limits);
    const { expiresAt, networks } = limits;
    expect(await make({}, secret, '10.1.1.1')).toMatchObject({ scope: 'read', expiresAt, networks });
    const narrow = {
      scope: 'admin',
      expiresAt: '2026-11-30T00:00:00.000Z',
      networks: ['10.9.0.0/16', '2001:db8::1'],
    };
    const inner = await make(narrow, secret, '10.1.1.1');
    expect(inner).toMatchObject(narrow);
    expect(await make({}, inner.secret, '10.9.9.9')).toMatchObject({
      expiresAt: narrow.expiresAt,
      networks: narrow.networks,
    });
  });

  test.each([
    [{ expiresAt: null }, `The key that makes this one expires at ${end}`],
    [{ expiresAt: '2026-12-01T00:00:00.001Z' }, `The key that makes this one expires at ${end}`],
    [{ networks: [] }, 'may be used from 10.0.0.0/8, 2001:db8::/32 only'],
    [{ networks: ['11.0.0.1'] }, 'may be used from 10.0.0.0/8, 2001:db8::/32 only'],
    [{ networks: ['10.0.0.0/7'] }, 'may be used from 10.0.0.0/8, 2001:db8::/32 only'],
    [{ networks: ['10.0.0.1', '0.0.0.0/0'] }, 'may be used from 10.0.0.0/8, 2001:db8::/32 only'],
    [{ networks: ['::/0'] }, 'may be used from 10.0.0.0/8, 2001:db8::/32 only'],
    [{ networks: ['2001:db8::/31'] }, 'may be used from 10.0.0.0/8, 2001:db8::/32 only'],
  ])('has no more rights: %j', async (given, sentence) => {
    const { secret } = await make(limits);
    const before = await listed();
    expect(await attempt(given, secret, '10.1.1.1')).toEqual([403, expect.stringContaining(sentence)]);
    expect((await listed()).length).toBe(before.length);
  });

  test('is not made by keys that change no setting', async () => {
    for (const scope of ['read', 'jobs', 'ingest']) {
      const { secret } = await make({ scope });
      expect(await attempt({ scope }, secret)).toEqual([
        403,
        `This needs a key with the scope admin, and this one has the scope ${scope}.`,
      ]);
    }
  });

  test('says who made it, ends with it, and so do those that it made, each of them in the audit list', async () => {
    const first = await make({ scope: 'admin', name: 'first' });
    const second = await make({ scope: 'admin', name: 'second' }, first.secret);
    const third = await make({ scope: 'read', name: 'third' }, second.secret);
    const beside = await make({ scope: 'read', name: 'beside' }, headcount.adminKey);
    expect(second.madeBy).toEqual({ kind: 'key', id: first.id, name: 'first' });
    expect(first.madeBy).toEqual({ kind: 'administrator', id: null, name: null });
    expect((await read(third.secret))[0]).toBe(200);
    await owner.must('DELETE', `/v1/admin${keysPath().slice(3)}/${first.id}`);
    for (const { secret } of [first, second, third]) expect((await read(secret))[0]).toBe(401);
    expect((await read(beside.secret))[0]).toBe(200);
    const { entries } = await owner.must<AuditReply>('GET', `/v1/projects/${headcount.projectId}/audit`);
    const revoked = entries.filter(({ action }) => action === 'key.revoked');
    expect(revoked.map(({ subject, changes }) => [subject, changes]).sort()).toEqual([
      ['first', []],
      ['second', ['made by: first']],
      ['third', ['made by: second']],
    ]);
    const names = (await listed()).map(({ name }) => name);
    for (const name of ['first', 'second', 'third']) expect(names).not.toContain(name);
  });

  test('that was made by a user, or by a command, is theirs', async () => {
    const ada = await join(headcount, owner, 'ada', [{ projectId: headcount.projectId, role: 'owner' }]);
    const body = { name: 'hers', scope: 'jobs' };
    const made = await ada.must<NewKeyReply>('POST', `/v1/admin${keysPath().slice(3)}`, body);
    expect(made.madeBy).toEqual({ kind: 'user', id: ada.id, name: 'ada' });
    const found = (await listed()).find(({ name }) => name === 'first admin key');
    expect(found?.madeBy).toEqual({ kind: 'command', id: null, name: null });
  });
});

test('what a key is limited to is in the audit list, and its networks are not', async () => {
  await make({ name: 'edge', scope: 'ingest', expiresAt: '2026-12-01T00:00:00Z', networks: ['192.0.2.1'] });
  const { entries } = await owner.must<AuditReply>('GET', `/v1/projects/${headcount.projectId}/audit`);
  expect(entries[0]).toMatchObject({
    action: 'key.added',
    subject: 'edge',
    changes: ['scope: ingest', 'expiresAt: 2026-12-01T00:00:00.000Z', 'networks: 1'],
  });
});

test('a read key sees of the settings what viewers see', async () => {
  await owner.must('PATCH', `/v1/admin/projects/${headcount.projectId}`, {
    settings: { mailTo: ['ada@example.com'], excludedAddresses: ['192.0.2.7'], hosts: ['docs.example'] },
    secrets: { forgeToken: 'a-token' },
  });
  const { secret } = await make({ scope: 'read' });
  const path = `/v1/projects/${headcount.projectId}`;
  const seen = (await (await ask(secret, 'GET', path)).json()) as Record<string, unknown>;
  expect(seen).toMatchObject({
    name: 'Docs',
    hosts: ['docs.example'],
    mailTo: [],
    excludedAddresses: [],
    repository: null,
  });
  expect(seen.secrets).toMatchObject({ forgeToken: false });
  expect(await (await ask(secret, 'GET', '/v1/projects')).json()).toEqual({ projects: [seen] });
  const whole = (await (await ask(headcount.adminKey, 'GET', path)).json()) as Record<string, unknown>;
  expect(whole).toMatchObject({ mailTo: ['ada@example.com'], secrets: { forgeToken: true } });
});

test('a jobs key starts jobs, sends them messages, reads and stops them, and archives none', async () => {
  const { secret } = await make({ scope: 'jobs' });
  const base = `/v2/agent/${headcount.projectId}`;
  const started = await ask(secret, 'POST', `${base}/job`, { prompt: 'Mend a typo.' });
  const { id } = (await started.json()) as { id: string };
  expect(started.status).toBe(201);
  expect((await ask(secret, 'POST', `${base}/job/${id}/message`, { prompt: 'And another.' })).status).toBe(
    200,
  );
  expect((await ask(secret, 'GET', `${base}/job/${id}`)).status).toBe(200);
  expect((await ask(secret, 'POST', `${base}/job/${id}/stop`)).status).toBe(200);
  expect((await ask(secret, 'POST', `${base}/job/${id}/archive`)).status).toBe(403);
  expect((await ask(secret, 'PATCH', `/v1/projects/${headcount.projectId}`, { name: 'x' })).status).toBe(403);
});
