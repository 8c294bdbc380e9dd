import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionReply } from '../../shared/accounts/admin.ts';
import type { LinkedUserReply, UsersReply } from '../../shared/accounts/user.ts';
import { createClock, dayMs, type TestClock } from '../support/clock.ts';
import {
  type DashboardClient,
  dashboardClient,
  isSignedIn,
  openDashboard,
} from '../support/dashboard/dashboard.ts';
import { accept, invite, join, signInAs, tokenIn, userPassword } from '../support/dashboard/people.ts';
import { type Headcount, startHeadcount, statusAndError } from '../support/headcount.ts';
import { readKept } from '../support/store/kept.ts';

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

function redeem(token: string, secret = userPassword): Promise<[number, string]> {
  const body = { token, password: secret };
  return statusAndError(stranger().send('POST', '/v1/admin/invitation', { body }));
}

describe('an invitation', () => {
  test('sets the password of the user and signs in, once', async () => {
    const { link, ...user } = await invite(owner, ' Ada@Example.com ', here('editor'));
    expect(user).toEqual({
      id: expect.stringMatching(/^user_\w{12}$/),
      name: 'ada@example.com',
      roles: here('editor'),
      hasPassword: false,
      hasSecondFactor: false,
      hasSignOn: false,
      linkExpiresAt: '2026-11-27T10:00:00.000Z',
      createdAt: '2026-11-20T10:00:00.000Z',
    });
    expect(link).toMatch(/^http:\/\/localhost:\d+\/invitation#[\w-]{43}\/ada%40example\.com$/);
    const ada = await accept(headcount, link);
    expect(await sessionOf(ada)).toMatchObject({ state: 'signed-in', name: 'ada@example.com', role: null });
    expect(await redeem(tokenIn(link))).toEqual([
      403,
      'This link was used or is too old: ask an owner for a new one.',
    ]);
    const { users } = await owner.must<UsersReply>('GET', '/v1/users');
    expect(users).toEqual([{ ...user, hasPassword: true, linkExpiresAt: null }]);
  });

  test('that is used twice at once is good for one of them', async () => {
    const token = tokenIn((await invite(owner, 'ada', everywhere('viewer'))).link);
    const answers = await Promise.all([redeem(token), redeem(token)]);
    expect(answers.map(([status]) => status).sort()).toEqual([204, 403]);
  });

  test('is refused after a week, after a newer one, when it is invented, and for who was removed', async () => {
    const { id, link } = await invite(owner, 'ada', everywhere('viewer'));
    const newer = await owner.must<LinkedUserReply>('POST', `/v1/users/${id}/link`);
    expect((await redeem(tokenIn(link)))[0]).toBe(403);
    expect((await redeem('x'.repeat(43)))[0]).toBe(403);
    clock.advance(7 * dayMs);
    expect((await redeem(tokenIn(newer.link)))[0]).toBe(403);
    const last = await owner.must<LinkedUserReply>('POST', `/v1/users/${id}/link`);
    await owner.must('DELETE', `/v1/users/${id}`);
    expect((await redeem(tokenIn(last.link)))[0]).toBe(403);
  });

  test('wants a password of ten characters, and none before it signs nobody in', async () => {
    const { link } = await invite(owner, 'ada', everywhere('viewer'));
    expect((await signInAs(stranger(), 'ada', '')).status).toBe(401);
    expect(await redeem(tokenIn(link), 'too short')).toEqual([400, expect.stringContaining('10 characters')]);
  });

  test('made anew replaces a password that was forgotten, and ends its sessions', async () => {
    const ada = await join(headcount, owner, 'ada', everywhere('viewer'));
    const { link } = await owner.must<LinkedUserReply>('POST', `/v1/users/${ada.id}/link`);
    expect(await isSignedIn(ada)).toBe(true);
    expect((await redeem(tokenIn(link), 'quite another one'))[0]).toBe(204);
    expect(await isSignedIn(ada)).toBe(false);
    expect((await signInAs(stranger(), 'ada')).status).toBe(401);
    expect((await signInAs(stranger(), 'ada', 'quite another one')).status).toBe(204);
  });

  test('is stored as a hash, and so are the password and the session', async () => {
    const { link } = await invite(owner, 'waiting', everywhere('viewer'));
    const ada = await join(headcount, owner, 'ada', everywhere('viewer'));
    await signInAs(stranger(), 'ada', 'a wrong secret');
    const kept = await readKept(headcount);
    const log = headcount.log.join('\n');
    expect(kept.holds('waiting')).toBe(true);
    const session = ada.cookie.split('=')[1] as string;
    for (const text of [tokenIn(link), userPassword, session, 'a wrong secret']) {
      expect(kept.holds(text) || log.includes(text)).toBe(false);
    }
  });
});
