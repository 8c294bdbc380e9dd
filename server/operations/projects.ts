import { isDeepStrictEqual } from 'node:util';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import {
  installReply,
  managedProjectReply,
  managedProjectsReply,
  newProjectBody,
  projectPatch,
  projectReply,
  projectsReply,
  removalBody,
} from '../../shared/accounts/admin.ts';
import type { Role } from '../../shared/accounts/role.ts';
import { exclusionSettings } from '../../shared/project/exclusion-settings.ts';
import { type ProjectSettings, projectSettings, type SettingName } from '../../shared/project/project.ts';
import type { ExclusionsReply } from '../../shared/project/project-change.ts';
import {
  changedExclusionsReply,
  exclusionsChange,
  exclusionsReply,
  projectChange,
} from '../../shared/project/project-change.ts';
import { jobSecretNames, type SecretName, secretNames } from '../../shared/secrets.ts';
import { commandLine, keyAdded, projectChanged } from '../audit/audit-list.ts';
import { type Terminal, UsageError } from '../commands/terminal/command.ts';
import { table } from '../commands/terminal/table.ts';
import type { Config } from '../config/config.ts';
import { fromDay } from '../counting/calendar.ts';
import { ApiError, invalid } from '../errors.ts';
import { covers, lacksRole, noProject, roleOf } from '../http/authorize.ts';
import { parse } from '../http/parse.ts';
import { route } from '../http/route.ts';
import { findSandboxFault, sandboxOf } from '../jobs/agent/command/sandbox.ts';
import { program } from '../process/program.ts';
import { makeKey } from '../projects/key.ts';
import {
  makeProjectId,
  mayKeepSecrets,
  noscriptOf,
  objectToSecret,
  objectToSettings,
  prepareNewGlobs,
  snippetOf,
  takesMore,
} from '../projects/rules.ts';
import { secretOptionOf } from '../projects/secrets.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { Key, ListedProject, Project, StoredKey } from '../store/projects.ts';
import type { SavedView } from '../store/saved-views.ts';
import { commandOf, findProject } from './command.ts';
import { preview } from './exclusions.ts';
import { warnOfPatterns, warnOfRenames } from './moved-paths.ts';
import {
  type Asked,
  type Deps,
  maxBodyBytes,
  type Option,
  type Options,
  operation,
  projectPath,
  withCommand,
} from './operation.ts';
import { importAction } from './project-import.ts';
import { pathActions } from './project-paths.ts';
import { suggestSections } from './sections.ts';
import {
  allSettingOptions,
  readSettings,
  type SettingValues,
  settingOption,
  settingOptions,
} from './settings.ts';

const managed = managedProjectReply;
const shown = projectReply;
const exclusions = exclusionsReply;
const path = '/v1/projects/:projectId';
const inDashboard = '/v1/admin/projects';
const subject = 'The project';
const notValid = 'The project is not valid';

/** Who changes it: the operator on the command line, or a role in the project (a key has that of an owner). */
type Changer = 'operator' | 'owner' | 'editor';
type GivenSecrets = { [Name in SecretName]?: string | null | undefined };

interface Change {
  settings?: Readonly<Record<string, unknown>> | undefined;
  secrets?: GivenSecrets | undefined;
}

export interface AddedProject {
  projectId: string;
  adminKey: string;
  ingestKey: string;
  snippet: string;
  warnings?: string[];
}

interface Making {
  baseUrl: string;
  now: number;
  maker?: Actor;
}

/** A new project with its first keys. */
export function makeProject(settings: ProjectSettings, { baseUrl, now, maker = commandLine }: Making) {
  const id = makeProjectId();
  const admin = makeKey('admin', id, 'first admin key', now, { maker });
  const ingest = makeKey('ingest', id, 'first ingest key', now, { maker });
  const project: Project = { id, settings, createdAt: new Date(now).toISOString() };
  const added: AddedProject = {
    ...{ projectId: id, adminKey: admin.secret, ingestKey: ingest.secret },
    snippet: snippetOf(baseUrl, id),
  };
  return { project, keys: [admin.stored, ingest.stored], added };
}

/** The audit entry of a new project. */
export const projectAdded = ({ id: projectId, settings }: Project, keys: readonly StoredKey[]) => [
  { action: 'project.added', projectId, subject: settings.name } as const,
  ...keys.map(keyAdded),
];

