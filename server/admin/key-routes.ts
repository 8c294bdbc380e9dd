import type { Request, Response } from 'express';
import { type KeyReply, type KeysReply, type NewKeyReply, newKeyBody } from '../../shared/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import { makeKey } from '../projects/key.ts';
import type { Key } from '../store/project-store.ts';
import { adminProject } from './admin-project.ts';

export async function listKeys(context: Context, req: Request, res: Response): Promise<void> {
  const keys = keysOf(context, req);
  const uses = await context.keyUses.list();
  res.json({ keys: keys.map((key) => toReply(key, uses[key.id])) } satisfies KeysReply);
}

export async function addKey(context: Context, req: Request, res: Response): Promise<void> {
  const { id } = adminProject(context, String(req.params.projectId));
  const { name, scope } = parse(newKeyBody, req.body, 'The key');
  const { secret, stored } = makeKey(scope, id, name, context.now());
  await context.store.addKey(stored);
  await context.registry.refresh();
  res.status(201).json({ ...toReply(stored, undefined), secret } satisfies NewKeyReply);
}

export async function revokeKey(context: Context, req: Request, res: Response): Promise<void> {
  const key = keysOf(context, req).find(({ id }) => id === req.params.keyId);
  if (!key || !(await context.store.revokeKey(key.id))) {
    throw new ApiError('not_found', 'The project has no such key: it may have been revoked.');
  }
  await context.registry.refresh();
  res.status(204).end();
}

/** Those that are good for the project of the path. */
function keysOf(context: Context, req: Request): Key[] {
  const { id } = adminProject(context, String(req.params.projectId));
  return [...context.registry.keys()].filter(({ projectId }) => projectId === id || projectId === null);
}

function toReply({ id, name, scope, projectId, createdAt }: Key, lastUsedOn: string | undefined): KeyReply {
  return { id, name, scope, allProjects: projectId === null, createdAt, lastUsedOn: lastUsedOn ?? null };
}
