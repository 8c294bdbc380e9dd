import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { LiveProject } from '../projects/registry.ts';

/** A project that is asked for by somebody with a session, who may see them all. @throws ApiError `not_found` */
export function adminProject({ registry }: Context, projectId: string): LiveProject {
  const project = registry.project(projectId);
  if (!project) throw noProject();
  return project;
}

export function noProject(): ApiError {
  return new ApiError('not_found', 'There is no such project: it may have been removed.');
}
