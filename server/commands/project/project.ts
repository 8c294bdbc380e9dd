import type { ProjectSettings } from '../../../shared/project/project.ts';
import { commandLine } from '../../audit/audited-store.ts';
import { program } from '../../process/program.ts';
import { makeKey } from '../../projects/key.ts';
import { makeProjectId, noscriptOf, snippetOf } from '../../projects/rules.ts';
import { Secrets } from '../../projects/secrets.ts';
import type { Actor } from '../../store/admin/audit.ts';
import type { ListedProject, Project } from '../../store/projects.ts';
import type { Store } from '../../store/store.ts';
import { runAction } from '../terminal/actions.ts';
import { type Command, type Terminal, UsageError } from '../terminal/command.ts';
import { readOptions } from '../terminal/options.ts';
import { findServerUrl } from '../terminal/running-server.ts';
import { table } from '../terminal/table.ts';
import { unknownProject } from '../terminal/unknown-project.ts';
import { withNewStore, withStore } from '../terminal/with-store.ts';
import { checkSandbox, jobHelp } from './job-options.ts';
import { outboxHelp } from './outbox-options.ts';
import { settingHelp } from './project-help.ts';
import { importExported } from './project-import.ts';
import { foldPaths, forgetPaths } from './project-paths.ts';
import { readSecrets, secretHelp, secretOptions, whichSecrets } from './secret-options.ts';
import { checkRules, checkSettings, givenSettings, optionOf, settingOptions } from './setting-options.ts';

export interface AddedProject {
  projectId: string;
  adminKey: string;
  ingestKey: string;
  snippet: string;
}

interface Making {
  baseUrl: string;
  now: number;
  maker?: Actor;
}

export async function addProject(
  store: Store,
  settings: ProjectSettings,
  making: Making,
): Promise<AddedProject> {
  const { project, keys, added } = makeProject(settings, making);
  await store.addProject(project, keys);
  return added;
}

/** Null: there is one, such as another server's that began at the same time. */
export async function addFirstProject(
  store: Store,
  settings: ProjectSettings,
  making: Making,
): Promise<AddedProject | null> {
  const { project, keys, added } = makeProject(settings, making);
  return (await store.addFirstProject(project, keys)) ? added : null;
}

function makeProject(settings: ProjectSettings, { baseUrl, now, maker = commandLine }: Making) {
  const id = makeProjectId();
  const admin = makeKey('admin', id, 'first admin key', now, { maker });
  const ingest = makeKey('ingest', id, 'first ingest key', now, { maker });
  const project: Project = { id, settings, createdAt: new Date(now).toISOString() };
  const keys = [admin.stored, ingest.stored];
  const snippet = snippetOf(baseUrl, id);
  return {
    project,
    keys,
    added: { projectId: id, adminKey: admin.secret, ingestKey: ingest.secret, snippet },
  };
}

async function add(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, settingOptions);
  if (values.name === undefined) throw new UsageError('A project needs a name: give it with --name.');
  const settings = checkSettings(givenSettings(values));
  checkRules(settings, checkSettings({ name: settings.name }), terminal);
  await checkSandbox(settings, settings, terminal);
  const baseUrl = await findServerUrl(terminal);
  const added = await withNewStore(terminal, (store) =>
    addProject(store, settings, { baseUrl, now: terminal.now() }),
  );
  if (values.json) terminal.print(`${JSON.stringify(added)}\n`);
  else {
    terminal.print(`Project ${added.projectId} was added. Its keys are shown only this once.

  Admin key:   ${added.adminKey}
  Ingest key:  ${added.ingestKey}

Put this line into the pages to count:

  ${added.snippet}

and, to count browsers that run no scripts, this one after it:

  ${noscriptOf(baseUrl, added.projectId)}
`);
  }
}

