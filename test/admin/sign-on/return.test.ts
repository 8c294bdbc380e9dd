import { beforeEach, describe, expect, test } from 'vitest';
import { invite, join, userPassword } from '../../support/dashboard/people.ts';
import { statusAndError } from '../../support/headcount.ts';
import {
  acceptBySignOn,
  accountPath,
  enterAs,
  sessionOf,
  signOnRuns,
  viewer,
} from '../../support/sign-on/sign-on-run.ts';
import { createTraveller, type Traveller } from '../../support/sign-on/traveller.ts';

const run = signOnRuns();

describe('coming back from the provider', () => {
  const strayed = [
    403,
    'The sign-in began in another browser, or more than ten minutes ago: choose "Continue with Example Inc" again.',
  ];
  const comeBack = (who: Traveller, query: string) =>
    statusAndError(who.send('POST', '/v1/admin/sign-on/return', { query }));

  beforeEach(async () => {
    await acceptBySignOn(
      createTraveller(run.headcount.url),
      (await invite(run.administrator, 'ada', viewer)).link,
    );
  });

  test('counts once, in the browser that left, and within ten minutes', async () => {
    const query = await run.traveller.travel('POST', '/v1/admin/sign-on', {});
    expect(await comeBack(createTraveller(run.headcount.url), query)).toEqual(strayed);
    expect((await comeBack(run.traveller, query))[0]).toBe(200);
    expect(await comeBack(run.traveller, query)).toEqual(strayed);
    const slow = await run.traveller.travel('POST', '/v1/admin/sign-on', {});
    run.aheadMs = 10 * 60_000;
    expect(await comeBack(run.traveller, slow)).toEqual(strayed);
  });

  test('with another state, or that of somebody else, is refused', async () => {
    const untrusted = [403, expect.stringContaining('The response of Example Inc cannot be trusted')];
    const query = new URLSearchParams(await run.traveller.travel('POST', '/v1/admin/sign-on', {}));
    query.set('state', 'another');
    expect(await comeBack(run.traveller, `?${query}`)).toEqual(untrusted);
    const victim = createTraveller(run.headcount.url);
    await victim.travel('POST', '/v1/admin/sign-on', {});
    const foreign = await run.traveller.travel('POST', '/v1/admin/sign-on', {});
    expect(await comeBack(victim, foreign)).toEqual(untrusted);
    expect((await sessionOf(victim)).state).toBe('signed-out');
  });

  test('with a code that was meant for another sign-in is refused, by PKCE and the nonce', async () => {
    const first = new URLSearchParams(await run.traveller.travel('POST', '/v1/admin/sign-on', {}));
    const second = new URLSearchParams(await run.traveller.travel('POST', '/v1/admin/sign-on', {}));
    second.set('code', first.get('code') ?? '');
    const [status, error] = await comeBack(run.traveller, `?${second}`);
    expect([status, error]).toEqual([403, expect.stringContaining('cannot be trusted')]);
  });

  test('after a refusal there says so', async () => {
    run.provider.person = null;
    expect(await statusAndError(createTraveller(run.headcount.url).signOn())).toEqual([
      403,
      'Example Inc did not sign you in, as it was refused there: try again, or sign in with your password.',
    ]);
  });

  test('to connect an account is refused once somebody else is signed in', async () => {
    await join(run.headcount, run.administrator, 'bob', viewer);
    await enterAs(run.traveller, 'bob');
    run.provider.person = 'bob at example';
    const query = await run.traveller.travel('POST', accountPath, { password: userPassword });
    await run.traveller.send('DELETE', '/v1/admin/session');
    expect(await comeBack(run.traveller, query)).toEqual(strayed);
  });
});
