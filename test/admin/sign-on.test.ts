import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LinkedUserReply, SessionReply, UsersReply } from '../../shared/accounts/admin.ts';
import type { AuditReply } from '../../shared/replies/audit.ts';
import {
  type DashboardClient,
  dashboardClient,
  openDashboard,
  password,
} from '../support/dashboard/dashboard.ts';
import { invite, join, tokenIn, userPassword } from '../support/dashboard/people.ts';
import { codeAt, turnOn } from '../support/dashboard/second-factor.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { clientSecret, startProvider, type TestProvider } from '../support/sign-on/provider.ts';
import { createTraveller, type Traveller } from '../support/sign-on/traveller.ts';
import { readKept } from '../support/store/kept.ts';

const account = '/v1/admin/sign-on/account';
const viewer = [{ projectId: null, role: 'viewer' as const }];

let provider: TestProvider;
let headcount: Headcount;
let administrator: DashboardClient;
let traveller: Traveller;
let moved = 0;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.stop());
beforeEach(async () => {
  moved = 0;
  headcount = await startHeadcount({ env: provider.env, now: () => Date.now() + moved });
  provider.know(headcount.url);
  provider.person = 'ada at example';
  provider.asked.length = 0;
  administrator = await openDashboard(headcount);
  traveller = createTraveller(headcount.url);
});
afterEach(async () => {
  provider.answerInstead = null;
  await headcount.stop();
});

const sessionOf = async (who: Traveller) =>
  (await (await who.send('GET', '/v1/admin/session')).json()) as SessionReply;

async function told(response: Response | Promise<Response>): Promise<[number, string]> {
  const answer = await response;
  return [answer.status, answer.ok ? '' : (await errorOf(answer)).error];
}

async function accept(who: Traveller, link: string): Promise<Response> {
  return who.signOn('POST', '/v1/admin/sign-on', { token: tokenIn(link) });
}

/** Signs in with the password, as whoever connects an account has to. */
async function asUser(who: Traveller, name: string, code?: string): Promise<void> {
  const body = { name, password: userPassword, ...(code !== undefined && { code }) };
  expect((await who.send('POST', '/v1/admin/session', body)).status).toBe(204);
}

const unknown =
  'Nobody here signs in with this account of Example Inc: sign in with your password and connect it on the page Installation, or ask an owner for a link.';

