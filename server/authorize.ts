import type { Request } from 'express';
import type { LiveProject } from './admin/registry.ts';
import type { Context } from './context.ts';
import { ApiError } from './errors.ts';
import type { Key } from './store/store.ts';

function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

const forbidden = () =>
  new ApiError(
    'forbidden',
    'This key does not cover this project or this operation: use an admin key of the project.',
  );

/** The key of the request (RFC 6750). @throws ApiError `unauthorized` */
export function requireKey({ registry }: Context, req: Request): Key {
  const header = req.get('authorization');
  if (header === undefined) {
    throw unauthorized('This needs an API key: send it as "Authorization: Bearer hc_…".');
  }
  const secret = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  const key = secret === undefined ? undefined : registry.findKey(secret);
  if (!key) throw unauthorized('The API key is mistyped, unknown or revoked: make one with "key add".');
  return key;
}

/**
 * The project of the path, if the request's key may do everything there.
 *
 * @throws ApiError `unauthorized`; `forbidden`, the same whether or not the project exists; `not_found` only to
 * a key for all projects.
 */
export function authorizedProject(context: Context, req: Request): LiveProject {
  const key = requireKey(context, req);
  const projectId = String(req.params.projectId);
  if (key.scope !== 'admin' || !covers(key, projectId)) throw forbidden();
  const project = context.registry.project(projectId);
  if (!project) throw new ApiError('not_found', 'There is no such project: check its id.');
  return project;
}

/**
 * The project that hits are sent to: the key's own, or the one named with a key for all projects.
 *
 * @throws ApiError `unauthorized`, `forbidden`, `not_found`, or `invalid` where a project must be named.
 */
export function coveredProject(context: Context, req: Request, named: string | undefined): string {
  const key = requireKey(context, req);
  const projectId = named ?? key.projectId;
  if (projectId === null) {
    throw new ApiError('invalid', 'This key is for all projects: name one as "project".', {
      details: [{ message: 'is missing', path: 'project' }],
    });
  }
  if (!covers(key, projectId)) throw forbidden();
  if (!context.registry.project(projectId)) {
    throw new ApiError('not_found', 'There is no such project: check its id.');
  }
  return projectId;
}

function covers(key: Key, projectId: string): boolean {
  return key.projectId === null || key.projectId === projectId;
}
