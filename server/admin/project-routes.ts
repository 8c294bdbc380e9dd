import { isDeepStrictEqual } from 'node:util';
import {
  type InstallReply,
  newProjectBody,
  type ProjectPatch,
  type ProjectReply,
  type ProjectsReply,
  projectPatch,
  type Removal,
  removalBody,
} from '../../shared/admin.ts';
import { type SecretName, secretNames } from '../../shared/job-settings.ts';
import { type ProjectSettings, projectSettings } from '../../shared/project.ts';
import type { Context } from '../context.ts';
import { fromDay } from '../counting/calendar.ts';
import { ApiError } from '../errors.ts';
import { noProject } from '../http/authorize.ts';
import { parse } from '../http/parse.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { serverUrl } from '../http/server-url.ts';
import { program } from '../program.ts';
import type { Registry } from '../projects/registry.ts';
import {
  makeProjectId,
  mayKeepSecrets,
  noscriptOf,
  objectToProtocols,
  objectToSecret,
  snippetOf,
} from '../projects/rules.ts';
import type { ListedProject } from '../store/project-store.ts';
import { maxBodyBytes, projectPath } from './paths.ts';

type GivenSecrets = Partial<Record<SecretName, string | null>>;

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
    handle: ({ registry }): ProjectsReply => ({ projects: [...registry.projects()].map(toReply) }),
  }),
  route({
    name: 'admin.projects.add',
    method: 'POST',
    path: '/v1/admin/projects',
    access: 'session',
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
    handle: (_context, { project }) => toReply(project),
  }),
  route({
    name: 'admin.projects.change',
    method: 'PATCH',
    path: projectPath,
    access: 'session_project',
    body: { schema: projectPatch, maxBytes: maxBodyBytes },
    summary: 'Change settings of a project',
    answers: { 200: { says: 'The project as it is now', json: project } },
    handle: changeProject,
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

async function addProject(
  context: Context,
  { body: settings }: Call<'session', undefined, ProjectSettings>,
): Promise<ProjectReply> {
  checkRules(context, settings, projectSettings.parse({ name: settings.name }));
  const id = makeProjectId();
  const createdAt = new Date(context.now()).toISOString();
  await context.store.addProject({ id, settings, createdAt }, []);
  return readProject(context.registry, id);
}

async function changeProject(
  context: Context,
  { project, body: patch }: ProjectCall<ProjectPatch>,
): Promise<ProjectReply> {
  const { store, registry, secrets } = context;
  const given = patch.settings ?? {};
  const settings = parse(projectSettings, { ...project.settings, ...given }, 'The project');
  checkRules(context, pickGiven(settings, given), project.settings);
  const texts = checkSecrets(patch.secrets ?? {});
  const kept = mayKeepSecrets(project.settings, settings) ? {} : droppedSecrets(project);
  const sealed = secrets.seal(project.id, { ...kept, ...texts });
  if (!(await store.setProject(project.id, settings, sealed))) throw noProject();
  return readProject(registry, project.id);
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

/** As it is stored now. */
async function readProject(registry: Registry, id: string): Promise<ProjectReply> {
  await registry.refresh();
  const project = registry.project(id);
  if (!project) throw noProject();
  return toReply(project);
}

function toReply({ id, settings, createdAt, secrets }: ListedProject): ProjectReply {
  const isSet = Object.fromEntries(secretNames.map((name) => [name, secrets.includes(name)]));
  return { id, createdAt, ...settings, secrets: isSet as ProjectReply['secrets'] };
}

/** What was refused by the operator meanwhile may stay, as long as it is not touched. */
function pickGiven(settings: ProjectSettings, given: Record<string, unknown>): Partial<ProjectSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(given, name)));
}

/** @throws ApiError `invalid` */
function checkRules({ config }: Context, given: Partial<ProjectSettings>, present: ProjectSettings): void {
  const objection = objectToProtocols(given, config.jobs.git.protocols);
  if (objection) throw invalid(objection.field, objection.message);
  // Whoever got hold of the dashboard's password shall not get hold of the machine.
  for (const name of ['agentCommand', 'agentUnconfined'] as const) {
    if (given[name] === undefined || isDeepStrictEqual(given[name], present[name])) continue;
    throw invalid(
      name,
      `decides which program runs on the server and how, so it is set there: "${program} project set <project> ${name === 'agentCommand' ? '--agent-command' : '--agent-unconfined'}"`,
    );
  }
}

/** @throws ApiError `invalid` */
function checkSecrets(secrets: { [Name in SecretName]?: string | null | undefined }): GivenSecrets {
  const given: GivenSecrets = {};
  for (const name of secretNames) {
    const text = secrets[name]?.trim() ?? secrets[name];
    if (text === undefined) continue;
    const objection = text === null ? undefined : objectToSecret(name, text);
    if (objection !== undefined) throw invalid(`secrets.${name}`, `must be ${objection}`);
    given[name] = text;
  }
  return given;
}

function droppedSecrets({ secrets }: ListedProject): GivenSecrets {
  return Object.fromEntries(secrets.map((name) => [name, null]));
}

function invalid(path: string, message: string, subject = `The project is not valid: ${path}`): ApiError {
  return new ApiError('invalid', `${subject} ${message}.`, { details: [{ message, path }] });
}
