import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionReply } from '../../shared/accounts/admin.ts';
import type { LinkedUserReply, UserReply, UsersReply } from '../../shared/accounts/user.ts';
import { createClock, type TestClock } from '../support/clock.ts';
import {
  type DashboardClient,
  dashboardClient,
  guess,
  isSignedIn,
  openDashboard,
  password,
  signIn,
} from '../support/dashboard/dashboard.ts';
import { invite, join, signInAs, userPassword } from '../support/dashboard/people.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

let clock: TestClock;
let headcount: Headcount;
let owner: DashboardClient;

beforeEach(async () => {
  clock = createClock('2026-11-20T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now });
  owner = await openDashboard(headcount);
});
afterEach(() => headcount.stop());

const everywhere = (role: 'viewer' | 'editor' | 'owner') => [{ projectId: null, role }];
const here = (role: 'viewer' | 'editor' | 'owner') => [{ projectId: headcount.projectId, role }];
const sessionOf = (client: DashboardClient) => client.must<SessionReply>('GET', '/v1/admin/session');
const stranger = () => dashboardClient(headcount.url);

describe('one password', () => {
  test('is all there is until a user is added, and stays good then', async () => {
    expect(await sessionOf(stranger())).toEqual({
      state: 'signed-out',
      hasUsers: false,
      name: null,
      role: null,
      signOn: null,
    });
    expect(await sessionOf(owner)).toEqual({
      state: 'signed-in',
      hasUsers: false,
      name: null,
      role: 'owner',
      signOn: null,
    });
    await join(headcount, owner, 'ada', everywhere('viewer'));
    expect(await isSignedIn(await signIn(headcount.url))).toBe(true);
    expect((await signInAs(stranger(), 'administrator', password)).status).toBe(204);
    expect((await sessionOf(stranger())).hasUsers).toBe(true);
  });

  test('that is changed or set anew signs out no users, nor does the administrator everywhere', async () => {
    const ada = await join(headcount, owner, 'ada', everywhere('viewer'));
    await owner.must('POST', '/v1/admin/password', { current: password, next: 'another password' });
    const again = await signIn(headcount.url, 'another password');
    await again.must('DELETE', '/v1/admin/sessions');
    expect([await isSignedIn(again), await isSignedIn(ada)]).toEqual([false, true]);
    await openDashboard(headcount);
    expect(await isSignedIn(ada)).toBe(true);
  });
});

describe('a user', () => {
  test('signs in by name, however it is written, and a wrong name is reported as a wrong password is', async () => {
    await join(headcount, owner, 'Zoë Smith', everywhere('viewer'));
    expect((await signInAs(stranger(), ' ZOE\u0308 SMITH ')).status).toBe(204);
    const answers = [
      await signInAs(stranger(), 'zoë smith', 'a wrong one'),
      await signInAs(stranger(), 'nobody', 'a wrong one'),
      await signInAs(stranger(), 'zoë smith', password),
    ];
    for (const answer of answers) {
      expect([answer.status, (await errorOf(answer)).error]).toEqual([
        401,
        'The name or the password is wrong.',
      ]);
    }
    expect((await guess(stranger(), userPassword)).status).toBe(401);
  });

  test('who guesses waits as the administrator does, whichever names are tried', async () => {
    await join(headcount, owner, 'ada', everywhere('viewer'));
    for (const name of ['ada', 'bob', '', 'eve']) {
      expect((await signInAs(stranger(), name, 'a wrong one')).status).toBe(401);
    }
    expect((await signInAs(stranger(), 'ada')).status).toBe(429);
  });

  test('cannot guess the password of another one faster by signing in between', async () => {
    await join(headcount, owner, 'ada', everywhere('viewer'));
    const guesses = [];
    for (let i = 0; i < 6; i++) {
      guesses.push((await guess(stranger(), `guess ${i}`)).status);
      expect((await signInAs(stranger(), 'ada')).status).toBe(204);
    }
    expect(guesses).toEqual([401, 401, 401, 401, 429, 429]);
    clock.advance(1000);
    expect((await guess(stranger(), password)).status).toBe(204);
  });

  test('changes their own password, and is signed out everywhere else', async () => {
    const ada = await join(headcount, owner, 'ada', everywhere('viewer'));
    const elsewhere = stranger();
    await signInAs(elsewhere, 'ada');
    const change = { current: userPassword, next: 'another of their own' };
    const wrong = { ...change, current: password };
    expect((await ada.send('POST', '/v1/admin/password', { body: wrong })).status).toBe(403);
    await ada.must('POST', '/v1/admin/password', change);
    expect([await isSignedIn(ada), await isSignedIn(elsewhere)]).toEqual([true, false]);
    await ada.must('DELETE', '/v1/admin/sessions');
    expect([await isSignedIn(ada), await isSignedIn(owner)]).toEqual([false, true]);
    expect((await signInAs(stranger(), 'ada', 'another of their own')).status).toBe(204);
  });

  test('who is removed is signed out at once, and the others are not', async () => {
    const [ada, bob] = [
      await join(headcount, owner, 'ada', everywhere('viewer')),
      await join(headcount, owner, 'bob', everywhere('viewer')),
    ];
    await owner.must('DELETE', `/v1/users/${ada.id}`);
    expect((await ada.send('GET', '/v1/admin/projects')).status).toBe(401);
    expect([await isSignedIn(ada), await isSignedIn(bob)]).toEqual([false, true]);
    expect((await signInAs(stranger(), 'ada')).status).toBe(401);
    expect((await owner.send('DELETE', `/v1/users/${ada.id}`)).status).toBe(404);
    // The name is free for somebody else, who is not signed in by it.
    await invite(owner, 'ada', everywhere('viewer'));
    expect(await isSignedIn(ada)).toBe(false);
  });

  test('has at most a hundred sessions, which push out nobody else’s', async () => {
    const [ada, bob] = [
      await join(headcount, owner, 'ada', everywhere('viewer')),
      await join(headcount, owner, 'bob', everywhere('viewer')),
    ];
    const { store, sessions } = headcount.context;
    const found = await store.users.findPassword('ada');
    for (let i = 1; i <= 100; i++) {
      const at = clock.now() + i;
      await store.users.startSession(
        ada.id,
        { hash: `${i}`, createdAt: at, usedAt: at },
        found?.password ?? '',
      );
    }
    await sessions.refresh();
    expect([await isSignedIn(ada), await isSignedIn(bob), await isSignedIn(owner)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('users', () => {
  test('are managed by a key for all projects, too, and by no other', async () => {
    const ask = (method: string, path: string, key: string, body?: object) =>
      fetch(headcount.url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const { rootKey, adminKey, ingestKey } = headcount;
    const added = await ask('POST', '/v1/users', rootKey, { name: 'ada', roles: here('viewer') });
    expect(added.status).toBe(201);
    const { id } = (await added.json()) as LinkedUserReply;
    const changed = await ask('PATCH', `/v1/users/${id}`, rootKey, { roles: everywhere('editor') });
    expect(((await changed.json()) as UserReply).roles).toEqual(everywhere('editor'));
    for (const key of [adminKey, ingestKey]) {
      expect((await ask('GET', '/v1/users', key)).status).toBe(403);
    }
    expect((await ask('DELETE', `/v1/users/${id}`, rootKey)).status).toBe(204);
    expect(await (await ask('GET', '/v1/users', rootKey)).json()).toEqual({ users: [] });
  });

  test.each([
    [
      { name: 'Ada', roles: [{ projectId: null, role: 'viewer' }] },
      'name must be one that no other user has',
    ],
    [{ name: ' ', roles: [{ projectId: null, role: 'viewer' }] }, 'name must not be empty'],
    [
      { name: 'Administrator', roles: [{ projectId: null, role: 'viewer' }] },
      'name must not be "administrator"',
    ],
    [{ name: 'a\u202eb', roles: [{ projectId: null, role: 'viewer' }] }, 'name must be words'],
    [{ name: 'eve', roles: [] }, 'roles must name at least one role'],
    [
      { name: 'eve', roles: [{ projectId: 'none', role: 'viewer' }] },
      'roles.0.projectId must be the id of a project',
    ],
    [{ name: 'eve', roles: [{ projectId: null, role: 'king' }] }, 'roles.0.role must be one of viewer'],
    [
      {
        name: 'eve',
        roles: [
          { projectId: null, role: 'viewer' },
          { projectId: null, role: 'owner' },
        ],
      },
      'roles must name each project once',
    ],
  ])('are not added as %j', async (body, error) => {
    await invite(owner, 'ada', everywhere('viewer'));
    const response = await owner.send('POST', '/v1/users', { body });
    expect([response.status, (await errorOf(response)).error]).toEqual([400, expect.stringContaining(error)]);
    expect((await owner.must<UsersReply>('GET', '/v1/users')).users).toHaveLength(1);
  });

  test('that are not there cannot be changed, linked or removed', async () => {
    const roles = everywhere('viewer');
    const refusals = [
      await owner.send('PATCH', '/v1/users/none', { body: { roles } }),
      await owner.send('POST', '/v1/users/none/link'),
      await owner.send('DELETE', '/v1/users/none'),
    ];
    for (const refusal of refusals) {
      expect([refusal.status, (await errorOf(refusal)).error]).toEqual([
        404,
        'There is no such user: they may have been removed.',
      ]);
    }
  });

  test('lose their role with the project', async () => {
    const other = await headcount.addProject({ name: 'Other' });
    const roles = [...here('viewer'), { projectId: other.projectId, role: 'owner' as const }];
    const ada = await join(headcount, owner, 'ada', roles);
    await ada.must('DELETE', `/v1/admin/projects/${other.projectId}`, { name: 'Other' });
    const { users } = await owner.must<UsersReply>('GET', '/v1/users');
    expect(users[0]?.roles).toEqual(here('viewer'));
  });
});