describe('single sign-on', () => {
  test('takes up an invitation, and signs in from then on, without a password', async () => {
    const { link } = await invite(administrator, 'ada', viewer);
    expect((await accept(traveller, link)).status).toBe(200);
    expect(await sessionOf(traveller)).toMatchObject({
      state: 'signed-in',
      name: 'ada',
      signOn: 'Example Inc',
    });
    const { users } = await administrator.must<UsersReply>('GET', '/v1/users');
    expect(users).toMatchObject([{ hasPassword: false, hasSignOn: true, linkExpiresAt: null }]);
    expect(await told(traveller.send('DELETE', account, { password: 'x' }))).toEqual([
      403,
      'You have no password: ask an owner for a link, which sets one.',
    ]);
    const later = createTraveller(headcount.url);
    const back = await later.signOn('POST', '/v1/admin/sign-on', { next: '/installation' });
    expect(await back.json()).toEqual({ next: '/installation' });
    expect(await sessionOf(later)).toMatchObject({ state: 'signed-in', name: 'ada' });
    const again = later.send('POST', '/v1/admin/sign-on', { token: tokenIn(link) });
    expect(await told(again)).toEqual([403, 'This link was used or is too old: ask an owner for a new one.']);
  });

  test('lets nobody in whom no user has connected, whatever their name is there', async () => {
    await join(headcount, administrator, 'ada at example', viewer);
    expect(await told(traveller.signOn())).toEqual([403, unknown]);
    expect((await sessionOf(traveller)).state).toBe('signed-out');
    expect((await administrator.must<UsersReply>('GET', '/v1/users')).users).toHaveLength(1);
  });

  test('is connected by who is signed in, with the password, and disconnected', async () => {
    await join(headcount, administrator, 'ada', viewer);
    await asUser(traveller, 'ada');
    expect(await told(traveller.send('POST', account, { password }))).toEqual([
      403,
      'The password is wrong.',
    ]);
    const connected = await traveller.signOn('POST', account, { password: userPassword });
    expect(await connected.json()).toEqual({ next: '/installation' });
    expect(await (await traveller.send('GET', account)).json()).toEqual({ isConnected: true });
    const elsewhere = createTraveller(headcount.url);
    expect((await elsewhere.signOn()).status).toBe(200);
    expect((await sessionOf(elsewhere)).name).toBe('ada');
    expect((await traveller.send('DELETE', account, { password: userPassword })).status).toBe(204);
    expect((await traveller.send('DELETE', account, { password: userPassword })).status).toBe(404);
    expect(await told(createTraveller(headcount.url).signOn())).toEqual([403, unknown]);
  });

  test('is the provider’s to secure: it asks for no second factor, which connecting takes', async () => {
    const ada = await join(headcount, administrator, 'ada', viewer);
    const { secret, recoveryCodes } = await turnOn(ada, Date.now(), userPassword);
    await asUser(traveller, 'ada', codeAt(secret, Date.now() + 30_000));
    const withoutCode = traveller.send('POST', account, { password: userPassword });
    expect(await told(withoutCode)).toEqual([403, 'Type the code that your app shows, too.']);
    const body = { password: userPassword, code: recoveryCodes[0] };
    expect((await traveller.signOn('POST', account, body)).status).toBe(200);
    expect((await traveller.send('POST', account, body)).status).toBe(403);
    const elsewhere = createTraveller(headcount.url);
    expect((await elsewhere.signOn()).status).toBe(200);
    expect((await sessionOf(elsewhere)).name).toBe('ada');
  });

  test('by a link gets around no second factor', async () => {
    const ada = await join(headcount, administrator, 'ada', viewer);
    const link = async () =>
      (await administrator.must<LinkedUserReply>('POST', `/v1/users/${ada.id}/link`)).link;
    const query = await traveller.travel('POST', '/v1/admin/sign-on', { token: tokenIn(await link()) });
    await turnOn(ada, Date.now(), userPassword);
    const refusal = [
      403,
      expect.stringContaining('This user has a second factor: set the password by this link'),
    ];
    expect(await told(traveller.send('POST', '/v1/admin/sign-on/return', { query }))).toEqual(refusal);
    const body = { token: tokenIn(await link()) };
    expect(await told(traveller.send('POST', '/v1/admin/sign-on', body))).toEqual(refusal);
  });

  test('is one user’s: nobody connects an account that another signs in by', async () => {
    await accept(traveller, (await invite(administrator, 'ada', viewer)).link);
    const bob = createTraveller(headcount.url);
    const { link } = await invite(administrator, 'bob', viewer);
    expect(await told(accept(bob, link))).toEqual([
      403,
      'Another user signs in with this account of Example Inc: sign out there, and come back with your own.',
    ]);
    expect((await sessionOf(bob)).state).toBe('signed-out');
    // The link is still good.
    provider.person = 'bob at example';
    expect((await accept(createTraveller(headcount.url), link)).status).toBe(200);
  });

  test('is nothing for the administrator, whose password stays', async () => {
    const response = await administrator.send('POST', account, { body: { password } });
    expect(await told(response)).toEqual([400, expect.stringContaining('signs in with the password alone')]);
    expect(
      (await dashboardClient(headcount.url).send('POST', '/v1/admin/session', { body: { password } })).status,
    ).toBe(204);
  });

  test('ends with its user', async () => {
    const { id, link } = await invite(administrator, 'ada', viewer);
    await accept(traveller, link);
    await administrator.must('DELETE', `/v1/users/${id}`);
    expect((await sessionOf(traveller)).state).toBe('signed-out');
    expect(await told(createTraveller(headcount.url).signOn())).toEqual([403, unknown]);
  });

  test('stands in the audit list when it was connected or disconnected, and not with each sign-in', async () => {
    await accept(traveller, (await invite(administrator, 'ada', viewer)).link);
    await traveller.signOn();
    const bob = createTraveller(headcount.url);
    await join(headcount, administrator, 'bob', viewer);
    await asUser(bob, 'bob');
    provider.person = 'bob at example';
    await bob.signOn('POST', account, { password: userPassword });
    await bob.send('DELETE', account, { password: userPassword });
    const { entries } = await administrator.must<AuditReply>('GET', '/v1/audit');
    const lines = entries.map(({ actor, action, subject }) => [actor.name, action, subject]);
    expect(lines.filter(([, action]) => action?.startsWith('sign_on.'))).toEqual([
      ['bob', 'sign_on.disconnected', 'bob'],
      ['bob', 'sign_on.connected', 'bob'],
      ['ada', 'sign_on.connected', 'ada'],
    ]);
  });
});

