import type { NewKey } from '../../shared/accounts/admin.ts';
import type { KeyReply, KeysReply, NewKeyReply } from '../../shared/replies/admin.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { liesWithin } from '../net/address.ts';
import { makeKey } from '../projects/key.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { Key } from '../store/projects.ts';

/** Keys of the project, and those for all projects where these may be seen. */
interface Scope {
  project: LiveProject;
  seesAll: boolean;
}

/** Who makes a key. */
interface Maker {
  actor: Actor | null;
  /** With which it is made, so that it may do no more than this one; null: by somebody who is signed in. */
  key: Key | null;
}

type Limits = Pick<Key, 'expiresAt' | 'networks'>;

const noLimits: Limits = { expiresAt: null, networks: [] };

export async function listKeys(context: Context, scope: Scope): Promise<KeysReply> {
  const keys = keysOf(context, scope);
  const uses = await context.keyUses.list();
  return { keys: keys.map((key) => toReply(key, uses[key.id])) };
}

/** @throws ApiError `invalid`; `forbidden` where it would be good for more than the key that makes it */
export async function addKey(
  context: Context,
  { id }: LiveProject,
  { name, scope, ...given }: NewKey,
  { actor, key }: Maker,
): Promise<NewKeyReply> {
  const now = context.now();
  const limits = limitsOf(given, key ?? noLimits, now);
  const { secret, stored } = makeKey(scope, id, name, now, { ...limits, maker: actor });
  const isAdded = await context.store.addKey(stored);
  await context.registry.refresh();
  if (!isAdded) throw new ApiError('forbidden', 'The key that makes this one was just revoked.');
  return { ...toReply(stored, undefined), secret };
}

/** What is left out is as with the key that makes it. @throws ApiError `invalid`, `forbidden` */
function limitsOf(given: Partial<Pick<NewKey, keyof Limits>>, maker: Limits, now: number): Limits {
  const { networks = maker.networks } = given;
  const expiresAt = given.expiresAt === undefined ? maker.expiresAt : readTime(given.expiresAt);
  if (expiresAt !== null && Date.parse(expiresAt) <= now) {
    throw new ApiError('invalid', 'The key is not valid: expiresAt must lie in the future.', {
      details: [{ message: 'must lie in the future', path: 'expiresAt' }],
    });
  }
  if (maker.expiresAt !== null && (expiresAt === null || expiresAt > maker.expiresAt)) {
    throw new ApiError(
      'forbidden',
      `The key that makes this one expires at ${maker.expiresAt}: give an "expiresAt" that is no later, or leave it out.`,
    );
  }
  const isWithin = networks.length > 0 && networks.every((range) => liesWithin(range, maker.networks));
  if (maker.networks.length > 0 && !isWithin) {
    throw new ApiError(
      'forbidden',
      `The key that makes this one may be used from ${maker.networks.join(', ')} only: give "networks" that lie within, or leave them out.`,
    );
  }
  return { expiresAt, networks };
}

const readTime = (text: string | null) => (text === null ? null : new Date(text).toISOString());

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

function toReply(key: Key, lastUsedOn: string | undefined): KeyReply {
  const { id, name, scope, projectId, createdAt, expiresAt, networks, maker } = key;
  const limits = { allProjects: projectId === null, createdAt, expiresAt, networks };
  return { id, name, scope, ...limits, madeBy: maker, lastUsedOn: lastUsedOn ?? null };
}
