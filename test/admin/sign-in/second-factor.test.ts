import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditReply } from '../../../shared/accounts/audit.ts';
import type { FactorReply, RecoveryCodesReply } from '../../../shared/accounts/second-factor.ts';
import type { UsersReply } from '../../../shared/accounts/user.ts';
import { createClock, type TestClock } from '../../support/clock.ts';
import {
  type DashboardClient,
  dashboardClient,
  isSignedIn,
  openDashboard,
  password,
  signIn,
} from '../../support/dashboard/dashboard.ts';
import { join, userPassword } from '../../support/dashboard/people.ts';
import { codeAt, enter, turnOn } from '../../support/dashboard/second-factor.ts';
import { type Headcount, startHeadcount, statusAndError } from '../../support/headcount.ts';
import { readKept } from '../../support/store/kept.ts';

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
const code = (secret: string, offset = 0) => codeAt(secret, clock.now() + offset * stepMs);

describe('a second factor', () => {
  test('is turned on by the password and a code, ends all other sessions of its account, and no others', async () => {
    const ada = await join(headcount, administrator, 'ada', [{ projectId: null, role: 'viewer' }]);
    const elsewhere = await signIn(headcount.url);
    const { secret } = await administrator.must<{ secret: string }>('POST', `${path}/secret`);
    const on = { password, secret, code: code(secret) };
    const turn = (body: object) => statusAndError(administrator.send('POST', path, { body }));
    expect(await turn({ ...on, password: 'a wrong one' })).toEqual([403, 'The password is wrong.']);
    expect(await turn({ ...on, code: '000000' })).toEqual([
      403,
      expect.stringContaining('Wrong or already used code'),
    ]);
    expect((await turn({ ...on, secret: 'short' }))[0]).toBe(400);
    expect(await factorOf(administrator)).toEqual({ isOn: false, recoveryCodes: 0 });
    expect((await turn(on))[0]).toBe(201);
    expect(await turn(on)).toEqual([400, expect.stringContaining('turn it off first')]);
    const signedIn = await Promise.all([administrator, elsewhere, ada].map(isSignedIn));
    expect(signedIn).toEqual([true, false, true]);
    expect(await factorOf(ada)).toEqual({ isOn: false, recoveryCodes: 0 });
  });

  test('is turned off by the password and a code, which each account has for itself', async () => {
    const ada = await join(headcount, administrator, 'ada', [{ projectId: null, role: 'viewer' }]);
    const ofAda = await turnOn(ada, clock.now(), userPassword);
    const ofAdministrator = await turnOn(administrator, clock.now());
    clock.advance(stepMs);
    const off = (body: object) => statusAndError(ada.send('DELETE', path, { body }));
    const right = { password: userPassword, code: code(ofAda.secret) };
    expect(await off({ ...right, password })).toEqual([403, 'The password is wrong.']);
    expect((await off({ ...right, code: code(ofAdministrator.secret) }))[0]).toBe(403);
    expect((await off({ ...right, code: '' }))[0]).toBe(403);
    expect(await off(right)).toEqual([204, '']);
    expect(await off(right)).toEqual([400, 'The second factor is off: turn it on first.']);
    expect((await enter(stranger(), { name: 'ada', password: userPassword })).status).toBe(204);
    expect((await enter(stranger(), {})).status).toBe(401);
  });

  test('gets new recovery codes by the password and a code, and those before are good no more', async () => {
    const { secret, recoveryCodes } = await turnOn(administrator, clock.now());
    clock.advance(stepMs);
    const body = { password, code: code(secret) };
    const renew = () => administrator.send('POST', `${path}/recovery-codes`, { body });
    const renewed = ((await (await renew()).json()) as RecoveryCodesReply).recoveryCodes;
    expect((await renew()).status).toBe(403);
    expect((await enter(stranger(), { code: recoveryCodes[0] as string })).status).toBe(401);
    expect((await enter(stranger(), { code: renewed[0] as string })).status).toBe(204);
  });

  test('is guessed a few times only, wherever the password is asked for', async () => {
    const body = { password: 'a wrong one', code: '000000', secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' };
    const guess = async (method: string, place: string) =>
      (await administrator.send(method, place, { body })).status;
    const first = await Promise.all(Array.from({ length: 20 }, () => guess('POST', path)));
    expect(new Set(first)).toEqual(new Set([403, 429]));
    expect(await guess('POST', path)).toBe(429);
    expect(await guess('POST', `${path}/recovery-codes`)).toBe(429);
    expect(await guess('DELETE', path)).toBe(429);
  });

  test('that was lost is reset by an owner of all projects for others, and by nobody for themselves', async () => {
    const everywhere = [{ projectId: null, role: 'owner' as const }];
    const ada = await join(headcount, administrator, 'ada', everywhere);
    const bob = await join(headcount, administrator, 'bob', everywhere);
    await turnOn(ada, clock.now(), userPassword);
    const listed = async () =>
      (await bob.must<UsersReply>('GET', '/v1/users')).users.map(({ hasSecondFactor }) => hasSecondFactor);
    expect(await listed()).toEqual([true, false]);
    const reset = (client: DashboardClient, id: string) =>
      statusAndError(client.send('DELETE', `/v1/users/${id}/second-factor`));
    const own = 'Turn off your own second factor with your password and a code.';
    expect(await reset(ada, ada.id)).toEqual([403, own]);
    expect(await reset(bob, ada.id)).toEqual([204, '']);
    expect((await reset(bob, ada.id))[0]).toBe(404);
    expect(await listed()).toEqual([false, false]);
    expect((await enter(stranger(), { name: 'ada', password: userPassword })).status).toBe(204);
  });

  test('goes with its user', async () => {
    const roles = [{ projectId: null, role: 'viewer' as const }];
    const ada = await join(headcount, administrator, 'ada', roles);
    await turnOn(ada, clock.now(), userPassword);
    await administrator.must('DELETE', `/v1/users/${ada.id}`);
    await join(headcount, administrator, 'ada', roles);
    expect((await enter(stranger(), { name: 'ada', password: userPassword })).status).toBe(204);
  });

  test('stands in the audit list when it was turned on, off or reset', async () => {
    const ada = await join(headcount, administrator, 'ada', [{ projectId: null, role: 'viewer' }]);
    await turnOn(ada, clock.now(), userPassword);
    await administrator.must('DELETE', `/v1/users/${ada.id}/second-factor`);
    const { recoveryCodes } = await turnOn(administrator, clock.now());
    const confirm = (i: number) => ({ password, code: recoveryCodes[i] });
    const made = await administrator.must<RecoveryCodesReply>('POST', `${path}/recovery-codes`, confirm(0));
    await administrator.must('DELETE', path, { password, code: made.recoveryCodes[0] });
    const { entries } = await administrator.must<AuditReply>('GET', '/v1/audit?limit=5');
    const lines = entries.map(({ actor, action, subject }) => [actor.name ?? actor.kind, action, subject]);
    expect(lines).toEqual([
      ['administrator', 'factor.removed', 'administrator'],
      ['administrator', 'factor.changed', 'administrator'],
      ['administrator', 'factor.added', 'administrator'],
      ['administrator', 'factor.reset', 'ada'],
      ['ada', 'factor.added', 'ada'],
    ]);
  });

  test('is nowhere in the clear: not its secret, not its codes', async () => {
    const { secret, recoveryCodes } = await turnOn(administrator, clock.now());
    await enter(stranger(), { code: 'abcd-efgh-ijkl-mnop' });
    await enter(stranger(), { code: recoveryCodes[0] as string });
    const kept = await readKept(headcount);
    const log = headcount.log.join('\n');
    const texts = [secret, ...recoveryCodes, ...recoveryCodes.map((one) => one.replaceAll('-', ''))];
    for (const text of texts) expect(kept.holds(text) || log.includes(text)).toBe(false);
  });
});
