import { isDeepStrictEqual } from 'node:util';
import type { Response } from 'express';
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

export const projectRoutes: readonly Route[] = [
  route({
    name: 'admin.projects.list',
    method: 'GET',
    path: '/v1/admin/projects',
    access: 'session',
    handle: ({ registry }, { res }) => {
      res.json({ projects: [...registry.projects()].map(toReply) } satisfies ProjectsReply);
    },
  }),
  route({
    name: 'admin.projects.add',
    method: 'POST',
    path: '/v1/admin/projects',
    access: 'session',
    body: { schema: newProjectBody, maxBytes: maxBodyBytes, subject: 'The project' },
    handle: addProject,
  }),
  route({
    name: 'admin.projects.read',
    method: 'GET',
    path: projectPath,
    access: 'session_project',
    handle: (_context, { project, res }) => {
      res.json(toReply(project));
    },
  }),
  route({
    name: 'admin.projects.change',
    method: 'PATCH',
    path: projectPath,
    access: 'session_project',
    body: { schema: projectPatch, maxBytes: maxBodyBytes },
    handle: changeProject,
  }),
  route({
    name: 'admin.projects.remove',
    method: 'DELETE',
    path: projectPath,
    access: 'session_project',
    body: { schema: removalBody, maxBytes: maxBodyBytes },
    handle: removeProject,
  }),
  route({
    name: 'admin.projects.install',
    method: 'GET',
    path: `${projectPath}/install`,
    access: 'session_project',
    handle: readInstall,
  }),
];

async function addProject(
  context: Context,
  { body: settings, res }: Call<'session', undefined, ProjectSettings>,
): Promise<void> {
  checkRules(context, settings, projectSettings.parse({ name: settings.name }));
  const id = makeProjectId();
  const createdAt = new Date(context.now()).toISOString();
  await context.store.addProject({ id, settings, createdAt }, []);
  await sendProject(context.registry, id, res.status(201));
}

async function changeProject(
  context: Context,
  { project, body: patch, res }: ProjectCall<ProjectPatch>,
): Promise<void> {
  const { store, registry, secrets } = context;
  const given = patch.settings ?? {};
  const settings = parse(projectSettings, { ...project.settings, ...given }, 'The project');
  checkRules(context, pickGiven(settings, given), project.settings);
  const texts = checkSecrets(patch.secrets ?? {});
  const kept = mayKeepSecrets(project.settings, settings) ? {} : droppedSecrets(project);
  const sealed = secrets.seal(project.id, { ...kept, ...texts });
  if (!(await store.setProject(project.id, settings, sealed))) throw noProject();
  await sendProject(registry, project.id, res);
}

async function removeProject(
  context: Context,
  { project: { id, settings }, body, res }: ProjectCall<Removal>,
): Promise<void> {
  if (body.name.trim() !== settings.name) {
    const message = `must be the name of the project, which is "${settings.name}"`;
    throw invalid('name', message, 'Nothing was removed: name');
  }
  await context.store.removeProject(id);
  await context.registry.refresh();
  context.ingest.forgetSalts(id, Number.POSITIVE_INFINITY);
  res.status(204).end();
}

async function readInstall(context: Context, { project: { id }, req, res }: ProjectCall): Promise<void> {
  const firstDay = await context.store.firstDay(id);
  const server = serverUrl(context, req);
  res.json({
    server,
    script: snippetOf(server, id),
    noscript: noscriptOf(server, id),
    firstDay: firstDay === null ? null : fromDay(firstDay).toString(),
  } satisfies InstallReply);
}

/** As it is stored now. */
async function sendProject(registry: Registry, id: string, res: Response): Promise<void> {
  await registry.refresh();
  const project = registry.project(id);
  if (!project) throw noProject();
  res.json(toReply(project));
}

function toReply({ id, settings, createdAt, secrets }: ListedProject): ProjectReply {
  const isSet = secretNames.map((name) => [name, secrets.includes(name)]);
  return { id, createdAt, ...settings, secrets: Object.fromEntries(isSet) };
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
      `decides which program runs on the server and how, so it is set there: "headcount project set <project> ${name === 'agentCommand' ? '--agent-command' : '--agent-unconfined'}"`,
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