describe('coming back from the provider', () => {
  const strayed = [
    403,
    'This was not begun in this browser, or more than ten minutes ago: choose "Continue with Example Inc" again.',
  ];
  const comeBack = (who: Traveller, query: string) =>
    told(who.send('POST', '/v1/admin/sign-on/return', { query }));

  beforeEach(async () => {
    await accept(createTraveller(headcount.url), (await invite(administrator, 'ada', viewer)).link);
  });

  test('counts once, in the browser that left, and within ten minutes', async () => {
    const query = await traveller.travel('POST', '/v1/admin/sign-on', {});
    expect(await comeBack(createTraveller(headcount.url), query)).toEqual(strayed);
    expect((await comeBack(traveller, query))[0]).toBe(200);
    expect(await comeBack(traveller, query)).toEqual(strayed);
    const slow = await traveller.travel('POST', '/v1/admin/sign-on', {});
    moved = 10 * 60_000;
    expect(await comeBack(traveller, slow)).toEqual(strayed);
  });

  test('with another state, or that of somebody else, is refused', async () => {
    const untrusted = [403, expect.stringContaining('What Example Inc answered cannot be trusted')];
    const query = new URLSearchParams(await traveller.travel('POST', '/v1/admin/sign-on', {}));
    query.set('state', 'another');
    expect(await comeBack(traveller, `?${query}`)).toEqual(untrusted);
    const victim = createTraveller(headcount.url);
    await victim.travel('POST', '/v1/admin/sign-on', {});
    const foreign = await traveller.travel('POST', '/v1/admin/sign-on', {});
    expect(await comeBack(victim, foreign)).toEqual(untrusted);
    expect((await sessionOf(victim)).state).toBe('signed-out');
  });

  test('with a code that was meant for another sign-in is refused, by PKCE and the nonce', async () => {
    const first = new URLSearchParams(await traveller.travel('POST', '/v1/admin/sign-on', {}));
    const second = new URLSearchParams(await traveller.travel('POST', '/v1/admin/sign-on', {}));
    second.set('code', first.get('code') ?? '');
    const [status, error] = await comeBack(traveller, `?${second}`);
    expect([status, error]).toEqual([403, expect.stringContaining('cannot be trusted')]);
  });

  test('after a refusal there says so', async () => {
    provider.person = null;
    expect(await told(createTraveller(headcount.url).signOn())).toEqual([
      403,
      'Example Inc did not sign you in, as it was refused there: try again, or sign in with your password.',
    ]);
  });

  test('to connect an account is refused once somebody else is signed in', async () => {
    await join(headcount, administrator, 'bob', viewer);
    await asUser(traveller, 'bob');
    provider.person = 'bob at example';
    const query = await traveller.travel('POST', account, { password: userPassword });
    await traveller.send('DELETE', '/v1/admin/session');
    expect(await comeBack(traveller, query)).toEqual(strayed);
  });
});

