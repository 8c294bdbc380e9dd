import { type ProjectRole, type Role, roles } from '../../shared/accounts/role.ts';
import { administrator, userName } from '../../shared/accounts/user.ts';
import { makeUser, makeUserLink } from '../admin/user-link.ts';
import { program } from '../process/program.ts';
import type { User } from '../store/admin/users.ts';
import type { Store } from '../store/store.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { findServerUrl } from './terminal/running-server.ts';
import { table } from './terminal/table.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withStore } from './terminal/with-store.ts';

const roleOptions = {
  project: { type: 'string' },
  'all-projects': { type: 'boolean' },
  role: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const operands = ['name'];

interface RoleValues {
  project?: string | undefined;
  'all-projects'?: boolean | undefined;
  role?: string | undefined;
}

/** @throws UsageError */
function readProject(values: RoleValues): string | null {
  const projectId = values.project ?? null;
  if ((projectId === null) === !values['all-projects']) {
    throw new UsageError('Choose what the role covers: either --project <project> or --all-projects.');
  }
  return projectId;
}

/** @throws UsageError */
function readRole(text: string): Role {
  const role = roles.find((one) => one === text);
  if (!role) throw new UsageError(`--role must be viewer, editor or owner, not "${text}".`);
  return role;
}

/** @throws UsageError */
function readName(text = ''): string {
  const { success, data, error } = userName.safeParse(text);
  if (!success) throw new UsageError(`The name of a user ${error.issues[0]?.message}.`);
  return data;
}

/** @throws CommandError */
async function requireProject(store: Store, projectId: string | null): Promise<void> {
  const { projects } = await store.directory();
  if (projectId !== null && !projects.some(({ id }) => id === projectId)) throw unknownProject(projectId);
}

/** @throws CommandError */
async function findUser({ users }: Store, name: string): Promise<User> {
  const user = (await users.listUsers()).find((one) => one.name === name);
  if (user) return user;
  throw new CommandError(`There is no user ${name}: "${program} user list" lists all users.`);
}

async function add(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, roleOptions, operands);
  const name = readName(positionals[0]);
  const given = { projectId: readProject(values), role: readRole(values.role ?? 'viewer') };
  const moment = { baseUrl: await findServerUrl(terminal), now: terminal.now() };
  const { user, link } = makeUser(name, [given], moment);
  await withStore(terminal, async (store) => {
    await requireProject(store, given.projectId);
    if (await store.users.addUser(user, link.stored)) return;
    throw new CommandError(`There is a user ${name} already: "${program} user set" gives other roles.`);
  });
  tellLink(terminal, { id: user.id, name, url: link.url, done: `User ${name} was added.` }, values.json);
}

async function link(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, operands);
  const name = readName(positionals[0]);
  const { url, stored } = makeUserLink(name, {
    baseUrl: await findServerUrl(terminal),
    now: terminal.now(),
  });
  const { id } = await withStore(terminal, async (store) => {
    const user = await findUser(store, name);
    await store.users.offerLink(user.id, stored);
    return user;
  });
  const done = 'The current password, if any, works until the link is used.';
  tellLink(terminal, { id, name, url, done }, values.json);
}

interface Linked {
  id: string;
  name: string;
  url: string;
  done: string;
}

function tellLink(terminal: Terminal, { id, name, url, done }: Linked, json = false): void {
  terminal.print(
    json
      ? `${JSON.stringify({ userId: id, name, url })}\n`
      : `${done} Send ${name} this link to set a password. It works once and expires in 7 days. It won't be shown again.\n\n  ${url}\n`,
  );
}

