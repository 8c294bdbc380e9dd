import { newProjectBody } from '../../shared/accounts/admin.ts';
import {
  type ExclusionsChange,
  exclusionsChange,
  projectChange,
} from '../../shared/project/project-change.ts';
import type { ExclusionsReply } from '../../shared/replies/exclusions.ts';
import { addressOf, basePathOf } from '../config/own-address.ts';
import type { Context } from '../context.ts';
import { covers } from '../http/authorize.ts';
import { type Call, type Route, route } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Key } from '../store/projects.ts';
import { maxBodyBytes } from './paths.ts';
import {
  changeProject,
  createProject,
  type ProjectFacts,
  toFacts,
  toFactsForViewers,
} from './project-changes.ts';

const base = '/v1/projects';
const path = `${base}/:projectId`;

const replies = () => import('../../shared/replies/admin.ts');
const project = async () => (await replies()).managedProjectReply;
const exclusions = async () => (await import('../../shared/replies/exclusions.ts')).exclusionsReply;

/** Projects and exclusions for programs, by key. */
export const programRoutes: readonly Route[] = [
  route({
    name: 'projects.list',
    method: 'GET',
    path: base,
    access: 'key',
    scope: 'read',
    summary: 'List the projects that the key covers',
    answers: { 200: { says: 'These projects', json: async () => (await replies()).managedProjectsReply } },
    tool: {
      name: 'list_projects',
      title: 'Projects',
      description: 'Lists the projects that the key covers, with the ids that the other tools take.',
      isFirst: true,
    },
    handle: ({ registry }, { key }) => ({
      projects: [...registry.projects()]
        .filter(({ id }) => covers(key, id))
        .map((project) => toProgramReply(project, key)),
    }),
  }),
  route({
    name: 'projects.add',
    method: 'POST',
    path: base,
    access: 'all_projects_key',
    body: { schema: newProjectBody, maxBytes: maxBodyBytes, subject: 'The project' },
    summary: 'Make a project',
    description: 'It has no keys of its own yet.',
    answers: {
      201: { says: 'The new project', json: project, headers: { Location: 'Where it can be read.' } },
    },
    handle: async (context, { body, res }) => {
      const added = await createProject(context, body);
      res.location(addressOf(basePathOf(context.config), `${base}/${added.id}`));
      return withoutProgram(added);
    },
  }),
  route({
    name: 'projects.read',
    method: 'GET',
    path,
    access: 'project_key',
    scope: 'read',
    summary: 'Read a project and its settings',
    answers: { 200: { says: 'The project', json: project } },
    handle: (_context, { project, key }) => toProgramReply(project, key),
  }),
  route({
    name: 'projects.change',
    method: 'PATCH',
    path,
    access: 'project_key',
    body: { schema: projectChange, maxBytes: maxBodyBytes, subject: 'The project' },
    summary: 'Change settings of a project',
    description: 'What is not given stays as it is; a list replaces the one that was there.',
    answers: { 200: { says: 'The project as it is now', json: project } },
    handle: async (context, { project, body: { secrets, ...settings } }) =>
      withoutProgram(await changeProject(context, project, { settings: given(settings), secrets })),
  }),
  route({
    name: 'exclusions.read',
    method: 'GET',
    path: `${path}/exclusions`,
    access: 'project_key',
    summary: 'Read what of a project is not counted',
    answers: { 200: { says: 'Its exclusions', json: exclusions } },
    handle: (_context, { project }) => toExclusions(project.settings),
  }),
  route({
    name: 'exclusions.change',
    method: 'PATCH',
    path: `${path}/exclusions`,
    access: 'project_key',
    body: { schema: exclusionsChange, maxBytes: maxBodyBytes },
    summary: 'Change what a project does not count',
    description: 'A list replaces the one that was there; one that is not given stays.',
    answers: { 200: { says: 'Its exclusions as they are now', json: exclusions } },
    handle: changeExclusions,
  }),
];

/** With a key that changes no settings as viewers see the project. */
function toProgramReply(project: LiveProject, { scope }: Key) {
  return withoutProgram(scope === 'admin' ? toFacts(project) : toFactsForViewers(project));
}

/** The arguments of an agent's program are the operator's matter, and may hold a secret. */
function withoutProgram({ agentCommand: _command, agentUnconfined: _unconfined, ...rest }: ProjectFacts) {
  return rest;
}

/** A field that is there without a value would take away what is stored. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

type Excluding = Pick<ProjectFacts, 'excludedPaths' | 'excludedAddresses' | 'hosts'>;

function toExclusions({ excludedPaths, excludedAddresses, hosts }: Excluding): ExclusionsReply {
  return { paths: excludedPaths, addresses: excludedAddresses, hosts };
}

async function changeExclusions(
  context: Context,
  { project, body: { paths, addresses, hosts } }: Call<'project_key', undefined, ExclusionsChange>,
): Promise<ExclusionsReply> {
  const settings = given({ excludedPaths: paths, excludedAddresses: addresses, hosts });
  return toExclusions(await changeProject(context, project, { settings }));
}