describe('a provider', () => {
  const unreachable = [
    503,
    'Example Inc cannot be reached: try again in a moment, or sign in with your password.',
  ];
  const begin = () => told(traveller.send('POST', '/v1/admin/sign-on', {}));

  test('is asked when it is first needed, and then not each time', async () => {
    expect((await sessionOf(traveller)).signOn).toBe('Example Inc');
    expect(provider.asked).toEqual([]);
    expect((await begin())[0]).toBe(201);
    expect((await begin())[0]).toBe(201);
    expect(provider.asked).toEqual(['/.well-known/openid-configuration']);
  });

  test('that cannot be reached, answers too much, or leads elsewhere is told as that, and asked again', async () => {
    provider.answerInstead = (req) => req.destroy();
    expect(await begin()).toEqual(unreachable);
    provider.answerInstead = (_, res) => void res.writeHead(502).end('Bad gateway');
    expect(await begin()).toEqual(unreachable);
    provider.answerInstead = (_, res) => void res.end('x'.repeat(1_100_000));
    expect(await begin()).toEqual(unreachable);
    provider.answerInstead = (_, res) => void res.writeHead(302, { location: '/elsewhere' }).end();
    expect((await begin())[0]).toBe(403);
    expect(provider.asked).not.toContain('/elsewhere');
    // Nobody who has a password waits for it.
    expect((await traveller.send('POST', '/v1/admin/session', { password })).status).toBe(204);
    provider.answerInstead = null;
    expect((await begin())[0]).toBe(201);
  });

  test('that is gone by the time somebody comes back is told as that', async () => {
    const query = await traveller.travel('POST', '/v1/admin/sign-on', {});
    provider.answerInstead = (req) => req.destroy();
    const response = traveller.send('POST', '/v1/admin/sign-on/return', { query });
    expect(await told(response)).toEqual(unreachable);
  });

  test('fills no log by what it answers', async () => {
    const query = await traveller.travel('POST', '/v1/admin/sign-on', {});
    const error = 'invalid\n\u001b[31m'.repeat(1000);
    provider.answerInstead = (_, res) =>
      void res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    const answer = await told(traveller.send('POST', '/v1/admin/sign-on/return', { query }));
    expect(answer).toEqual([403, expect.stringContaining('cannot be trusted')]);
    const line = headcount.log.find((one) => one.includes('Signing in with')) ?? '';
    expect(line).toContain('invalid');
    expect([line.length < 500, /\p{Cc}/u.test(line.trimEnd())]).toEqual([true, false]);
  });

  test('leaves nothing secret in the log, the database or addresses', async () => {
    await accept(traveller, (await invite(administrator, 'ada', viewer)).link);
    const query = new URLSearchParams(await traveller.travel('POST', '/v1/admin/sign-on', {}));
    const errand = traveller.cookies.get('headcount_sign_on') ?? '';
    query.set('state', 'another');
    await traveller.send('POST', '/v1/admin/sign-on/return', { query: `?${query}` });
    const log = headcount.log.join('\n');
    expect(log).toContain(`Signing in with ${provider.issuer} failed`);
    const kept = await readKept(headcount);
    expect(errand).not.toBe('');
    for (const text of [clientSecret, query.get('code') ?? '', errand]) {
      expect(log.includes(text) || kept.holds(text) || String(query).includes(clientSecret)).toBe(false);
    }
  });

  test('that no setting names is no way in', async () => {
    const alone = await startHeadcount();
    const stranger = createTraveller(alone.url);
    expect((await sessionOf(stranger)).signOn).toBeNull();
    expect((await told(stranger.send('POST', '/v1/admin/sign-on', {})))[0]).toBe(400);
    await alone.stop();
  });
});