/** On the command line it gets its first keys. @throws ApiError `invalid`, UsageError */
async function create(
  { store, config, now, entries }: Deps,
  {
    body: settings,
    actor,
    baseUrl,
  }: Pick<Asked<'owner', undefined, ProjectSettings>, 'body' | 'actor' | 'baseUrl'>,
) {
  const by = actor === commandLine ? 'operator' : 'owner';
  const present = projectSettings.parse({ name: settings.name });
  await checkRules(config, settings, { by, present, next: settings });
  findViews(settings.digestViews, []);
  const { project, ...made } = makeProject({ ...settings, seenHosts: [] }, { baseUrl, now: now() });
  const keys = by === 'operator' ? made.keys : [];
  const warnings = await warnOfPatterns(store, { id: project.id, settings: present }, settings);
  const noted = entries(...projectAdded(project, keys));
  await store.callAudited('projects', 'addProject', [project, keys], noted);
  const warned = warnings.length > 0 && { warnings };
  return { project: { ...project, secrets: [], ...warned }, added: { ...made.added, ...warned } };
}

const warnOfChange = async (store: Deps['store'], project: ListedProject, settings: ProjectSettings) => [
  ...(await warnOfPatterns(store, project, settings)),
  ...(await warnOfRenames(store, project, settings.renamedPaths)),
];

/**
 * Settings that are not given stay as they are.
 *
 * @param warnOf null: the caller does it
 * @throws ApiError `forbidden`, `invalid`, `not_found`, UsageError
 */
export async function change(
  { store, config, secrets: cipher, entries }: Deps,
  project: ListedProject,
  { settings: given = {}, secrets = {} }: Change,
  by: Changer = 'owner',
  warnOf: typeof warnOfChange | null = warnOfChange,
): Promise<Changed> {
  const settings = parse(projectSettings, { ...project.settings, ...given }, subject);
  if (given.digestViews !== undefined)
    settings.digestViews = findViews(
      settings.digestViews,
      await store.savedViews.listSavedViews(project.id),
      project.settings.digestViews,
    );
  // A value that the operator has forbidden since may stay until it is changed.
  const touched = Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(given, name)));
  await checkRules(config, touched, { by, present: project.settings, next: settings });
  const texts = checkSecrets(secrets);
  const isKept = by === 'operator' || mayKeepSecrets(project.settings, settings);
  const encrypted = cipher.encrypt(project.id, { ...(isKept ? {} : droppedSecrets(project)), ...texts });
  const warnings = (await warnOf?.(store, project, settings)) ?? [];
  const noted = entries(...projectChanged(project, settings, encrypted));
  const args = [project.id, settings, encrypted] as const;
  if (!(await store.callAudited('projects', 'setProject', [...args], noted))) throw noProject();
  const changed = await findProject(store, project.id);
  return warnings.length === 0 ? changed : { ...changed, warnings };
}

/** Their ids, by ids or names; one that was removed since may stay. @throws ApiError `invalid` */
function findViews(
  given: readonly string[],
  views: readonly SavedView[],
  present: readonly string[] = [],
): string[] {
  const ids = given.map((text) => {
    const found = views.find(({ id }) => id === text) ?? views.find(({ name }) => name === text);
    if (found || present.includes(text)) return found?.id ?? text;
    const known = views.slice(0, 20).map(({ name }) => name);
    const message = `has "${text}", which is no saved view of the project${known.length > 0 ? `, such as ${known.join(', ')}` : ': it has none yet'}`;
    throw invalid(notValid, 'digestViews', message);
  });
  return [...new Set(ids)];
}

interface Checked {
  by: Changer;
  present: ProjectSettings;
  next: ProjectSettings;
}

/** @throws ApiError `forbidden`, `invalid`, UsageError, CommandError */
async function checkRules(
  config: Config,
  given: Partial<ProjectSettings>,
  { by, present, next }: Checked,
): Promise<void> {
  await prepareNewGlobs(given, present);
  const [objection] = objectToSettings(given, { by, present, config });
  if (objection) {
    const { field, takes, message } = objection;
    if (by === 'operator') throw new UsageError(`${settingOption(field)} ${message}.`);
    if (takes === 'owner') throw lacksRole('editor', 'owner');
    // The dashboard's password must not give access to the machine.
    throw invalid(notValid, field, takes === 'operator' ? setOnServer(field) : message);
  }
  if (by === 'operator') await checkSandbox(config, given, next);
}

const setOnServer = (field: SettingName) =>
  `decides which program runs on the server and how, so it is set there: "${program} project set <project> ${settingOption(field)}"`;

