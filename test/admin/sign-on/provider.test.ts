import { describe, expect, test } from 'vitest';
import { password } from '../../support/dashboard/dashboard.ts';
import { invite, join, userPassword } from '../../support/dashboard/people.ts';
import { startHeadcount, statusAndError } from '../../support/headcount.ts';
import { clientSecret } from '../../support/sign-on/provider.ts';
import {
  acceptBySignOn,
  accountPath,
  enterAs,
  sessionOf,
  signOnRuns,
  viewer,
} from '../../support/sign-on/sign-on-run.ts';
import { createTraveller } from '../../support/sign-on/traveller.ts';
import { readKept } from '../../support/store/kept.ts';

const run = signOnRuns();

describe('a provider', () => {
  const unreachable = [
    503,
    'Example Inc cannot be reached: try again in a moment, or sign in with your password.',
  ];
  const begin = () => statusAndError(run.traveller.send('POST', '/v1/admin/sign-on', {}));

  test('is asked when it is first needed, and then not each time', async () => {
    expect((await sessionOf(run.traveller)).signOn).toBe('Example Inc');
    expect(run.provider.asked).toEqual([]);
    expect((await begin())[0]).toBe(201);
    expect((await begin())[0]).toBe(201);
    expect(run.provider.asked).toEqual(['/.well-known/openid-configuration']);
  });

  test('that cannot be reached, answers too much, or leads elsewhere is reported as that, and asked again', async () => {
    run.provider.answerInstead = (req) => req.destroy();
    expect(await begin()).toEqual(unreachable);
    run.provider.answerInstead = (_, res) => void res.writeHead(502).end('Bad gateway');
    expect(await begin()).toEqual(unreachable);
    run.provider.answerInstead = (_, res) => void res.end('x'.repeat(1_100_000));
    expect(await begin()).toEqual(unreachable);
    run.provider.answerInstead = (_, res) => void res.writeHead(302, { location: '/elsewhere' }).end();
    expect((await begin())[0]).toBe(403);
    expect(run.provider.asked).not.toContain('/elsewhere');
    // Nobody who has a password waits for it.
    expect((await run.traveller.send('POST', '/v1/admin/session', { password })).status).toBe(204);
    run.provider.answerInstead = null;
    expect((await begin())[0]).toBe(201);
  });

  test('that cannot be reached connects no account', async () => {
    await join(run.headcount, run.administrator, 'ada', viewer);
    await enterAs(run.traveller, 'ada');
    run.provider.answerInstead = (req) => req.destroy();
    const connected = run.traveller.send('POST', accountPath, { password: userPassword });
    expect(await statusAndError(connected)).toEqual(unreachable);
  });

  test('that is gone by the time somebody comes back is told as that', async () => {
    const query = await run.traveller.travel('POST', '/v1/admin/sign-on', {});
    run.provider.answerInstead = (req) => req.destroy();
    const response = run.traveller.send('POST', '/v1/admin/sign-on/return', { query });
    expect(await statusAndError(response)).toEqual(unreachable);
  });

  test('fills no log by what it answers', async () => {
    const query = await run.traveller.travel('POST', '/v1/admin/sign-on', {});
    const error = 'invalid\n\u001b[31m'.repeat(1000);
    run.provider.answerInstead = (_, res) =>
      void res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    const answer = await statusAndError(run.traveller.send('POST', '/v1/admin/sign-on/return', { query }));
    expect(answer).toEqual([403, expect.stringContaining('cannot be trusted')]);
    const line = run.headcount.log.find((one) => one.includes('Signing in with')) ?? '';
    expect(line).toContain('invalid');
    expect([line.length < 500, /\p{Cc}/u.test(line.trimEnd())]).toEqual([true, false]);
  });

  test('leaves nothing secret in the log, the database or addresses', async () => {
    await acceptBySignOn(run.traveller, (await invite(run.administrator, 'ada', viewer)).link);
    const query = new URLSearchParams(await run.traveller.travel('POST', '/v1/admin/sign-on', {}));
    const errand = run.traveller.cookies.get('headcount_sign_on') ?? '';
    query.set('state', 'another');
    await run.traveller.send('POST', '/v1/admin/sign-on/return', { query: `?${query}` });
    const log = run.headcount.log.join('\n');
    expect(log).toContain(`Signing in with ${run.provider.issuer} failed`);
    const kept = await readKept(run.headcount);
    expect(errand).not.toBe('');
    for (const text of [clientSecret, query.get('code') ?? '', errand]) {
      expect(log.includes(text) || kept.holds(text) || String(query).includes(clientSecret)).toBe(false);
    }
  });

  test('that no setting names is no way in', async () => {
    const alone = await startHeadcount();
    const stranger = createTraveller(alone.url);
    expect((await sessionOf(stranger)).signOn).toBeNull();
    expect((await statusAndError(stranger.send('POST', '/v1/admin/sign-on', {})))[0]).toBe(400);
    await alone.stop();
  });
});
