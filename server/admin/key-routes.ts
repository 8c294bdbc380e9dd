import {
  type KeyReply,
  type KeysReply,
  type NewKey,
  type NewKeyReply,
  newKeyBody,
} from '../../shared/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { makeKey } from '../projects/key.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Key } from '../store/project-store.ts';
import { maxBodyBytes, projectPath } from './paths.ts';

type KeyCall<Body = undefined> = Call<'session_project', undefined, Body>;

export const keyRoutes: readonly Route[] = [
  route({
    name: 'admin.keys.list',
    method: 'GET',
    path: `${projectPath}/keys`,
    access: 'session_project',
    handle: listKeys,
  }),
  route({
    name: 'admin.keys.add',
    method: 'POST',
    path: `${projectPath}/keys`,
    access: 'session_project',
    body: { schema: newKeyBody, maxBytes: maxBodyBytes, subject: 'The key' },
    handle: addKey,
  }),
  route({
    name: 'admin.keys.revoke',
    method: 'DELETE',
    path: `${projectPath}/keys/:keyId`,
    access: 'session_project',
    handle: revokeKey,
  }),
];

async function listKeys(context: Context, { project, res }: KeyCall): Promise<void> {
  const keys = keysOf(context, project);
  const uses = await context.keyUses.list();
  res.json({ keys: keys.map((key) => toReply(key, uses[key.id])) } satisfies KeysReply);
}

async function addKey(context: Context, { project, body, res }: KeyCall<NewKey>): Promise<void> {
  const { name, scope } = body;
  const { secret, stored } = makeKey(scope, project.id, name, context.now());
  await context.store.addKey(stored);
  await context.registry.refresh();
  res.status(201).json({ ...toReply(stored, undefined), secret } satisfies NewKeyReply);
}

async function revokeKey(context: Context, { project, req, res }: KeyCall): Promise<void> {
  const key = keysOf(context, project).find(({ id }) => id === req.params.keyId);
  if (!key || !(await context.store.revokeKey(key.id))) {
    throw new ApiError('not_found', 'The project has no such key: it may have been revoked.');
  }
  await context.registry.refresh();
  res.status(204).end();
}

/** Those that are good for the project. */
function keysOf({ registry }: Context, { id }: LiveProject): Key[] {
  return [...registry.keys()].filter(({ projectId }) => projectId === id || projectId === null);
}

function toReply({ id, name, scope, projectId, createdAt }: Key, lastUsedOn: string | undefined): KeyReply {
  return { id, name, scope, allProjects: projectId === null, createdAt, lastUsedOn: lastUsedOn ?? null };
}