/** Rejects an outside agent that cannot be sandboxed here already, and not in its first job. @throws UsageError */
async function checkSandbox(
  config: Config,
  given: Partial<ProjectSettings>,
  { agentCommand, agentUnconfined }: ProjectSettings,
): Promise<void> {
  const isGiven = given.agentCommand !== undefined || given.agentUnconfined !== undefined;
  if (!isGiven || agentCommand === null || agentUnconfined) return;
  const fault = await findSandboxFault(sandboxOf(config), config.jobs.git.path);
  if (fault !== undefined) throw new ApiError('invalid', fault);
}

/** @throws ApiError `invalid` */
function checkSecrets(secrets: GivenSecrets): Partial<Record<SecretName, string | null>> {
  const given: Partial<Record<SecretName, string | null>> = {};
  for (const name of secretNames) {
    const text = secrets[name]?.trim() ?? secrets[name];
    if (text === undefined) continue;
    const objection = text === null ? undefined : objectToSecret(name, text);
    if (objection !== undefined) throw invalid(notValid, `secrets.${name}`, `must be ${objection}`);
    given[name] = text;
  }
  return given;
}

function droppedSecrets({ secrets }: ListedProject): Partial<Record<SecretName, null>> {
  const ofJobs = jobSecretNames.filter((name) => secrets.includes(name));
  return Object.fromEntries(ofJobs.map((name) => [name, null]));
}

/** Of secrets only whether they are set: `{forgeToken: true}`. */
const whichSecrets = ({ secrets }: ListedProject) =>
  Object.fromEntries(secretNames.map((name) => [name, secrets.includes(name)])) as ProjectReply['secrets'];

type Changed = ListedProject & Pick<ProjectReply, 'warnings'>;

/** A project, for any caller. */
function toFacts(project: Changed): Omit<ProjectReply, 'role'> {
  const { id, settings, createdAt, warnings } = project;
  return { id, createdAt, ...settings, secrets: whichSecrets(project), ...(warnings && { warnings }) };
}

/** Only settings that the reports show anyway: others hold addresses of people, networks and recipients. */
function toFactsForViewers(project: ListedProject) {
  const { name, hosts, timeZone } = project.settings;
  return toFacts({ ...project, settings: projectSettings.parse({ name, hosts, timeZone }), secrets: [] });
}

/** Editors see of an agent's command which program it is: its arguments may hold a secret. */
function toReply(project: Changed, role: Role): ProjectReply {
  const reply = toFacts(project);
  if (role === 'owner') return { ...reply, role };
  if (role === 'editor') return { ...reply, role, agentCommand: reply.agentCommand?.slice(0, 1) ?? null };
  return { ...toFactsForViewers(project), role };
}

/** With a key that changes no settings as viewers see the project. */
const toProgramReply = (project: ListedProject, { scope }: Key) =>
  withoutProgram(scope === 'admin' ? toFacts(project) : toFactsForViewers(project));

/** The arguments of an agent's program are the operator's matter, and may hold a secret. */
function withoutProgram({
  agentCommand: _command,
  agentUnconfined: _unconfined,
  ...rest
}: ReturnType<typeof toFacts>) {
  return rest;
}

