import type { Request } from 'express';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Link } from '../store/admin-store.ts';

/** The project that the link of the address shows. @throws ApiError `not_found`, the same for all that is wrong with it */
export function sharedProject({ registry }: Context, req: Request, kind: Link['kind']): LiveProject {
  const link = registry.link(String(req.params.token));
  const project = link?.kind === kind ? registry.project(link.projectId) : undefined;
  if (!project)
    throw new ApiError('not_found', 'There is nothing at this address: the link may have been revoked.');
  return project;
}