async function list(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, { json: { type: 'boolean' } });
  const { projects } = await withStore(terminal, (store) => store.directory());
  const baseUrl = await findServerUrl(terminal);
  const listed = projects.map((project) => ({
    projectId: project.id,
    ...project.settings,
    ...whichSecrets(project),
    createdAt: project.createdAt,
    snippet: snippetOf(baseUrl, project.id),
    noscript: noscriptOf(baseUrl, project.id),
  }));
  if (values.json) terminal.print(`${JSON.stringify(listed)}\n`);
  else if (listed.length === 0)
    terminal.print(`There is no project yet: add one with "${program} project add --name …".\n`);
  else {
    terminal.print(
      table(
        ['PROJECT', 'NAME', 'HOSTS', 'TIME ZONE'],
        listed.map(({ projectId, name, hosts, timeZone }) => [
          projectId,
          name,
          hosts.join(', ') || 'any',
          timeZone,
        ]),
      ),
    );
  }
}

async function set(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { ...settingOptions, ...secretOptions }, ['project']);
  const projectId = String(positionals[0]);
  const given = givenSettings(values);
  const texts = await readSecrets(values, terminal);
  if (Object.keys(given).length + Object.keys(texts).length === 0) {
    throw new UsageError(`Nothing to change: give at least one of ${Object.values(optionOf).join(', ')}.`);
  }
  const changed = await withStore(terminal, async (store) => {
    const project = await findProject(store, projectId);
    const settings = checkSettings({ ...project.settings, ...given });
    checkRules(given, project.settings, terminal);
    await checkSandbox(given, settings, terminal);
    const encrypted = new Secrets({ store, ...terminal.config }).encrypt(projectId, texts);
    if (!(await store.setProject(projectId, settings, encrypted))) throw unknownProject(projectId);
    return findProject(store, projectId);
  });
  const { settings } = changed;
  terminal.print(
    values.json
      ? `${JSON.stringify({ projectId, ...settings, ...whichSecrets(changed) })}\n`
      : `Project ${projectId} was changed.\n`,
  );
}

async function findProject(store: Store, projectId: string): Promise<ListedProject> {
  const project = (await store.directory()).projects.find(({ id }) => id === projectId);
  if (!project) throw unknownProject(projectId);
  return project;
}

async function remove(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { yes: { type: 'boolean' }, json: { type: 'boolean' } }, [
    'project',
  ]);
  const projectId = String(positionals[0]);
  if (!values.yes) {
    throw new UsageError(
      `This deletes all counts, keys and jobs of project ${projectId} for good: add --yes if you mean it.`,
    );
  }
  const removed = await withStore(terminal, (store) => store.removeProject(projectId));
  if (!removed) throw unknownProject(projectId);
  terminal.print(
    values.json ? `${JSON.stringify({ projectId, removed })}\n` : `Project ${projectId} was removed.\n`,
  );
}

const actions = {
  add,
  list,
  set,
  remove,
  import: importExported,
  'fold-paths': foldPaths,
  'forget-paths': forgetPaths,
};

export const projectCommand: Command = {
  help: `Usage: headcount project add --name <name> [settings] [--json]
       headcount project list [--json]
       headcount project set <project> [settings] [--json]
       headcount project remove <project> --yes [--json]
       headcount project import <file or -> [--json]
       headcount project fold-paths <project> [--yes] [--json]
       headcount project forget-paths <project> <glob>… [--yes] [--json]

A project is one site or a family of sites that are counted together.

"import" takes in what "headcount export" wrote elsewhere, as a whole or not at all.

"fold-paths" counts what was counted under paths with e-mail addresses, UUIDs and long random
tokens before these were masked as if it had been masked. "forget-paths" deletes names and
counts of paths. Both say what they would do, and do it with --yes.

${settingHelp}

${outboxHelp}
${jobHelp}
${secretHelp}
  --json                     print the result as JSON, for programs
`,
  run: (args, terminal) => runAction('project', actions, args, terminal),
};
