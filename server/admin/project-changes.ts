import { type ProjectSettings, projectSettings } from '../../shared/project/project.ts';
import type { SettingName } from '../../shared/project/setting-rules.ts';
import type { ProjectReply } from '../../shared/replies/admin.ts';
import { jobSecretNames, type SecretName, secretNames } from '../../shared/secrets.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { lacksRole, noProject } from '../http/authorize.ts';
import { parse } from '../http/parse.ts';
import { program } from '../process/program.ts';
import type { Registry } from '../projects/registry.ts';
import {
  type Asker,
  makeProjectId,
  mayKeepSecrets,
  objectToSecret,
  objectToSettings,
  prepareNewGlobs,
} from '../projects/rules.ts';
import type { ListedProject } from '../store/projects.ts';

/** A project, whoever asks. */
export type ProjectFacts = Omit<ProjectReply, 'role'>;

type GivenSecrets = Partial<Record<SecretName, string | null>>;

interface Change {
  settings?: Readonly<Record<string, unknown>> | undefined;
  secrets?: { [Name in SecretName]?: string | null | undefined } | undefined;
}

/** Makes a project without keys, for an owner of all. @throws ApiError `invalid` */
export async function createProject(context: Context, settings: ProjectSettings): Promise<ProjectFacts> {
  const present = projectSettings.parse({ name: settings.name });
  await prepareNewGlobs(settings, present);
  checkRules(context, settings, { by: 'owner', present });
  const id = makeProjectId();
  const createdAt = new Date(context.now()).toISOString();
  await context.store.addProject({ id, settings: { ...settings, seenHosts: [] }, createdAt }, []);
  return readProject(context.registry, id);
}

/** What is not given stays as it is. @throws ApiError `forbidden`, `invalid`, `not_found` */
export async function changeProject(
  context: Context,
  project: ListedProject,
  { settings: given = {}, secrets = {} }: Change,
  by: 'owner' | 'editor' = 'owner',
): Promise<ProjectFacts> {
  const settings = parse(projectSettings, { ...project.settings, ...given }, 'The project');
  await prepareNewGlobs(settings, project.settings);
  checkRules(context, pickGiven(settings, given), { by, present: project.settings });
  const texts = checkSecrets(secrets);
  const kept = mayKeepSecrets(project.settings, settings) ? {} : droppedSecrets(project);
  const encrypted = context.secrets.encrypt(project.id, { ...kept, ...texts });
  if (!(await context.store.setProject(project.id, settings, encrypted))) throw noProject();
  return readProject(context.registry, project.id);
}

/** As it is stored now. */
async function readProject(registry: Registry, id: string): Promise<ProjectFacts> {
  await registry.refresh();
  const project = registry.project(id);
  if (!project) throw noProject();
  return toFacts(project);
}

export function toFacts({ id, settings, createdAt, secrets }: ListedProject): ProjectFacts {
  const isSet = Object.fromEntries(secretNames.map((name) => [name, secrets.includes(name)]));
  return { id, createdAt, ...settings, secrets: isSet as ProjectFacts['secrets'] };
}

/** Of the settings what the reports show anyway: others hold addresses of people, networks and receivers. */
export function toFactsForViewers(project: ListedProject): ProjectFacts {
  const { name, hosts, timeZone } = project.settings;
  return toFacts({ ...project, settings: projectSettings.parse({ name, hosts, timeZone }), secrets: [] });
}

/** What was refused by the operator meanwhile may stay, as long as it is not touched. */
function pickGiven(
  settings: ProjectSettings,
  given: NonNullable<Change['settings']>,
): Partial<ProjectSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(given, name)));
}

/** @throws ApiError `forbidden`, `invalid` */
function checkRules(
  { config: { jobs } }: Context,
  given: Partial<ProjectSettings>,
  asking: { by: Exclude<Asker, 'archive'>; present: ProjectSettings },
): void {
  const [objection] = objectToSettings(given, { ...asking, jobs });
  if (!objection) return;
  const { field, takes, message } = objection;
  if (takes === 'owner') throw lacksRole('editor', 'owner');
  // Whoever got hold of the dashboard's password shall not get hold of the machine.
  throw invalid(field, takes === 'operator' ? setOnServer(field) : message);
}

const setOnServer = (field: SettingName) =>
  `decides which program runs on the server and how, so it is set there: "${program} project set <project> ${field === 'agentCommand' ? '--agent-command' : '--agent-unconfined'}"`;

/** @throws ApiError `invalid` */
function checkSecrets(secrets: NonNullable<Change['secrets']>): GivenSecrets {
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
  const ofJobs = jobSecretNames.filter((name) => secrets.includes(name));
  return Object.fromEntries(ofJobs.map((name) => [name, null]));
}

export function invalid(
  path: string,
  message: string,
  subject = `The project is not valid: ${path}`,
): ApiError {
  return new ApiError('invalid', `${subject} ${message}.`, { details: [{ message, path }] });
}
