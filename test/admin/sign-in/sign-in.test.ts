import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Passwords } from '../../../server/admin/sign-in/password.ts';
import { createClock, dayMs, type TestClock } from '../../support/clock.ts';
import {
  dashboardClient,
  guess,
  isSignedIn,
  offerSetup,
  openDashboard,
  password,
  signIn,
  stateOf,
} from '../../support/dashboard/dashboard.ts';
import { errorOf, type Headcount, startHeadcount } from '../../support/headcount.ts';

let clock: TestClock;
let headcount: Headcount;

beforeEach(async () => {
  clock = createClock('2026-11-20T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now });
});
afterEach(() => headcount.stop());

describe('the one-time link', () => {
  test('sets the password and signs in, once', async () => {
    const client = dashboardClient(headcount.url);
    expect(await stateOf(client)).toBe('setup');
    const body = { token: await offerSetup(headcount), password };
    const response = await client.send('POST', '/v1/admin/setup', { body });
    expect(response.status).toBe(204);
    expect(await stateOf(client)).toBe('signed-in');
    expect(await stateOf(dashboardClient(headcount.url))).toBe('signed-out');
    const again = await dashboardClient(headcount.url).send('POST', '/v1/admin/setup', { body });
    expect([again.status, (await errorOf(again)).error]).toEqual([403, expect.stringContaining('was used')]);
  });

  test('that is used twice at once is good for one of them', async () => {
    const body = { token: await offerSetup(headcount), password };
    const answers = await Promise.all(
      [0, 1].map(() => dashboardClient(headcount.url).send('POST', '/v1/admin/setup', { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
  });

  test('is refused after a day, after a newer one, and when it is invented', async () => {
    const setUp = async (token: string) => {
      const body = { token, password };
      return (await dashboardClient(headcount.url).send('POST', '/v1/admin/setup', { body })).status;
    };
    const older = await offerSetup(headcount);
    const newer = await offerSetup(headcount);
    expect(await setUp(older)).toBe(403);
    expect(await setUp('x'.repeat(43))).toBe(403);
    clock.advance(dayMs);
    expect(await setUp(newer)).toBe(403);
    expect(await setUp(await offerSetup(headcount))).toBe(204);
  });

  test('wants a password of ten characters', async () => {
    const body = { token: await offerSetup(headcount), password: 'too short' };
    const response = await dashboardClient(headcount.url).send('POST', '/v1/admin/setup', { body });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).details).toEqual([
      { message: 'must have at least 10 characters', path: 'password' },
    ]);
  });

  test('replaces a password that was forgotten, and ends its sessions', async () => {
    const old = await openDashboard(headcount);
    const body = { token: await offerSetup(headcount), password: 'another password' };
    expect(await isSignedIn(old)).toBe(true);
    await dashboardClient(headcount.url).must('POST', '/v1/admin/setup', body);
    expect(await isSignedIn(old)).toBe(false);
    expect((await guess(dashboardClient(headcount.url), password)).status).toBe(401);
    expect(await isSignedIn(await signIn(headcount.url, 'another password'))).toBe(true);
  });
});

describe('signing in', () => {
  test('before there is a password says what to do', async () => {
    const response = await guess(dashboardClient(headcount.url), password);
    expect([response.status, (await errorOf(response)).error]).toEqual([
      400,
      'No password has been set yet: open the link that the server printed.',
    ]);
  });

  test('takes 32 MiB and three rounds of scrypt, and passwords that were hashed in another way stay good', async () => {
    await headcount.stop();
    headcount = await startHeadcount({ passwords: new Passwords() });
    const { admin } = headcount.context.store;
    await admin.resetPassword(await new Passwords({ power: 5, r: 4, p: 2 }).hash(password));
    const client = await signIn(headcount.url);
    await client.must('POST', '/v1/admin/password', { current: password, next: 'another password' });
    expect(await admin.readPassword()).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(await isSignedIn(await signIn(headcount.url, 'another password'))).toBe(true);
  });

  test('with a wrong password is refused and sets no cookie', async () => {
    await openDashboard(headcount);
    const client = dashboardClient(headcount.url);
    const response = await guess(client, `${password} `);
    expect([response.status, client.cookie]).toEqual([401, '']);
    expect((await errorOf(response)).error).toBe('The password is wrong.');
  });

  test('gives a cookie that scripts and other sites cannot use', async () => {
    await openDashboard(headcount);
    const response = await guess(dashboardClient(headcount.url), password);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^headcount_session=[\w-]{43}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('over https gives one that no other host can set', async () => {
    await headcount.stop();
    headcount = await startHeadcount({ env: { HEADCOUNT_BASE_URL: 'https://count.example.com' } });
    const client = await openDashboard(headcount);
    expect(client.cookie).toMatch(/^__Host-headcount_session=/);
    const response = await client.send('GET', '/v1/admin/session');
    expect(response.headers.getSetCookie()[0]).toContain('; Secure; ');
    expect(await isSignedIn(client)).toBe(true);
  });

  test('takes a password with accents however they were typed', async () => {
    const body = { token: await offerSetup(headcount), password: 'caf\u00e9 au lait' };
    await dashboardClient(headcount.url).must('POST', '/v1/admin/setup', body);
    expect(await isSignedIn(await signIn(headcount.url, 'cafe\u0301 au lait'))).toBe(true);
  });
});

describe('guessing', () => {
  test('takes ever longer, and is over with the right password', async () => {
    await openDashboard(headcount);
    const client = dashboardClient(headcount.url);
    for (let i = 0; i < 4; i++) expect((await guess(client, 'a wrong one')).status).toBe(401);
    for (const seconds of [1, 2, 4]) {
      const refused = await guess(client, password);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(seconds)]);
      expect(refused.headers.get('ratelimit-policy')).toBe('"sign-in";q=4;w=3600');
      expect(refused.headers.get('ratelimit')).toBe(`"sign-in";r=0;t=${seconds}`);
      clock.advance(seconds * 1000);
      expect((await guess(client, 'a wrong one')).status).toBe(401);
    }
    clock.advance(8000);
    expect((await guess(client, password)).status).toBe(204);
    expect((await guess(client, 'a wrong one')).status).toBe(401);
  });

  test('at once is as slow as one after the other', async () => {
    await openDashboard(headcount);
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => guess(dashboardClient(headcount.url), 'a wrong one')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(4).fill(401),
      ...Array(5).fill(429),
    ]);
  });

  test('from one network does not hold up another, and a /64 is one', async () => {
    await openDashboard(headcount);
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const client = dashboardClient(headcount.url);
    for (let i = 0; i < 4; i++) await guess(client, 'a wrong one', from(`2001:db8::${i}`));
    expect((await guess(client, password, from('2001:db8::99'))).status).toBe(429);
    expect((await guess(client, password, from('2001:db8:0:1::1'))).status).toBe(204);
  });

  test.each([
    ['a /56', 16, (i: number) => `2001:db8:1:22${i.toString(16).padStart(2, '0')}::1`, '2001:db8:1:2300::1'],
    ['a /48', 64, (i: number) => `2001:db8:1:${i.toString(16)}00::1`, '2001:db8:2::1'],
  ])('from all over %s is slowed as a whole', async (_, free, address, elsewhere) => {
    await openDashboard(headcount);
    const from = (text: string) => ({ 'x-forwarded-for': text });
    const client = dashboardClient(headcount.url);
    for (let i = 0; i < free; i++) {
      expect((await guess(client, 'a wrong one', from(address(i)))).status).toBe(401);
    }
    const refused = await guess(client, password, from(address(free)));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.headers.get('ratelimit-policy')).toBe(`"sign-in";q=${free};w=3600`);
    expect((await guess(client, password, from(elsewhere))).status).toBe(204);
  });

  test('from all over a /48 does not hold up a network of it where somebody is signed in', async () => {
    const dashboard = await openDashboard(headcount);
    const from = (text: string) => ({ 'x-forwarded-for': text });
    // As after a restart: the session is all that is known.
    await dashboard.send('GET', '/v1/admin/session', { headers: from('2001:db8:1:ff00::1') });
    const client = dashboardClient(headcount.url);
    for (let i = 0; i < 64; i++) {
      await guess(client, 'a wrong one', from(`2001:db8:1:${i.toString(16)}00::1`));
    }
    expect((await guess(client, password, from('2001:db8:1:fe00::1'))).status).toBe(429);
    // The same household, though the provider gave it another /64.
    expect((await guess(client, password, from('2001:db8:1:ff07::1'))).status).toBe(204);
    for (let i = 0; i < 4; i++) await guess(client, 'a wrong one', from('2001:db8:1:ff00::1'));
    expect((await guess(client, password, from('2001:db8:1:ff00::2'))).status).toBe(429);
  });

  test('from everywhere is limited too, but not for who signed in before', async () => {
    await openDashboard(headcount);
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const client = dashboardClient(headcount.url);
    expect((await guess(client, password, from('192.0.2.1'))).status).toBe(204);
    for (let i = 0; i < 100; i++) {
      expect((await guess(client, 'a wrong one', from(`198.51.100.${i}`))).status).toBe(401);
    }
    const refused = await guess(client, password, from('203.0.113.1'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    expect(refused.headers.get('ratelimit-policy')).toBe('"sign-in";q=100;w=600');
    expect((await guess(client, password, from('192.0.2.1'))).status).toBe(204);
    clock.advance(600_000);
    expect((await guess(client, password, from('203.0.113.1'))).status).toBe(204);
  });

  test('the password of somebody who is signed in is slowed as well, and does not sign out', async () => {
    const client = await openDashboard(headcount);
    const body = { current: 'a wrong one', next: 'another password' };
    for (let i = 0; i < 4; i++) {
      expect((await client.send('POST', '/v1/admin/password', { body })).status).toBe(403);
    }
    expect((await client.send('POST', '/v1/admin/password', { body })).status).toBe(429);
    expect(await isSignedIn(client)).toBe(true);
  });
});
