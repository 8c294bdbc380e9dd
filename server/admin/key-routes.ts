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

const replies = () => import('../../shared/replies/admin.ts');

export const keyRoutes: readonly Route[] = [
  route({
    name: 'admin.keys.list',
    method: 'GET',
    path: `${projectPath}/keys`,
    access: 'session_project',
    summary: 'List the keys that are good for a project',
    answers: { 200: { says: 'Its keys', json: async () => (await replies()).keysReply } },
    handle: listKeys,
  }),
  route({
    name: 'admin.keys.add',
    method: 'POST',
    path: `${projectPath}/keys`,
    access: 'session_project',
    body: { schema: newKeyBody, maxBytes: maxBodyBytes, subject: 'The key' },
    summary: 'Make a key',
    answers: { 201: { says: 'The new key', json: async () => (await replies()).newKeyReply } },
    handle: addKey,
  }),
  route({
    name: 'admin.keys.revoke',
    method: 'DELETE',
    path: `${projectPath}/keys/:keyId`,
    access: 'session_project',
    summary: 'Revoke a key',
    answers: { 204: { says: 'It is good for nothing any more' } },
    handle: revokeKey,
  }),
];

async function listKeys(context: Context, { project }: KeyCall): Promise<KeysReply> {
  const keys = keysOf(context, project);
  const uses = await context.keyUses.list();
  return { keys: keys.map((key) => toReply(key, uses[key.id])) };
}

async function addKey(context: Context, { project, body }: KeyCall<NewKey>): Promise<NewKeyReply> {
  const { name, scope } = body;
  const { secret, stored } = makeKey(scope, project.id, name, context.now());
  await context.store.addKey(stored);
  await context.registry.refresh();
  return { ...toReply(stored, undefined), secret };
}

async function revokeKey(context: Context, { project, req }: KeyCall): Promise<void> {
  const key = keysOf(context, project).find(({ id }) => id === req.params.keyId);
  if (!key || !(await context.store.revokeKey(key.id))) {
    throw new ApiError('not_found', 'The project has no such key: it may have been revoked.');
  }
  await context.registry.refresh();
}

/** Those that are good for the project. */
function keysOf({ registry }: Context, { id }: LiveProject): Key[] {
  return [...registry.keys()].filter(({ projectId }) => projectId === id || projectId === null);
}

function toReply({ id, name, scope, projectId, createdAt }: Key, lastUsedOn: string | undefined): KeyReply {
  return { id, name, scope, allProjects: projectId === null, createdAt, lastUsedOn: lastUsedOn ?? null };
}
