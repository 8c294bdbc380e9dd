import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { SessionReply } from '../../../shared/accounts/admin.ts';
import { type DashboardClient, openDashboard } from '../dashboard/dashboard.ts';
import { tokenIn, userPassword } from '../dashboard/people.ts';
import { type Headcount, startHeadcount } from '../headcount.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { createTraveller, type Traveller } from './traveller.ts';

/** A server for each test that knows a provider, and somebody whom the provider knows. */
export interface SignOnRun {
  provider: TestProvider;
  headcount: Headcount;
  administrator: DashboardClient;
  /** Is "ada at example" there, and nobody here yet. */
  traveller: Traveller;
  /** Milliseconds by which the clock of the server is ahead. */
  aheadMs: number;
}

/** For the tests of a file; what is answered is filled anew before each of them. */
export function signOnRuns(): SignOnRun {
  const run = {} as SignOnRun;
  beforeAll(async () => {
    run.provider = await startProvider();
  });
  afterAll(() => run.provider.stop());

  beforeEach(async () => {
    run.aheadMs = 0;
    const { provider } = run;
    const headcount = await startHeadcount({ env: provider.env, now: () => Date.now() + run.aheadMs });
    provider.know(headcount.url);
    provider.person = 'ada at example';
    provider.asked.length = 0;
    const traveller = createTraveller(headcount.url);
    Object.assign(run, { headcount, administrator: await openDashboard(headcount), traveller });
  });
  afterEach(async () => {
    run.provider.answerInstead = null;
    await run.headcount.stop();
  });
  return run;
}

/** Where an account is connected and disconnected. */
export const accountPath = '/v1/admin/sign-on/account';

/** All that somebody may who signs in in these tests. */
export const viewer = [{ projectId: null, role: 'viewer' as const }];

export const sessionOf = async (who: Traveller): Promise<SessionReply> =>
  (await (await who.send('GET', '/v1/admin/session')).json()) as SessionReply;

/** Takes an invitation up by signing in at the provider. */
export const acceptBySignOn = (who: Traveller, link: string): Promise<Response> =>
  who.signOn('POST', '/v1/admin/sign-on', { token: tokenIn(link) });

/** Signs in with the password, which connecting an account requires. */
export async function enterAs(who: Traveller, name: string, code?: string): Promise<void> {
  const body = { name, password: userPassword, ...(code !== undefined && { code }) };
  expect((await who.send('POST', '/v1/admin/session', body)).status).toBe(204);
}
