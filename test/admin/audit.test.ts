import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { theServer } from '../../server/audit/audit-list.ts';
import type { AnnotationReply } from '../../server/operations/annotations.ts';
import type { LinkReply, NewKeyReply, ProjectReply } from '../../shared/accounts/admin.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import type { AuditAction } from '../../shared/accounts/audit-actions.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import { createClock, dayMs, type TestClock } from '../support/clock.ts';
import { type DashboardClient, openDashboard, password } from '../support/dashboard/dashboard.ts';
import { accept, invite, join, tokenIn, userPassword } from '../support/dashboard/people.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

let clock: TestClock;
let headcount: Headcount;
let owner: DashboardClient;

beforeEach(async () => {
  clock = createClock('2026-11-20T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now, project: { name: 'Docs' } });
  owner = await openDashboard(headcount);
});
afterEach(() => headcount.stop());

const admin = () => `/v1/admin/projects/${headcount.projectId}`;
const list = (client: DashboardClient, path = '/v1/audit') => client.must<AuditReply>('GET', path);

/** The newest first: who, what, to what, and how. */
async function lines(path?: string): Promise<string[]> {
  const { entries } = await list(owner, path);
  return entries.map(({ actor, action, subject, changes }) =>
    [actor.name ?? actor.kind, action, subject, ...changes].join(' | '),
  );
}

/** Those that were added by what is done. */
async function noted(work: () => Promise<unknown>): Promise<string[]> {
  const before = await lines();
  await work();
  const after = await lines();
  return after.slice(0, after.length - before.length).toReversed();
}

const byKey = (method: string, path: string, body?: object) =>
  fetch(headcount.url + path, {
    method,
    headers: { authorization: `Bearer ${headcount.rootKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('the audit list', () => {
  test('reports who changed a project, from what to what, and of lists that they were changed', async () => {
    const change = { timeZone: 'Europe/Berlin', siteHost: 'docs.example', excludedAddresses: ['192.0.2.7'] };
    expect(await noted(() => owner.must('PATCH', admin(), { settings: change }))).toEqual([
      'administrator | project.changed | Docs | siteHost: none → docs.example | timeZone: UTC → Europe/Berlin | excludedAddresses',
    ]);
    expect(await noted(() => owner.must('PATCH', admin(), { settings: change }))).toEqual([]);
    const added = await noted(() => byKey('POST', '/v1/projects', { name: 'New' }));
    expect(added).toEqual(['root | project.added | New']);
    const { entries } = await list(owner);
    const path = `/v1/admin/projects/${entries[0]?.projectId}`;
    expect(await noted(() => owner.must('DELETE', path, { name: 'New' }))).toEqual([
      'administrator | project.removed | New',
    ]);
  });

  test('reports which secrets were set and removed, and never what they are', async () => {
    const secrets = {
      forgeToken: 'ghp_Zu5fLz0nXqg7wJ1sEoVb4TkDmCpRyHiA96N2',
      webhookUrl: 'https://hooks.example/T0/B0/secret-part',
      githubAppKey: generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ type: 'pkcs1', format: 'pem' })
        .toString(),
    };
    const set = await noted(() => owner.must('PATCH', admin(), { secrets }));
    expect(set).toEqual([
      'administrator | secrets.changed | Docs | forgeToken: set | githubAppKey: set | webhookUrl: set',
    ]);
    expect(await noted(() => owner.must('PATCH', admin(), { secrets: { forgeToken: null } }))).toEqual([
      'administrator | secrets.changed | Docs | forgeToken: removed',
    ]);
    const key = await owner.must<NewKeyReply>('POST', `${admin()}/keys`, { name: 'edge', scope: 'ingest' });
    const link = await owner.must<LinkReply>('POST', `${admin()}/links`, { kind: 'page' });
    const { link: invitation } = await invite(owner, 'ada', [{ projectId: null, role: 'viewer' }]);
    await accept(headcount, invitation);
    const csv = await (await owner.send('GET', '/v1/audit?format=csv')).text();
    const told = JSON.stringify(await list(owner)) + csv;
    expect(told).toContain('edge');
    const token = new URL(link.url).pathname.split('/').at(-1) as string;
    const texts = [...Object.values(secrets), key.secret, token, tokenIn(invitation), password, userPassword];
    for (const text of texts) expect(told).not.toContain(text);
  });

  test('tells of keys, links, and jobs', async () => {
    const keys = `${admin()}/keys`;
    let key = {} as NewKeyReply;
    const make = async () => {
      key = await owner.must<NewKeyReply>('POST', keys, { name: 'edge', scope: 'ingest' });
    };
    expect(await noted(make)).toEqual(['administrator | key.added | edge | scope: ingest']);
    expect(await noted(() => byKey('DELETE', `/v1/projects/${headcount.projectId}/keys/${key.id}`))).toEqual([
      'root | key.revoked | edge',
    ]);
    const links = `${admin()}/links`;
    const [linked] = await noted(() => owner.must('POST', links, { kind: 'badge' }));
    expect(linked).toMatch(/^administrator \| link\.added \| link_\w+ \| kind: badge$/);
    const id = linked?.split(' | ')[2] as string;
    expect(await noted(() => owner.must('DELETE', `${links}/${id}`))).toEqual([
      `administrator | link.revoked | ${id}`,
    ]);
    const settings = { repository: 'https://git.example/site.git', model: 'anthropic/claude-opus-4-5' };
    await owner.must('PATCH', admin(), { settings });
    const ada = await join(headcount, owner, 'ada', [{ projectId: headcount.projectId, role: 'editor' }]);
    const path = `/v2/agent/${headcount.projectId}/job`;
    const headers = { 'idempotency-key': 'once' };
    const start = () => ada.send('POST', path, { body: { prompt: 'Mend the links.' }, headers });
    let job = {} as JobReply;
    const started = await noted(async () => {
      job = (await (await start()).json()) as JobReply;
    });
    expect(started).toEqual([`ada | job.started | ${job.id}`]);
    expect(await noted(start)).toEqual([]);
    const say = () =>
      ada.send('POST', `${path}/${job.id}/message`, { body: { prompt: 'And the images.' }, headers });
    expect(await noted(say)).toEqual([`ada | job.continued | ${job.id}`]);
    expect(await noted(say)).toEqual([]);
    const stop = () => ada.send('POST', `${path}/${job.id}/stop`);
    expect(await noted(stop)).toEqual([`ada | job.stopped | ${job.id}`]);
    expect(await noted(stop)).toEqual([]);
    const archive = () => ada.send('POST', `${path}/${job.id}/archive`);
    expect(await noted(archive)).toEqual([`ada | job.archived | ${job.id}`]);
    expect(await noted(archive)).toEqual([]);
  });

  test('tells of notes on the chart', async () => {
    const annotations = `/v1/analytics/${headcount.projectId}/annotations`;
    let annotation = {} as AnnotationReply;
    const add = async () => {
      annotation = await owner.must<AnnotationReply>('POST', annotations, {
        kind: 'release',
        text: 'Version 2',
      });
    };
    expect(await noted(add)).toEqual(['administrator | annotation.added | Version 2 | kind: release']);
    const remove = () => owner.send('DELETE', `${annotations}/${annotation.id}`);
    expect(await noted(remove)).toEqual(['administrator | annotation.removed | Version 2']);
    expect(await noted(remove)).toEqual([]);
  });

  test('tells of users, their roles, and passwords', async () => {
    const roles = [{ projectId: headcount.projectId, role: 'editor' as const }];
    let link = '';
    const add = async () => {
      ({ link } = await invite(owner, 'ada', roles));
    };
    const role = `editor of ${headcount.projectId}`;
    expect(await noted(add)).toEqual([`administrator | user.added | ada | ${role}`]);
    let ada = {} as DashboardClient;
    const join = async () => {
      ada = await accept(headcount, link);
    };
    expect(await noted(join)).toEqual(['ada | password.changed | ada | by the link']);
    const change = { current: userPassword, next: 'another of their own' };
    expect(await noted(() => ada.must('POST', '/v1/admin/password', change))).toEqual([
      'ada | password.changed | ada',
    ]);
    const { users } = await owner.must<{ users: { id: string }[] }>('GET', '/v1/users');
    const path = `/v1/users/${users[0]?.id}`;
    const everywhere = { roles: [{ projectId: null, role: 'owner' }] };
    expect(await noted(() => owner.must('PATCH', path, everywhere))).toEqual([
      'administrator | user.changed | ada | owner of all projects',
    ]);
    expect(await noted(() => ada.must('POST', `${path}/link`))).toEqual(['ada | user.linked | ada']);
    expect(await noted(() => ada.must('DELETE', path))).toEqual(['ada | user.removed | ada']);
    expect(
      await noted(() =>
        owner.must('POST', '/v1/admin/password', { current: password, next: 'a new password' }),
      ),
    ).toEqual(['administrator | password.changed | administrator']);
    // Which signs out whoever had the password before.
    owner = await openDashboard(headcount);
    expect((await lines())[0]).toBe(
      'administrator | password.changed | administrator | by the one-time link',
    );
  });

  test('does not report what was refused', async () => {
    const refused = [
      () => owner.send('PATCH', admin(), { body: { settings: { timeZone: 'Mars/Base' } } }),
      () => owner.send('DELETE', admin(), { body: { name: 'another' } }),
      () => owner.send('DELETE', `${admin()}/keys/none`),
      () => owner.send('DELETE', '/v1/users/none'),
      () => owner.send('POST', '/v1/admin/password', { body: { current: 'wrong', next: 'a new password' } }),
      () => byKey('POST', '/v1/users', { name: 'ada', roles: [] }),
    ];
    for (const request of refused) expect(await noted(request)).toEqual([]);
  });

  test('has the time of each entry, and pages', async () => {
    for (const name of ['one', 'two', 'three']) {
      clock.advance(1000);
      await owner.must('POST', `${admin()}/keys`, { name, scope: 'ingest' });
    }
    const first = await list(owner, '/v1/audit?limit=2');
    expect(first.entries.map(({ at, subject }) => [at, subject])).toEqual([
      ['2026-11-20T10:00:03.000Z', 'three'],
      ['2026-11-20T10:00:02.000Z', 'two'],
    ]);
    expect(first.hasMore).toBe(true);
    expect((await list(owner, '/v1/audit?limit=1&offset=2')).entries[0]?.subject).toBe('one');
  });

  test('has what was noted of annotations when they were called marks', async () => {
    const { store } = headcount.context;
    const { projectId } = headcount;
    const own = { projectId, id: 'mark_1', day: 20_000, kind: 'note' as const, text: 'Older' };
    const action = 'mark.added' as AuditAction;
    await store.callAudited(
      ...(['annotations', 'addAnnotation'] as const),
      [{ ...own, affected: [], url: null, createdAt: 0 }],
      [{ at: clock.now(), actor: theServer, action, projectId, subject: 'Older', changes: [] }],
    );
    const [entry] = (await list(owner, '/v1/audit')).entries;
    expect(entry).toMatchObject({ action: 'annotation.added', subject: 'Older' });
  });

  test('is a file, too, in which nothing is a formula', async () => {
    await owner.must('PATCH', admin(), { settings: { name: '=1+1' } });
    const response = await owner.send('GET', '/v1/audit?format=csv');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="headcount_audit_2026-11-20.csv"',
    );
    const [head, line] = (await response.text()).split('\r\n');
    expect(head).toBe('"at","actor","actorName","actorId","action","projectId","subject","changes"');
    expect(line).toBe(
      `"2026-11-20T10:00:00.000Z","administrator",,,"project.changed","${headcount.projectId}","'=1+1","name: Docs → =1+1"`,
    );
  });

  test('of a project is for its owners, and has nothing of others', async () => {
    const other = await headcount.addProject({ name: 'Other' });
    const roles = [{ projectId: headcount.projectId, role: 'owner' as const }];
    const ada = await join(headcount, owner, 'ada', roles);
    await owner.must('PATCH', `/v1/admin/projects/${other.projectId}`, { settings: { name: 'Elsewhere' } });
    await owner.must('PATCH', admin(), { settings: { name: 'Here' } });
    const path = `/v1/projects/${headcount.projectId}/audit`;
    expect((await list(ada, path)).entries.map(({ subject }) => subject)).toEqual(['Here']);
    for (const elsewhere of ['/v1/audit', `/v1/projects/${other.projectId}/audit`]) {
      const refused = await ada.send('GET', elsewhere);
      expect([refused.status, (await errorOf(refused)).error]).toEqual([
        403,
        expect.stringContaining('This needs an owner of'),
      ]);
    }
  });

  test('keeps what it tells when the project is gone, for two years', async () => {
    await owner.must('DELETE', admin(), { name: 'Docs' });
    expect(await lines()).toEqual(expect.arrayContaining(['administrator | project.removed | Docs']));
    clock.advance(731 * dayMs);
    const later = await openDashboard(headcount);
    expect((await list(later)).entries).toHaveLength(1);
  });

  test('has what was done: where it cannot be noted, nothing is changed, and the answer is a failure', async () => {
    const broken = await startHeadcount({
      wrapStore: (store) => ({
        ...store,
        callAudited: (part, name, args, entries) =>
          store.callAudited(
            part,
            name,
            args,
            // No column of the list may be empty.
            entries.map((entry) => ({ ...entry, subject: null as never })),
          ),
      }),
    });
    onTestFinished(() => broken.stop());
    const project = `${broken.url}/v1/projects/${broken.projectId}`;
    const headers = { authorization: `Bearer ${broken.adminKey}`, 'content-type': 'application/json' };
    const read = async () => (await fetch(project, { headers })).json();
    const before = await read();
    const body = JSON.stringify({ timeZone: 'Europe/Berlin' });
    const response = await fetch(project, { method: 'PATCH', headers, body });
    expect(response.status).toBe(500);
    expect(broken.log.join('\n')).toMatch(/null|NULL/);
    expect(await read()).toEqual(before);
  });
});

test('a project that is changed by key is the change of the key', async () => {
  const change = { timeZone: 'Asia/Tokyo' };
  const response = await byKey('PATCH', `/v1/projects/${headcount.projectId}`, change);
  expect(((await response.json()) as ProjectReply).timeZone).toBe('Asia/Tokyo');
  const [entry] = (await list(owner)).entries;
  expect(entry).toMatchObject({
    actor: { kind: 'key', name: 'root', id: expect.stringMatching(/^key_/) },
    changes: ['timeZone: UTC → Asia/Tokyo'],
  });
});
