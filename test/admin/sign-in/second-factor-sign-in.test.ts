import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FactorReply } from '../../../shared/accounts/second-factor.ts';
import type { LinkedUserReply } from '../../../shared/accounts/user.ts';
import { createClock, type TestClock } from '../../support/clock.ts';
import {
  type DashboardClient,
  dashboardClient,
  isSignedIn,
  offerSetup,
  openDashboard,
  password,
  signIn,
} from '../../support/dashboard/dashboard.ts';
import { join, tokenIn, userPassword } from '../../support/dashboard/people.ts';
import { codeAt, enter, turnOn } from '../../support/dashboard/second-factor.ts';
import { errorOf, type Headcount, startHeadcount, statusAndError } from '../../support/headcount.ts';

const path = '/v1/admin/second-factor';
const stepMs = 30_000;

let clock: TestClock;
let headcount: Headcount;
let administrator: DashboardClient;

beforeEach(async () => {
  clock = createClock('2026-11-20T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now });
  administrator = await openDashboard(headcount);
});
afterEach(() => headcount.stop());

const stranger = () => dashboardClient(headcount.url);
const factorOf = (client: DashboardClient) => client.must<FactorReply>('GET', path);
const from = (address: string) => ({ 'x-forwarded-for': address });
const code = (secret: string, offset = 0) => codeAt(secret, clock.now() + offset * stepMs);

describe('signing in with a second factor', () => {
  test('asks for a code only once the second factor is on, and only after a right password', async () => {
    expect((await enter(stranger(), {})).status).toBe(204);
    const { secret } = await turnOn(administrator, clock.now());
    clock.advance(stepMs);
    const withoutCode = await enter(stranger(), {});
    expect([withoutCode.status, withoutCode.headers.get('www-authenticate')]).toEqual([401, 'Session']);
    expect(await errorOf(withoutCode)).toEqual({
      error: 'Type the code that your app shows, too.',
      details: [{ message: 'is missing', path: 'code' }],
    });
    const wrong = await enter(stranger(), { password: 'a wrong one', code: code(secret) });
    expect(await errorOf(wrong)).toEqual({ error: 'The password is wrong.' });
    const client = stranger();
    expect((await enter(client, { code: code(secret) })).status).toBe(204);
    expect(await isSignedIn(client)).toBe(true);
  });

  test.each([
    ['2005-03-18T01:58:29Z', '081804'],
    ['2005-03-18T01:58:31Z', '050471'],
    ['2009-02-13T23:31:30Z', '005924'],
    ['2033-05-18T03:33:20Z', '279037'],
  ])('takes the code that RFC 6238 gives for %s', async (time, expected) => {
    clock.set(time);
    const client = await signIn(headcount.url);
    const body = { password, secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', code: expected };
    expect((await client.send('POST', path, { body: { ...body, code: '000000' } })).status).toBe(403);
    expect((await client.send('POST', path, { body })).status).toBe(201);
  });

  test('takes the code before and the one after, and no others', async () => {
    const { secret } = await turnOn(administrator, clock.now());
    clock.advance(10 * stepMs);
    const answers = [];
    for (const offset of [-2, 2, -1, 0, 1]) {
      answers.push((await enter(stranger(), { code: code(secret, offset) })).status);
    }
    expect(answers).toEqual([401, 401, 204, 204, 204]);
  });

  test('takes each code once, also when it is sent twice at once, and none from before one that was taken', async () => {
    const { secret } = await turnOn(administrator, clock.now());
    const confirmed = await statusAndError(enter(stranger(), { code: code(secret) }));
    expect(confirmed).toEqual([
      401,
      expect.stringContaining('Wrong or already used code. Wait for the next one'),
    ]);
    clock.advance(5 * stepMs);
    const both = await Promise.all([1, 2].map(() => enter(stranger(), { code: code(secret) })));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect((await enter(stranger(), { code: code(secret, -1) })).status).toBe(401);
    expect((await enter(stranger(), { code: code(secret, 1) })).status).toBe(204);
  });

  test('takes a recovery code, once, however it is written', async () => {
    const { recoveryCodes } = await turnOn(administrator, clock.now());
    const [first = '', second = ''] = recoveryCodes;
    expect(recoveryCodes).toHaveLength(10);
    expect(first).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    expect((await enter(stranger(), { code: first })).status).toBe(204);
    expect((await enter(stranger(), { code: first })).status).toBe(401);
    expect((await enter(stranger(), { code: second.toUpperCase().replaceAll('-', ' ') })).status).toBe(204);
    expect(await factorOf(administrator)).toEqual({ isOn: true, recoveryCodes: 8 });
  });

  test('with wrong codes is as slow as with wrong passwords, and a right password in between does not help', async () => {
    const { secret } = await turnOn(administrator, clock.now());
    clock.advance(stepMs);
    for (let i = 0; i < 4; i++) {
      expect((await enter(stranger(), {})).status).toBe(401);
      expect((await enter(stranger(), { code: '000000' })).status).toBe(401);
    }
    expect((await enter(stranger(), { code: code(secret) })).status).toBe(429);
    clock.advance(stepMs);
    expect((await enter(stranger(), { code: code(secret) })).status).toBe(204);
  });

  test('with wrong codes is slow by the account, too, and signing in by another one in between does not help', async () => {
    await join(headcount, administrator, 'ada', [{ projectId: null, role: 'viewer' }]);
    const { secret } = await turnOn(administrator, clock.now());
    clock.advance(stepMs);
    const answers = [];
    for (let i = 0; i < 5; i++) {
      answers.push((await enter(stranger(), { code: '000000' })).status);
      expect((await enter(stranger(), { name: 'ada', password: userPassword })).status).toBe(204);
    }
    expect(answers).toEqual([401, 401, 401, 401, 429]);
    expect((await enter(stranger(), { code: code(secret) }, from('192.0.2.1'))).status).toBe(204);
    // What is right elsewhere forgives nothing here.
    expect((await enter(stranger(), { code: '000000' })).status).toBe(429);
    clock.advance(stepMs);
    expect((await enter(stranger(), { code: code(secret) })).status).toBe(204);
  });

  test('with wrong codes from many networks is slow from all but those where a code of the account was right', async () => {
    const { secret, recoveryCodes } = await turnOn(administrator, clock.now());
    clock.advance(stepMs);
    const home = from('192.0.2.1');
    expect((await enter(stranger(), { code: recoveryCodes[0] as string }, home)).status).toBe(204);
    for (let i = 0; i < 16; i++) {
      expect((await enter(stranger(), { code: '000000' }, from(`198.51.100.${i}`))).status).toBe(401);
    }
    const right = { code: code(secret) };
    const refused = await enter(stranger(), right, from('203.0.113.1'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await enter(stranger(), { code: '000000' }, home)).status).toBe(401);
    expect((await enter(stranger(), { code: recoveryCodes[1] as string }, home)).status).toBe(204);
    clock.advance(2000);
    expect((await enter(stranger(), right, from('203.0.113.1'))).status).toBe(204);
  });

  test('without a code yet costs no attempt', async () => {
    const { secret } = await turnOn(administrator, clock.now());
    clock.advance(stepMs);
    for (let i = 0; i < 10; i++) expect((await enter(stranger(), {})).status).toBe(401);
    expect((await enter(stranger(), { code: code(secret) })).status).toBe(204);
  });

  test('without a code yet makes no wait begin anew', async () => {
    const { secret } = await turnOn(administrator, clock.now());
    for (let i = 0; i < 6; i++) {
      await enter(stranger(), { password: 'a wrong one' });
      clock.advance(stepMs);
    }
    expect((await enter(stranger(), {})).status).toBe(401);
    expect((await enter(stranger(), { code: code(secret) })).status).toBe(204);
  });

  test('by a link that sets the password does not replace the code', async () => {
    const { secret } = await turnOn(administrator, clock.now());
    const client = stranger();
    const body = { token: await offerSetup(headcount), password: 'another password' };
    expect((await client.send('POST', '/v1/admin/setup', { body })).status).toBe(204);
    expect([client.cookie, await isSignedIn(administrator)]).toEqual(['', false]);
    clock.advance(stepMs);
    const withCode = { password: 'another password', code: code(secret) };
    expect((await enter(client, withCode)).status).toBe(204);
  });

  test('of a user by a new link does not, either', async () => {
    const ada = await join(headcount, administrator, 'ada', [{ projectId: null, role: 'viewer' }]);
    await turnOn(ada, clock.now(), userPassword);
    const { link } = await administrator.must<LinkedUserReply>('POST', `/v1/users/${ada.id}/link`);
    const client = stranger();
    const body = { token: tokenIn(link), password: 'another of their own' };
    expect((await client.send('POST', '/v1/admin/invitation', { body })).status).toBe(204);
    expect([client.cookie, await isSignedIn(ada)]).toEqual(['', false]);
    const withoutCode = enter(client, { name: 'ada', password: 'another of their own' });
    expect((await statusAndError(withoutCode))[1]).toBe('Type the code that your app shows, too.');
  });
});
