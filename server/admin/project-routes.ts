import { isDeepStrictEqual } from 'node:util';
import type { Request, Response } from 'express';
import {
  type InstallReply,
  newProjectBody,
  type ProjectReply,
  type ProjectsReply,
  projectPatch,
  removalBody,
} from '../../shared/admin.ts';
import { type SecretName, secretNames } from '../../shared/job-settings.ts';
import { type ProjectSettings, projectSettings } from '../../shared/project.ts';
import type { Context } from '../context.ts';
import { fromDay } from '../counting/calendar.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import { serverUrl } from '../http/server-url.ts';
import {
  makeProjectId,
  mayKeepSecrets,
  noscriptOf,
  objectToProtocols,
  objectToSecret,
  snippetOf,
} from '../projects/rules.ts';
import type { ListedProject } from '../store/project-store.ts';
import { adminProject, noProject } from './admin-project.ts';

type GivenSecrets = Partial<Record<SecretName, string | null>>;

export function listProjects({ registry }: Context, _req: Request, res: Response): void {
  res.json({ projects: [...registry.projects()].map(toReply) } satisfies ProjectsReply);
}

export async function addProject(context: Context, req: Request, res: Response): Promise<void> {
  const settings = parse(newProjectBody, req.body, 'The project');
  checkRules(context, settings, null);
  const id = makeProjectId();
  const createdAt = new Date(context.now()).toISOString();
  await context.store.addProject({ id, settings, createdAt }, []);
  await context.registry.refresh();
  res.status(201).json(toReply(adminProject(context, id)));
}

export function readProject(context: Context, req: Request, res: Response): void {
  res.json(toReply(adminProject(context, String(req.params.projectId))));
}

export async function changeProject(context: Context, req: Request, res: Response): Promise<void> {
  const { store, registry, secrets } = context;
  const project = adminProject(context, String(req.params.projectId));
  const patch = parse(projectPatch, req.body, 'The body');
  const given = patch.settings ?? {};
  const settings = parse(projectSettings, { ...project.settings, ...given }, 'The project');
  checkRules(context, pickGiven(settings, given), project.settings.agentCommand);
  const texts = checkSecrets(patch.secrets ?? {});
  const kept = mayKeepSecrets(project.settings, settings) ? {} : droppedSecrets(project);
  const sealed = secrets.seal(project.id, { ...kept, ...texts });
  if (!(await store.setProject(project.id, settings, sealed))) throw noProject();
  await registry.refresh();
  res.json(toReply(adminProject(context, project.id)));
}

export async function removeProject(context: Context, req: Request, res: Response): Promise<void> {
  const { id, settings } = adminProject(context, String(req.params.projectId));
  const { name } = parse(removalBody, req.body, 'The body');
  if (name.trim() !== settings.name) {
    const message = `must be the name of the project, which is "${settings.name}"`;
    throw invalid('name', message, 'Nothing was removed: name');
  }
  await context.store.removeProject(id);
  await context.registry.refresh();
  context.ingest.forgetSalts(id, Number.POSITIVE_INFINITY);
  res.status(204).end();
}

export async function readInstall(context: Context, req: Request, res: Response): Promise<void> {
  const { id } = adminProject(context, String(req.params.projectId));
  const firstDay = await context.store.firstDay(id);
  const server = serverUrl(context, req);
  const reply: InstallReply = {
    server,
    script: snippetOf(server, id),
    noscript: noscriptOf(server, id),
    firstDay: firstDay === null ? null : fromDay(firstDay).toString(),
  };
  res.json(reply);
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
function checkRules(
  { config }: Context,
  given: Partial<ProjectSettings>,
  agentCommand: ProjectSettings['agentCommand'],
): void {
  const objection = objectToProtocols(given, config.jobs.git.protocols);
  if (objection) throw invalid(objection.field, objection.message);
  // Whoever got hold of the dashboard's password shall not get hold of the machine.
  if (given.agentCommand !== undefined && !isDeepStrictEqual(given.agentCommand, agentCommand)) {
    throw invalid(
      'agentCommand',
      'names a program to run on the server, so it is set there: "headcount project set <project> --agent-command"',
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
