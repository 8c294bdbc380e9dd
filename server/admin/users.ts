import type { ProjectRole } from '../../shared/accounts/role.ts';
import type { NewUser } from '../../shared/accounts/user.ts';
import type { LinkedUserReply, UserReply, UsersReply } from '../../shared/replies/accounts/user.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { User } from '../store/admin/users.ts';
import { invalid } from './project-changes.ts';
import { makeUser, makeUserLink } from './user-link.ts';

export async function listUsers({ store }: Context): Promise<UsersReply> {
  return { users: (await store.users.listUsers()).map(toReply) };
}

/** @param baseUrl by which browsers reach this server @throws ApiError `invalid` */
export async function addUser(
  context: Context,
  { name, roles }: NewUser,
  baseUrl: string,
): Promise<LinkedUserReply> {
  requireProjects(context, roles);
  const { user, link } = makeUser(name, roles, { baseUrl, now: context.now() });
  if (!(await context.store.users.addUser(user, link.stored))) {
    throw invalid('name', 'must be one that no other user has', 'The user is not valid: name');
  }
  return { ...(await readUser(context, user.id)), link: link.url };
}

/** @throws ApiError `invalid`, `not_found` */
export async function setRoles(context: Context, id: string, roles: ProjectRole[]): Promise<UserReply> {
  requireProjects(context, roles);
  if (!(await context.store.users.setRoles(id, roles))) throw noUser();
  return readUser(context, id);
}

/** @throws ApiError `not_found` */
export async function removeUser({ store, sessions }: Context, id: string): Promise<void> {
  if (!(await store.users.removeUser(id))) throw noUser();
  await sessions.refresh();
}

/** @param actor who asks @throws ApiError `not_found`; `forbidden` for one's own, which takes the password and a code */
export async function resetFactor({ store }: Context, id: string, actor: Actor | null): Promise<void> {
  if (actor?.kind === 'user' && actor.id === id) {
    throw new ApiError('forbidden', 'Turn off your own second factor with your password and a code.');
  }
  if (await store.factors.removeFactor(id, null)) return;
  throw new ApiError('not_found', 'There is no such user with a second factor: it may be off already.');
}

/** A new link ends the one before; the password stays good until it is used. @throws ApiError `not_found` */
export async function offerUserLink(context: Context, id: string, baseUrl: string): Promise<LinkedUserReply> {
  const { name } = await readUser(context, id);
  const link = makeUserLink(name, { baseUrl, now: context.now() });
  if (!(await context.store.users.offerLink(id, link.stored))) throw noUser();
  return { ...(await readUser(context, id)), link: link.url };
}

/** As it is stored now. @throws ApiError `not_found` */
async function readUser({ store, sessions }: Context, id: string): Promise<UserReply> {
  await sessions.refresh();
  const user = (await store.users.listUsers()).find((one) => one.id === id);
  if (!user) throw noUser();
  return toReply(user);
}

/** @throws ApiError `invalid` */
function requireProjects({ registry }: Context, roles: readonly ProjectRole[]): void {
  const unknown = roles.findIndex(
    ({ projectId }) => projectId !== null && registry.project(projectId) === undefined,
  );
  if (unknown < 0) return;
  const path = `roles.${unknown}.projectId`;
  throw invalid(
    path,
    'must be the id of a project, or null for all of them',
    `The user is not valid: ${path}`,
  );
}

function toReply({ linkExpiresAt, ...user }: User): UserReply {
  return {
    ...user,
    linkExpiresAt: linkExpiresAt === null ? null : new Date(linkExpiresAt).toISOString(),
  };
}

function noUser(): ApiError {
  return new ApiError('not_found', 'There is no such user: they may have been removed.');
}
