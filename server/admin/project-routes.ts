import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import {
  type InstallReply,
  newProjectBody,
  type ProjectReply,
  type ProjectsReply,
  projectPatch,
  type Removal,
  removalBody,
} from '../../shared/accounts/admin.ts';
import type { Role } from '../../shared/accounts/role.ts';
import type { ProjectSettings } from '../../shared/project/project.ts';
import type { Context } from '../context.ts';
import { fromDay } from '../counting/calendar.ts';
import { lacksRole, roleOf } from '../http/authorize.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import type { LiveProject } from '../projects/registry.ts';
import { noscriptOf, snippetOf, takesMore } from '../projects/rules.ts';
import { maxBodyBytes, projectPath } from './paths.ts';
import { changeProject, createProject, invalid, toFacts, toFactsForViewers } from './project-changes.ts';

type ProjectPatch = z.infer<typeof projectPatch>;
type ProjectCall<Body = undefined> = Call<'session_project', undefined, Body>;

const replies = () => import('../../shared/replies/admin.ts');
const project = async () => (await replies()).projectReply;

export const projectRoutes: readonly Route[] = [
  route({
    name: 'admin.projects.list',
    method: 'GET',
    path: '/v1/admin/projects',
    access: 'session',
    summary: 'List the projects that one has a role in',
    answers: { 200: { says: 'These projects', json: async () => (await replies()).projectsReply } },
    handle: listProjects,
  }),
  route({
    name: 'admin.projects.add',
    method: 'POST',
    path: '/v1/admin/projects',
    access: 'session_all',
    role: 'owner',
    body: { schema: newProjectBody, maxBytes: maxBodyBytes, subject: 'The project' },
    summary: 'Make a project',
    answers: { 201: { says: 'The new project', json: project } },
    handle: addProject,
  }),
  route({
    name: 'admin.projects.read',
    method: 'GET',
    path: projectPath,
    access: 'session_project',
    summary: 'Read a project and its settings',
    answers: { 200: { says: 'The project', json: project } },
    handle: (_context, { project, role }) => toReply(project, role),
  }),
  route({
    name: 'admin.projects.change',
    method: 'PATCH',
    path: projectPath,
    access: 'session_project',
    body: { schema: projectPatch, maxBytes: maxBodyBytes },
    summary: 'Change settings of a project',
    answers: { 200: { says: 'The project as it is now', json: project } },
    handle: changeAsked,
  }),
  route({
    name: 'admin.projects.remove',
    method: 'DELETE',
    path: projectPath,
    access: 'session_project',
    role: 'owner',
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

function listProjects({ registry }: Context, { session: { user } }: Call<'session'>): ProjectsReply {
  const projects = [...registry.projects()].flatMap((project) => {
    const role = roleOf(user, project.id);
    return role === null ? [] : [toReply(project, role)];
  });
  return { projects };
}

async function addProject(
  context: Context,
  { body }: Call<'session_all', undefined, ProjectSettings>,
): Promise<ProjectReply> {
  return { ...(await createProject(context, body)), role: 'owner' };
}

/** Editors see of an agent's command which program it is: its arguments may hold a secret. */
function toReply(project: LiveProject, role: Role): ProjectReply {
  const reply = toFacts(project);
  if (role === 'owner') return { ...reply, role };
  if (role === 'editor') return { ...reply, role, agentCommand: reply.agentCommand?.slice(0, 1) ?? null };
  return { ...toFactsForViewers(project), role };
}

/** Some settings and all secrets take an owner. @throws ApiError `forbidden`, `invalid` */
async function changeAsked(
  context: Context,
  { project, role, body }: ProjectCall<ProjectPatch>,
): Promise<ProjectReply> {
  if (role === 'owner') return { ...(await changeProject(context, project, body)), role };
  const settings = changesOf(body.settings, toReply(project, role));
  const isOfOwners = Object.keys(settings).some((name) => takesMore(name, 'editor') === 'owner');
  if (isOfOwners || Object.keys(body.secrets ?? {}).length > 0) throw lacksRole(role, 'owner');
  await changeProject(context, project, { settings }, 'editor');
  return toReply(context.registry.project(project.id) ?? project, role);
}

/** What is sent back as it was shown is no change. */
function changesOf(settings: ProjectPatch['settings'] = {}, shown: object): Record<string, unknown> {
  const before = new Map<string, unknown>(Object.entries(shown));
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => !isDeepStrictEqual(value, before.get(name))),
  );
}

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