async function list(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, { json: { type: 'boolean' } });
  const users = await withStore(terminal, (store) => store.users.listUsers());
  const listed = users.map(({ id, linkExpiresAt, ...user }) => ({
    userId: id,
    ...user,
    linkExpiresAt: linkExpiresAt === null ? null : new Date(linkExpiresAt).toISOString(),
  }));
  if (values.json) terminal.print(`${JSON.stringify(listed)}\n`);
  else if (listed.length === 0) terminal.print(`There is no user: add one with "${program} user add".\n`);
  else {
    const rows = listed.map(({ name, createdAt, hasPassword, hasSecondFactor, hasSignOn, roles }) => [
      name,
      createdAt.slice(0, 10),
      hasPassword ? 'yes' : 'no',
      hasSecondFactor ? 'yes' : 'no',
      hasSignOn ? 'yes' : 'no',
      roles.map(({ projectId, role }) => `${role} of ${projectId ?? 'all'}`).join(', '),
    ]);
    terminal.print(table(['NAME', 'CREATED', 'PASSWORD', 'SECOND FACTOR', 'SIGN-ON', 'ROLES'], rows));
  }
}

async function set(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, roleOptions, operands);
  const name = readName(positionals[0]);
  const projectId = readProject(values);
  if (values.role === undefined) throw new UsageError('Give the role with --role <role>, or --role none.');
  const role = values.role === 'none' ? null : readRole(values.role);
  const roles = await withStore(terminal, async (store) => {
    await requireProject(store, projectId);
    const user = await findUser(store, name);
    const changed = withRole(user.roles, projectId, role);
    if (!(await store.users.setRoles(user.id, changed))) {
      throw new CommandError(`The user ${name} was removed at this moment. Nothing was changed.`);
    }
    return changed;
  });
  terminal.print(
    values.json
      ? `${JSON.stringify({ name, roles })}\n`
      : `The roles of ${name} were changed, with immediate effect.\n`,
  );
}

function withRole(given: readonly ProjectRole[], projectId: string | null, role: Role | null): ProjectRole[] {
  const others = given.filter((one) => one.projectId !== projectId);
  return role === null ? others : [...others, { projectId, role }];
}

async function remove(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, operands);
  const name = readName(positionals[0]);
  const removed = await withStore(terminal, async (store) =>
    store.users.removeUser((await findUser(store, name)).id),
  );
  terminal.print(
    values.json ? `${JSON.stringify({ name, removed })}\n` : `User ${name} was removed and is signed out.\n`,
  );
}

/** @throws CommandError */
async function resetFactor(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, operands);
  const name = positionals[0]?.toLowerCase() === administrator ? administrator : readName(positionals[0]);
  const isReset = await withStore(terminal, async (store) => {
    const userId = name === administrator ? null : (await findUser(store, name)).id;
    return store.factors.removeFactor(userId, null);
  });
  if (!isReset) throw new CommandError(`The second factor of ${name} is off already.`);
  terminal.print(
    values.json
      ? `${JSON.stringify({ name, reset: true })}\n`
      : `The second factor of ${name} was turned off: the password is enough to sign in.\n`,
  );
}

const actions = { add, list, set, link, 'reset-factor': resetFactor, remove };

export const userCommand: Command = {
  help: `Usage: headcount user add <name> (--project <project> | --all-projects) [--role <role>] [--json]
       headcount user list [--json]
       headcount user set <name> (--project <project> | --all-projects) --role <role> [--json]
       headcount user link <name> [--json]
       headcount user reset-factor (<name> | administrator) [--json]
       headcount user remove <name> [--json]

Users sign in to the dashboard with their own name and password; the administrator has none to share.
"add" and "link" print a link to set the password, which works once and expires in 7 days. A viewer reads
reports, an editor also changes settings and starts jobs, an owner may do everything with the project,
and an owner of all projects may do everything. A running server applies changes within a second.
"reset-factor" turns off the second factor of a user who has lost it; then the password is enough.

  --project <project>    the one project that the role is for
  --all-projects         the role is for all projects, later ones included
  --role <role>          viewer, editor or owner (viewer); with "set" also none
  --json                 print the result as JSON, for programs
`,
  run: (args, terminal) => runAction('user', actions, args, terminal),
};
