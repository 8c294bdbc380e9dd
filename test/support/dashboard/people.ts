import type { ProjectRole } from '../../../shared/accounts/role.ts';
import type { LinkedUserReply } from '../../../shared/accounts/user.ts';
import type { Headcount } from '../headcount.ts';
import { type DashboardClient, dashboardClient } from './dashboard.ts';

/** Long enough, and unlike the administrator's. */
export const userPassword = 'a password of their own';

type Server = Pick<Headcount, 'url'>;

/** What an invitation's link is redeemed with. */
export const tokenIn = (link: string) => new URL(link).hash.slice(1).split('/')[0] as string;

export const invite = (owner: DashboardClient, name: string, roles: ProjectRole[]) =>
  owner.must<LinkedUserReply>('POST', '/v1/users', { name, roles });

/** Sets the password by the link, and is signed in then. */
export async function accept({ url }: Server, link: string): Promise<DashboardClient> {
  const client = dashboardClient(url);
  await client.must('POST', '/v1/admin/invitation', { token: tokenIn(link), password: userPassword });
  return client;
}

/** A user who is signed in. */
export async function join(
  server: Server,
  owner: DashboardClient,
  name: string,
  roles: ProjectRole[],
): Promise<DashboardClient & { id: string }> {
  const { id, link } = await invite(owner, name, roles);
  return Object.assign(await accept(server, link), { id });
}

export const signInAs = (client: DashboardClient, name: string, password = userPassword) =>
  client.send('POST', '/v1/admin/session', { body: { name, password } });