/** A field without a value would delete the stored one. */
const withValue = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const list = withCommand(
  route({
    name: 'projects.list',
    method: 'GET',
    path: '/v1/projects',
    access: 'key',
    scope: 'read',
    summary: 'List the projects that the key covers',
    answers: { 200: { says: 'These projects', json: managedProjectsReply } },
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
  async ({ store }) => (await store.directory()).projects,
  {
    name: 'project list',
    operands: [],
    read: () => ({ projectId: null }),
    json: (projects, { baseUrl }) =>
      projects.map((project) => ({
        projectId: project.id,
        ...project.settings,
        ...whichSecrets(project),
        createdAt: project.createdAt,
        snippet: snippetOf(baseUrl, project.id),
        noscript: noscriptOf(baseUrl, project.id),
      })),
    print(projects) {
      if (projects.length === 0)
        return `There is no project yet: add one with "${program} project add --name …".\n`;
      const rows = projects.map(({ id, settings: { name, hosts, timeZone } }) => [
        ...[id, name, hosts.join(', ') || 'any', timeZone],
      ]);
      return table(['PROJECT', 'NAME', 'HOSTS', 'TIME ZONE'], rows);
    },
  },
);

/** With the text before them in the help. */
const options = settingOptions({
  name: 'Settings:\n',
  digest: `
Settings that take several values can be given several times, or once with commas between
them; with "project set" they replace what was there, and "" empties them.

Reports and alerts by mail and webhook, once their days are closed:
`,
  repository: '\nAgent jobs need a repository and a model ("" takes one away again):\n',
});

const add = operation({
  name: 'projects.add',
  method: 'POST',
  path: '/v1/projects',
  access: 'all_projects_key',
  body: { schema: newProjectBody, maxBytes: maxBodyBytes, subject },
  summary: 'Make a project',
  description: 'It has no keys of its own yet.',
  answers: {
    201: { says: 'The new project', json: managed, headers: { Location: 'Where it can be read.' } },
  },
  refreshes: 'registry',
  run: create,
  location: ({ project }) => `/v1/projects/${project.id}`,
  reply: ({ project }) => withoutProgram(toFacts(project)),
  command: {
    name: 'project add',
    operands: [],
    isFirst: true,
    usage: '--name <name>  [settings]',
    options,
    read({ values }) {
      if (values.name === undefined) throw new UsageError('A project needs a name: give it with --name.');
      return { projectId: null, isRead: true, body: checked(newProjectBody, readSettings(values)) };
    },
    json: ({ added }) => added,
    print: (
      { added },
      { baseUrl },
    ) => `Project ${added.projectId} was added. Its keys are shown only this once.

  Admin key:   ${added.adminKey}
  Ingest key:  ${added.ingestKey}

Put this line into the pages to count:

  ${added.snippet}

and, to count browsers that run no scripts, this one after it:

  ${noscriptOf(baseUrl, added.projectId)}
${(added.warnings ?? []).map((warning) => `\n${warning}\n`).join('')}`,
  },
});

/** @throws UsageError for the first that is not as it must be */
function checked<T>(
  schema: {
    safeParse(value: unknown): {
      data?: T;
      error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } | undefined;
    };
  },
  settings: unknown,
): T {
  const { data, error } = schema.safeParse(settings);
  const [issue] = error?.issues ?? [];
  if (issue) throw new UsageError(`${settingOption(String(issue.path[0]))} ${issue.message}.`);
  return data as T;
}

const read = operation({
  name: 'projects.read',
  method: 'GET',
  path,
  access: 'project_key',
  scope: 'read',
  summary: 'Read a project and its settings',
  answers: { 200: { says: 'The project', json: managed } },
  run: (_, { project, key }) => toProgramReply(project, key as Key),
});

const secretTexts = {
  forgeToken: 'the token for the repository and its forge',
  githubAppKey: 'the private key (PEM) of the GitHub App',
  repositoryTokens: 'tokens for --agent-repositories: lines of an address, a space and its token',
  forgeWebhookSecret: 'the secret with which the webhook of the repository is signed',
  signingKey: 'the private SSH or GPG key with which commits are signed, without a passphrase',
  webhookUrl: "where the webhook goes; Slack's address is a secret, too",
  webhookSecret: 'the secret with which the webhook is signed: whsec_ and 32 random bytes in base64',
} satisfies Record<SecretName, string>;

/** Those of `project set` alone, as they go elsewhere than settings. */
const secretOptions: Options = Object.fromEntries(
  Object.entries(secretTexts).flatMap(([name, says], i): [string, Option][] => {
    const option = secretOptionOf[name as SecretName];
    const before =
      '\nSecrets are read from standard input, kept encrypted and never shown again ("project set" only):\n';
    return [
      [`${option}-stdin`, { type: 'boolean', says, ...(i === 0 && { before }) }],
      [`remove-${option}`, { type: 'boolean', says: '' }],
    ];
  }),
);

/** The secrets to set (text) or to remove (null). @throws UsageError */
async function readSecrets(values: SettingValues, terminal: Terminal): Promise<GivenSecrets> {
  const set = secretNames.filter((name) => values[`${secretOptionOf[name]}-stdin`]);
  const removed = secretNames.filter((name) => values[`remove-${secretOptionOf[name]}`]);
  if (set.length > 1) {
    const given = set.map((name) => `--${secretOptionOf[name]}-stdin`).join(' and ');
    throw new UsageError(`Standard input can bring one secret only: set ${given} one after the other.`);
  }
  if (set.some((name) => removed.includes(name)))
    throw new UsageError('A secret can be set or removed, not both.');
  const secrets: GivenSecrets = Object.fromEntries(removed.map((name) => [name, null]));
  for (const name of set) {
    const text = (await terminal.readInput()).trim();
    const objection = objectToSecret(name, text);
    if (objection !== undefined) throw new UsageError(`Standard input must bring ${objection}.`);
    secrets[name] = text;
  }
  return secrets;
}

const set = operation({
  name: 'projects.change',
  method: 'PATCH',
  path,
  access: 'project_key',
  body: { schema: projectChange, maxBytes: maxBodyBytes, subject },
  summary: 'Change settings of a project',
  description: 'Settings that are not given stay as they are; a list replaces the earlier one.',
  answers: { 200: { says: 'The project as it is now', json: managed } },
  refreshes: 'registry',
  run: (deps, { project, body: { secrets, ...settings }, actor }) =>
    change(
      deps,
      project,
      { settings: withValue(settings), secrets },
      actor === commandLine ? 'operator' : 'owner',
    ),
  reply: (project) => withoutProgram(toFacts(project)),
  command: {
    name: 'project set',
    usage: '<project>  [settings]',
    options: { ...options, ...secretOptions },
    async read({ values }, terminal) {
      const settings = readSettings(values);
      const secrets = await readSecrets(values, terminal);
      if (Object.keys({ ...settings, ...secrets }).length === 0)
        throw new UsageError(`Nothing to change: give at least one of ${allSettingOptions()}.`);
      return { isRead: true, body: { ...checked(projectChange, settings), secrets } };
    },
    json: ({ warnings, ...project }) => ({
      ...{ projectId: project.id, ...project.settings, ...whichSecrets(project) },
      ...(warnings && { warnings }),
    }),
    print: ({ id, warnings = [] }) => [`Project ${id} was changed.`, ...warnings, ''].join('\n'),
  },
});

type Exclusion = keyof ExclusionsReply;

const toExclusions = (settings: ProjectSettings) =>
  Object.fromEntries(
    Object.entries(exclusionSettings).map(([name, setting]) => [name, settings[setting]]),
  ) as ExclusionsReply;

const readExclusions = operation({
  name: 'exclusions.read',
  method: 'GET',
  path: `${path}/exclusions`,
  access: 'project_key',
  summary: 'Read the exclusions of a project',
  answers: { 200: { says: 'Its exclusions', json: exclusions } },
  run: (_, { project }) => toExclusions(project.settings),
});

const changeExclusions = operation({
  name: 'exclusions.change',
  method: 'PATCH',
  path: `${path}/exclusions`,
  access: 'project_key',
  body: { schema: exclusionsChange, maxBytes: maxBodyBytes },
  summary: 'Change the exclusions of a project',
  description: 'A list replaces the earlier one; a list that is not given stays.',
  answers: { 200: { says: 'Its exclusions as they are now', json: changedExclusionsReply } },
  refreshes: 'registry',
  async run(deps, { project, body }) {
    const given = Object.entries(body).map(([name, value]) => [exclusionSettings[name as Exclusion], value]);
    const settings = withValue(Object.fromEntries(given));
    const changed = await change(deps, project, { settings }).catch((error: unknown) => {
      throw inOwnWords(error);
    });
    const { warnings } = changed;
    return { ...toExclusions(changed.settings), ...(warnings && { warnings }) };
  },
});

/** An error of a setting names the exclusion that was sent. */
function inOwnWords(error: unknown): unknown {
  const [detail] = error instanceof ApiError ? error.details : [];
  const sent = Object.entries(exclusionSettings).find(([, setting]) => setting === detail?.path);
  return detail && sent ? invalid(notValid, sent[0], detail.message) : error;
}

/** Projects and exclusions for programs, by key. */
export const programOperations = [list, add, read, set, readExclusions, changeExclusions];

const remove = operation({
  name: 'admin.projects.remove',
  method: 'DELETE',
  path: projectPath,
  access: 'session_project',
  role: 'owner',
  body: { schema: removalBody, maxBytes: maxBodyBytes },
  summary: 'Remove a project and its counts',
  answers: { 204: { says: 'It is gone' } },
  refreshes: 'registry',
  async run({ store, entries }, { project: { id, settings }, body, actor }) {
    if (actor !== commandLine && body.name.trim() !== settings.name) {
      const message = `must be the name of the project, which is "${settings.name}"`;
      throw invalid('Nothing was removed', 'name', message);
    }
    const removed = entries({ action: 'project.removed', projectId: id, subject: settings.name });
    await store.callAudited('projects', 'removeProject', [id], removed);
    return { projectId: id, removed: true };
  },
  reply: ({ projectId }, { ingest }) => ingest.forgetSalts(projectId, Number.POSITIVE_INFINITY),
  command: {
    name: 'project remove',
    options: { yes: { type: 'boolean', needed: true, says: '' } },
    read({ values, operands }) {
      if (values.yes) return { isRead: true };
      throw new UsageError(
        `This deletes all counts, keys and jobs of project ${operands.project} for good: add --yes if you mean it.`,
      );
    },
    print: ({ projectId }) => `Project ${projectId} was removed.\n`,
  },
});

/** The same for the dashboard, by role. */
export const projectOperations = [
  route({
    name: 'admin.projects.list',
    method: 'GET',
    path: inDashboard,
    access: 'session',
    summary: 'List the projects in which the user has a role',
    answers: { 200: { says: 'These projects', json: projectsReply } },
    handle: ({ registry }, { session: { user } }) => ({
      projects: [...registry.projects()].flatMap((project) => {
        const role = roleOf(user, project.id);
        return role === null ? [] : [toReply(project, role)];
      }),
    }),
  }),
  operation({
    name: 'admin.projects.add',
    method: 'POST',
    path: inDashboard,
    access: 'session_all',
    role: 'owner',
    body: { schema: newProjectBody, maxBytes: maxBodyBytes, subject },
    summary: 'Make a project',
    answers: { 201: { says: 'The new project', json: shown } },
    refreshes: 'registry',
    run: create,
    reply: ({ project }) => toReply(project, 'owner'),
  }),
  operation({
    name: 'admin.projects.read',
    method: 'GET',
    path: projectPath,
    access: 'session_project',
    summary: 'Read a project and its settings',
    answers: { 200: { says: 'The project', json: shown } },
    run: (_, { project, role }) => toReply(project, role),
  }),
  operation({
    name: 'admin.projects.change',
    method: 'PATCH',
    path: projectPath,
    access: 'session_project',
    body: { schema: projectPatch, maxBytes: maxBodyBytes },
    summary: 'Change settings of a project',
    answers: { 200: { says: 'The project as it is now', json: shown } },
    refreshes: 'registry',
    /** Some settings and all secrets take an owner. */
    async run(deps, { project, role, body }) {
      if (role === 'owner') return toReply(await change(deps, project, body), role);
      // A value sent back as it was shown is no change.
      const before = new Map<string, unknown>(Object.entries(toReply(project, role)));
      const settings = Object.fromEntries(
        Object.entries(body.settings ?? {}).filter(
          ([name, value]) => !isDeepStrictEqual(value, before.get(name)),
        ),
      );
      const isOfOwners = Object.keys(settings).some((name) => takesMore(name, 'editor') === 'owner');
      if (isOfOwners || Object.keys(body.secrets ?? {}).length > 0) throw lacksRole(role, 'owner');
      return toReply(await change(deps, project, { settings }, 'editor'), role);
    },
  }),
  remove,
  operation({
    name: 'admin.projects.install',
    method: 'GET',
    path: `${projectPath}/install`,
    access: 'session_project',
    summary: 'Read the lines to paste into pages',
    answers: { 200: { says: 'The lines', json: installReply } },
    async run({ store }, { project: { id }, baseUrl }) {
      const firstDay = await store.firstDay(id);
      return {
        server: baseUrl,
        script: snippetOf(baseUrl, id),
        noscript: noscriptOf(baseUrl, id),
        firstDay: firstDay === null ? null : fromDay(firstDay).toString(),
      };
    },
  }),
];

export const projectCommand = commandOf(
  {
    name: 'project',
    about: `A project is one site or a family of sites that are counted together.

"import" imports a file of "headcount export", completely or not at all.

"sections" suggests sections from the pages in the project's repository.

"fold-paths" moves counts of paths with e-mail addresses, UUIDs and long random
tokens before these were masked as if it had been masked. "forget-paths" deletes names and
counts of paths. Both say what they would do, and do it with --yes.
`,
    column: 29,
    beforeJson: `  --remove-forge-token, --remove-github-app-key, --remove-repository-tokens, --remove-forge-webhook-secret,
  --remove-signing-key, --remove-webhook-url, --remove-webhook-secret  forget it

`,
  },
  [...programOperations, preview, suggestSections, remove, importAction, ...pathActions],
);
