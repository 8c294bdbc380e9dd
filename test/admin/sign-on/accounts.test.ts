import { describe, expect, test } from 'vitest';
import type { AuditReply } from '../../../shared/accounts/audit.ts';
import type { LinkedUserReply, UsersReply } from '../../../shared/accounts/user.ts';
import { dashboardClient, password } from '../../support/dashboard/dashboard.ts';
import { invite, join, tokenIn, userPassword } from '../../support/dashboard/people.ts';
import { codeAt, turnOn } from '../../support/dashboard/second-factor.ts';
import { statusAndError } from '../../support/headcount.ts';
import {
  acceptBySignOn,
  accountPath,
  enterAs,
  sessionOf,
  signOnRuns,
  viewer,
} from '../../support/sign-on/sign-on-run.ts';
import { createTraveller } from '../../support/sign-on/traveller.ts';

const run = signOnRuns();

const unknown =
  'Nobody here signs in with this account of Example Inc: sign in with your password and connect it on the page Installation, or ask an owner for a link.';

describe('single sign-on', () => {
  test('takes up an invitation, and signs in from then on, without a password', async () => {
    const { link } = await invite(run.administrator, 'ada', viewer);
    expect((await acceptBySignOn(run.traveller, link)).status).toBe(200);
    expect(await sessionOf(run.traveller)).toMatchObject({
      state: 'signed-in',
      name: 'ada',
      signOn: 'Example Inc',
    });
    const { users } = await run.administrator.must<UsersReply>('GET', '/v1/users');
    expect(users).toMatchObject([{ hasPassword: false, hasSignOn: true, linkExpiresAt: null }]);
    expect(await statusAndError(run.traveller.send('DELETE', accountPath, { password: 'x' }))).toEqual([
      403,
      'You have no password: ask an owner for a link, which sets one.',
    ]);
    const later = createTraveller(run.headcount.url);
    const back = await later.signOn('POST', '/v1/admin/sign-on', { next: '/installation' });
    expect(await back.json()).toEqual({ next: '/installation' });
    expect(await sessionOf(later)).toMatchObject({ state: 'signed-in', name: 'ada' });
    const again = later.send('POST', '/v1/admin/sign-on', { token: tokenIn(link) });
    expect(await statusAndError(again)).toEqual([
      403,
      'This link was used or is too old: ask an owner for a new one.',
    ]);
  });

  test('lets nobody in whom no user has connected, whatever their name is there', async () => {
    await join(run.headcount, run.administrator, 'ada at example', viewer);
    expect(await statusAndError(run.traveller.signOn())).toEqual([403, unknown]);
    expect((await sessionOf(run.traveller)).state).toBe('signed-out');
    expect((await run.administrator.must<UsersReply>('GET', '/v1/users')).users).toHaveLength(1);
  });

  test('is connected by who is signed in, with the password, and disconnected', async () => {
    await join(run.headcount, run.administrator, 'ada', viewer);
    await enterAs(run.traveller, 'ada');
    expect(await statusAndError(run.traveller.send('POST', accountPath, { password }))).toEqual([
      403,
      'The password is wrong.',
    ]);
    const connected = await run.traveller.signOn('POST', accountPath, { password: userPassword });
    expect(await connected.json()).toEqual({ next: '/installation' });
    expect(await (await run.traveller.send('GET', accountPath)).json()).toEqual({ isConnected: true });
    const elsewhere = createTraveller(run.headcount.url);
    expect((await elsewhere.signOn()).status).toBe(200);
    expect((await sessionOf(elsewhere)).name).toBe('ada');
    expect((await run.traveller.send('DELETE', accountPath, { password: userPassword })).status).toBe(204);
    expect((await run.traveller.send('DELETE', accountPath, { password: userPassword })).status).toBe(404);
    expect(await statusAndError(createTraveller(run.headcount.url).signOn())).toEqual([403, unknown]);
  });

  test('lets nobody guess the password by connecting or disconnecting', async () => {
    await join(run.headcount, run.administrator, 'ada', viewer);
    await enterAs(run.traveller, 'ada');
    const guess = async (method: string) =>
      (await run.traveller.send(method, accountPath, { password: 'a wrong one' })).status;
    const guesses = await Promise.all(Array.from({ length: 20 }, () => guess('POST')));
    expect(new Set(guesses)).toEqual(new Set([403, 429]));
    expect(await guess('POST')).toBe(429);
    expect(await guess('DELETE')).toBe(429);
  });

  test('is the provider’s to secure: it asks for no second factor, which connecting takes', async () => {
    const ada = await join(run.headcount, run.administrator, 'ada', viewer);
    const { secret, recoveryCodes } = await turnOn(ada, Date.now(), userPassword);
    await enterAs(run.traveller, 'ada', codeAt(secret, Date.now() + 30_000));
    const withoutCode = run.traveller.send('POST', accountPath, { password: userPassword });
    expect(await statusAndError(withoutCode)).toEqual([403, 'Type the code that your app shows, too.']);
    const body = { password: userPassword, code: recoveryCodes[0] };
    expect((await run.traveller.signOn('POST', accountPath, body)).status).toBe(200);
    expect((await run.traveller.send('POST', accountPath, body)).status).toBe(403);
    const elsewhere = createTraveller(run.headcount.url);
    expect((await elsewhere.signOn()).status).toBe(200);
    expect((await sessionOf(elsewhere)).name).toBe('ada');
  });

  test('by a link gets around no second factor', async () => {
    const ada = await join(run.headcount, run.administrator, 'ada', viewer);
    const link = async () =>
      (await run.administrator.must<LinkedUserReply>('POST', `/v1/users/${ada.id}/link`)).link;
    const query = await run.traveller.travel('POST', '/v1/admin/sign-on', { token: tokenIn(await link()) });
    await turnOn(ada, Date.now(), userPassword);
    const refusal = [
      403,
      expect.stringContaining('This user has a second factor: set the password by this link'),
    ];
    expect(await statusAndError(run.traveller.send('POST', '/v1/admin/sign-on/return', { query }))).toEqual(
      refusal,
    );
    const body = { token: tokenIn(await link()) };
    expect(await statusAndError(run.traveller.send('POST', '/v1/admin/sign-on', body))).toEqual(refusal);
  });

  test('is one user’s: nobody connects an account that another signs in by', async () => {
    await acceptBySignOn(run.traveller, (await invite(run.administrator, 'ada', viewer)).link);
    const bob = createTraveller(run.headcount.url);
    const { link } = await invite(run.administrator, 'bob', viewer);
    expect(await statusAndError(acceptBySignOn(bob, link))).toEqual([
      403,
      'Another user signs in with this account of Example Inc: sign out there, and come back with your own.',
    ]);
    expect((await sessionOf(bob)).state).toBe('signed-out');
    // The link is still good.
    run.provider.person = 'bob at example';
    expect((await acceptBySignOn(createTraveller(run.headcount.url), link)).status).toBe(200);
  });

  test('is nothing for the run.administrator, whose password stays', async () => {
    const response = await run.administrator.send('POST', accountPath, { body: { password } });
    expect(await statusAndError(response)).toEqual([
      400,
      expect.stringContaining('signs in with the password alone'),
    ]);
    expect(
      (await dashboardClient(run.headcount.url).send('POST', '/v1/admin/session', { body: { password } }))
        .status,
    ).toBe(204);
  });

  test('ends with its user', async () => {
    const { id, link } = await invite(run.administrator, 'ada', viewer);
    await acceptBySignOn(run.traveller, link);
    await run.administrator.must('DELETE', `/v1/users/${id}`);
    expect((await sessionOf(run.traveller)).state).toBe('signed-out');
    expect(await statusAndError(createTraveller(run.headcount.url).signOn())).toEqual([403, unknown]);
  });

  test('stands in the audit list when it was connected or disconnected, and not with each sign-in', async () => {
    await acceptBySignOn(run.traveller, (await invite(run.administrator, 'ada', viewer)).link);
    await run.traveller.signOn();
    const bob = createTraveller(run.headcount.url);
    await join(run.headcount, run.administrator, 'bob', viewer);
    await enterAs(bob, 'bob');
    run.provider.person = 'bob at example';
    await bob.signOn('POST', accountPath, { password: userPassword });
    await bob.send('DELETE', accountPath, { password: userPassword });
    const { entries } = await run.administrator.must<AuditReply>('GET', '/v1/audit');
    const lines = entries.map(({ actor, action, subject }) => [actor.name, action, subject]);
    expect(lines.filter(([, action]) => action?.startsWith('sign_on.'))).toEqual([
      ['bob', 'sign_on.disconnected', 'bob'],
      ['bob', 'sign_on.connected', 'bob'],
      ['ada', 'sign_on.connected', 'ada'],
    ]);
  });
});
