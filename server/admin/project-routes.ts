import {
  type InstallReply,
  newProjectBody,
  type ProjectsReply,
  projectPatch,
  type Removal,
  removalBody,
} from '../../shared/admin.ts';
import type { Context } from '../context.ts';
import { fromDay } from '../counting/calendar.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import { noscriptOf, snippetOf } from '../projects/rules.ts';
import { maxBodyBytes, projectPath } from './paths.ts';
import { changeProject, createProject, invalid, toProjectReply } from './project-changes.ts';

type ProjectCall<Body = undefined> = Call<'session_project', undefined, Body>;

const replies = () => import('../../shared/replies/admin.ts');
const project = async () => (await replies()).projectReply;

export const projectRoutes: readonly Route[] = [
  route({
    name: 'admin.projects.list',
    method: 'GET',
    path: '/v1/admin/projects',
    access: 'session',
    summary: 'List all projects',
    answers: { 200: { says: 'All projects', json: async () => (await replies()).projectsReply } },
    handle: ({ registry }): ProjectsReply => ({ projects: [...registry.projects()].map(toProjectReply) }),
  }),
  route({
    name: 'admin.projects.add',
    method: 'POST',
    path: '/v1/admin/projects',
    access: 'session',
    body: { schema: newProjectBody, maxBytes: maxBodyBytes, subject: 'The project' },
    summary: 'Make a project',
    answers: { 201: { says: 'The new project', json: project } },
    handle: (context, { body }) => createProject(context, body),
  }),
  route({
    name: 'admin.projects.read',
    method: 'GET',
    path: projectPath,
    access: 'session_project',
    summary: 'Read a project and its settings',
    answers: { 200: { says: 'The project', json: project } },
    handle: (_context, { project }) => toProjectReply(project),
  }),
  route({
    name: 'admin.projects.change',
    method: 'PATCH',
    path: projectPath,
    access: 'session_project',
    body: { schema: projectPatch, maxBytes: maxBodyBytes },
    summary: 'Change settings of a project',
    answers: { 200: { says: 'The project as it is now', json: project } },
    handle: (context, { project, body }) => changeProject(context, project, body),
  }),
  route({
    name: 'admin.projects.remove',
    method: 'DELETE',
    path: projectPath,
    access: 'session_project',
    body: { schema: removalBody, maxBytes: maxBodyBytes },
    summary: 'Remove a project and its counts',
    answers: { 204: { says: 'It is gone' } },
    handle: removeProject,
  }),
  route({
    name: 'admin.projects.install',
    method: 'GET',
    path: `${projectPath}/install`,
    access: 'session_project',
    summary: 'Read what to paste into pages',
    answers: { 200: { says: 'The lines', json: async () => (await replies()).installReply } },
    handle: readInstall,
  }),
];

async function removeProject(
  context: Context,
  { project: { id, settings }, body }: ProjectCall<Removal>,
): Promise<void> {
  if (body.name.trim() !== settings.name) {
    const message = `must be the name of the project, which is "${settings.name}"`;
    throw invalid('name', message, 'Nothing was removed: name');
  }
  await context.store.removeProject(id);
  await context.registry.refresh();
  context.ingest.forgetSalts(id, Number.POSITIVE_INFINITY);
}

async function readInstall(context: Context, { project: { id }, req }: ProjectCall): Promise<InstallReply> {
  const firstDay = await context.store.firstDay(id);
  const server = serverUrl(context, req);
  return {
    server,
    script: snippetOf(server, id),
    noscript: noscriptOf(server, id),
    firstDay: firstDay === null ? null : fromDay(firstDay).toString(),
  };
}
