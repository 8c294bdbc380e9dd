import type { NewKey } from '../../shared/accounts/admin.ts';
import type { KeyReply, KeysReply, NewKeyReply } from '../../shared/replies/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { makeKey } from '../projects/key.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Key } from '../store/project-store.ts';

/** Keys of the project, and those for all projects where these may be seen. */
interface Scope {
  project: LiveProject;
  seesAll: boolean;
}

export async function listKeys(context: Context, scope: Scope): Promise<KeysReply> {
  const keys = keysOf(context, scope);
  const uses = await context.keyUses.list();
  return { keys: keys.map((key) => toReply(key, uses[key.id])) };
}

export async function addKey(
  context: Context,
  { id }: LiveProject,
  { name, scope }: NewKey,
): Promise<NewKeyReply> {
  const { secret, stored } = makeKey(scope, id, name, context.now());
  await context.store.addKey(stored);
  await context.registry.refresh();
  return { ...toReply(stored, undefined), secret };
}

/** @throws ApiError `not_found` */
export async function revokeKey(context: Context, scope: Scope, keyId: string): Promise<void> {
  const key = keysOf(context, scope).find(({ id }) => id === keyId);
  if (!key || !(await context.store.revokeKey(key.id))) {
    throw new ApiError('not_found', 'The project has no such key: it may have been revoked.');
  }
  await context.registry.refresh();
}

function keysOf({ registry }: Context, { project, seesAll }: Scope): Key[] {
  return [...registry.keys()].filter(({ projectId }) =>
    projectId === null ? seesAll : projectId === project.id,
  );
}

function toReply({ id, name, scope, projectId, createdAt }: Key, lastUsedOn: string | undefined): KeyReply {
  return { id, name, scope, allProjects: projectId === null, createdAt, lastUsedOn: lastUsedOn ?? null };
}
