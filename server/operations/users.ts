import { type ProjectRole, type Role, roles } from '../../shared/accounts/role.ts';
import type { UserReply } from '../../shared/accounts/user.ts';
import {
  administrator,
  linkedUserReply,
  newUserBody,
  userName,
  userPatch,
  userReply,
  usersReply,
} from '../../shared/accounts/user.ts';
import { hashToken, makeToken } from '../admin/sign-in/sessions.ts';
import { CommandError, UsageError } from '../commands/terminal/command.ts';
import { table } from '../commands/terminal/table.ts';
import { addressOf } from '../config/own-address.ts';
import { ApiError, invalid } from '../errors.ts';
import { program } from '../process/program.ts';
import { randomText } from '../projects/key.ts';
import type { User } from '../store/admin/users.ts';
import type { Store } from '../store/store.ts';
import { commandOf } from './command.ts';
import { type Given, maxBodyBytes, operation, type Typed } from './operation.ts';

const path = '/v1/users/:userId';

/** Longer than that of the administrator, as somebody else has to find time for it. */
const goodForMs = 7 * 24 * 60 * 60 * 1000;

/** An address that sets a user's password, once and within a week, and its stored form. */
function makeLink(name: string, baseUrl: string, now: number) {
  const token = makeToken();
  return {
    // As in the administrator's, no server sees the token; the name is for password managers.
    url: addressOf(baseUrl, `/invitation#${token}/${encodeURIComponent(name)}`),
    stored: { hash: hashToken(token), expiresAt: now + goodForMs },
  };
}

const listUsers = async ({ users }: Store) => (await users.listUsers()).map(toReply);

function toReply({ linkExpiresAt, ...user }: User): UserReply {
  return { ...user, linkExpiresAt: linkExpiresAt === null ? null : new Date(linkExpiresAt).toISOString() };
}

const noUser = () => new ApiError('not_found', 'There is no such user: they may have been removed.');

/** @throws ApiError `not_found` */
async function readUser(store: Store, id = ''): Promise<UserReply> {
  const user = (await listUsers(store)).find((one) => one.id === id);
  if (!user) throw noUser();
  return user;
}

/** @throws ApiError `invalid` */
async function requireProjects({ directory }: Store, given: readonly ProjectRole[]): Promise<void> {
  const { projects } = await directory();
  const isKnown = (projectId: string | null) =>
    projectId === null || projects.some(({ id }) => id === projectId);
  const unknown = given.findIndex(({ projectId }) => !isKnown(projectId));
  if (unknown < 0) return;
  const field = `roles.${unknown}.projectId`;
  const message = 'must be the id of a project, or null for all of them';
  throw invalid('The user is not valid', field, message);
}

/** Such as `editor of 4fx0…`. */
const describeRoles = (given: readonly ProjectRole[]) =>
  given.map(({ projectId, role }) => `${role} of ${projectId ?? 'all projects'}`);

/** @throws UsageError */
function readName({ operands: { name: text } }: Pick<Typed<never>, 'operands'>): string {
  const { success, data, error } = userName.safeParse(text);
  if (!success) throw new UsageError(`The name of a user ${error.issues[0]?.message}.`);
  return data;
}

/** By the name that was typed. @throws CommandError */
async function findByName(store: Store, typed: Pick<Typed<never>, 'operands'>): Promise<UserReply> {
  const name = readName(typed);
  const user = (await listUsers(store)).find((one) => one.name === name);
  if (user) return user;
  throw new CommandError(`There is no user ${name}: "${program} user list" lists all users.`);
}

/** @throws UsageError */
function readProject({ project, ...values }: Typed<typeof roleOptions>['values']): string | null {
  if ((project === undefined) === !values['all-projects']) {
    throw new UsageError('Choose what the role covers: either --project <project> or --all-projects.');
  }
  return project ?? null;
}

/** @throws UsageError */
function readRole(text: string): Role {
  const role = roles.find((one) => one === text);
  if (!role) throw new UsageError(`--role must be viewer, editor or owner, not "${text}".`);
  return role;
}

const roleOptions = {
  project: {
    type: 'string',
    value: 'project',
    needed: 'all-projects',
    says: 'the one project that the role is for',
  },
  'all-projects': { type: 'boolean', says: 'the role is for all projects, later ones included' },
  role: { type: 'string', value: 'role', says: 'viewer, editor or owner (viewer); with "set" also none' },
} as const;

/** What `find` fills in is read before the database is opened. */
const checkName = (typed: Typed<Record<never, never>>): Given => ({ params: { name: readName(typed) } });
const byName = {
  operands: ['name'],
  read: checkName,
  find: async (store: Store, typed: Pick<Typed<never>, 'operands'>): Promise<Given> => ({
    params: { userId: (await findByName(store, typed)).id },
  }),
};

const linked = {
  json: ({ id, name, link }: UserReply & { link: string }) => ({ userId: id, name, url: link }),
  print:
    (done: (name: string) => string) =>
    ({ name, link }: UserReply & { link: string }) =>
      `${done(name)} Send ${name} this link to set a password. It works once and expires in 7 days. It won't be shown again.\n\n  ${link}\n`,
};

const list = operation({
  name: 'users.list',
  method: 'GET',
  path: '/v1/users',
  access: 'owner',
  summary: 'List all users and what they may do',
  answers: { 200: { says: 'All users, by name', json: usersReply } },
  run: async ({ store }) => ({ users: await listUsers(store) }),
  command: {
    name: 'user list',
    json: ({ users }) => users.map(({ id, ...user }) => ({ userId: id, ...user })),
    print({ users }) {
      const yes = (is: boolean) => (is ? 'yes' : 'no');
      const rows = users.map((user) => [
        ...[user.name, user.createdAt.slice(0, 10), yes(user.hasPassword)],
        ...[yes(user.hasSecondFactor), yes(user.hasSignOn)],
        user.roles.map(({ projectId, role }) => `${role} of ${projectId ?? 'all'}`).join(', '),
      ]);
      if (rows.length === 0) return `There is no user: add one with "${program} user add".\n`;
      return table(['NAME', 'CREATED', 'PASSWORD', 'SECOND FACTOR', 'SIGN-ON', 'ROLES'], rows);
    },
  },
});

const add = operation({
  name: 'users.add',
  method: 'POST',
  path: '/v1/users',
  access: 'owner',
  body: { schema: newUserBody, maxBytes: maxBodyBytes, subject: 'The user' },
  summary: 'Add a user',
  description: 'They open the link to set a password, and sign in with it and their name.',
  answers: {
    201: { says: 'The new user, with the link', json: linkedUserReply },
  },
  refreshes: 'sessions',
  async run({ store, now, entries }, { body: { name, roles }, baseUrl }) {
    await requireProjects(store, roles);
    const user = { id: `user_${randomText(12)}`, name, roles, createdAt: new Date(now()).toISOString() };
    const { url: link, stored } = makeLink(name, baseUrl, now());
    const noted = entries({ action: 'user.added', subject: name, changes: describeRoles(roles) });
    if (!(await store.callAudited('users', 'addUser', [user, stored], noted))) {
      throw invalid('The user is not valid', 'name', 'must be one that no other user has');
    }
    return { ...(await readUser(store, user.id)), link };
  },
  command: {
    name: 'user add',
    operands: ['name'],
    options: roleOptions,
    read(typed) {
      const name = readName(typed);
      const projectId = readProject(typed.values);
      return {
        projectId,
        body: { name, roles: [{ projectId, role: readRole(typed.values.role ?? 'viewer') }] },
      };
    },
    async find(store, typed, given) {
      const name = readName(typed);
      if (!(await listUsers(store)).some((user) => user.name === name)) return given;
      throw new CommandError(`There is a user ${name} already: "${program} user set" gives other roles.`);
    },
    json: linked.json,
    print: linked.print((name) => `User ${name} was added.`),
  },
});

const change = operation({
  name: 'users.change',
  method: 'PATCH',
  path,
  access: 'owner',
  body: { schema: userPatch, maxBytes: maxBodyBytes, subject: 'The user' },
  summary: 'Give a user other roles',
  description: 'They replace all earlier roles, at once.',
  answers: { 200: { says: 'The user as they are now', json: userReply } },
  refusals: ['not_found'],
  refreshes: 'sessions',
  async run({ store, entries }, { params: { userId }, body: { roles } }) {
    await requireProjects(store, roles);
    const { id, name } = await readUser(store, userId);
    const noted = entries({ action: 'user.changed', subject: name, changes: describeRoles(roles) });
    if (!(await store.callAudited('users', 'setRoles', [id, roles], noted))) throw noUser();
    return readUser(store, id);
  },
  command: {
    name: 'user set',
    operands: ['name'],
    options: roleOptions,
    usage: '<name>  (--project <project> | --all-projects)  --role <role>',
    read(typed) {
      readName(typed);
      const projectId = readProject(typed.values);
      const { role } = typed.values;
      if (role === undefined) throw new UsageError('Give the role with --role <role>, or --role none.');
      return { projectId, body: role === 'none' ? [] : [{ projectId, role: readRole(role) }] };
    },
    async find(store, typed, { projectId, body }) {
      const { id, roles } = await findByName(store, typed);
      const others = roles.filter((one) => one.projectId !== projectId);
      return {
        params: { userId: id },
        body: { roles: [...others, ...(body as ProjectRole[])] },
        isRead: true,
      };
    },
    json: ({ name, roles }) => ({ name, roles }),
    print: ({ name }) => `The roles of ${name} were changed, with immediate effect.\n`,
  },
});

const resetFactor = operation({
  name: 'users.reset_second_factor',
  method: 'DELETE',
  path: `${path}/second-factor`,
  access: 'owner',
  summary: 'Turn off the second factor of a user who has lost it',
  description: 'After that, the password alone is enough to sign in. You cannot do this for yourself.',
  answers: { 204: { says: 'It is off' } },
  refusals: ['not_found'],
  async run({ store, entries }, { params: { userId = '' }, actor }) {
    if (actor?.kind === 'user' && actor.id === userId) {
      throw new ApiError('forbidden', 'Turn off your own second factor with your password and a code.');
    }
    // An operator with access to the machine may do it for the administrator, too.
    const id = actor?.kind === 'command' && userId === administrator ? null : userId;
    const user = (await listUsers(store)).find((one) => one.id === id);
    const noted = entries({
      action: 'factor.reset',
      subject: id === null ? administrator : (user?.name ?? userId),
    });
    if (await store.callAudited('factors', 'removeFactor', [id, null], noted)) return;
    throw new ApiError('not_found', 'There is no such user with a second factor: it may be off already.');
  },
  command: {
    name: 'user reset-factor',
    operands: ['name'],
    usage: '(<name> | administrator)',
    read: (typed) => (isAdministrator(typed) ? {} : checkName(typed)),
    async find(store, typed) {
      const { id, name } = isAdministrator(typed)
        ? { id: null, name: administrator }
        : await findByName(store, typed);
      if ((await store.factors.findFactor(id)) !== null) return { params: { userId: id ?? administrator } };
      throw new CommandError(`The second factor of ${name} is off already.`);
    },
    json: (_, typed) => ({ name: nameIn(typed), reset: true }),
    print: (_, typed) =>
      `The second factor of ${nameIn(typed)} was turned off: the password is enough to sign in.\n`,
  },
});

const isAdministrator = ({ operands: { name } }: Pick<Typed<never>, 'operands'>) =>
  name?.toLowerCase() === administrator;
const nameIn = (typed: Pick<Typed<never>, 'operands'>) =>
  isAdministrator(typed) ? administrator : readName(typed);

const remove = operation({
  name: 'users.remove',
  method: 'DELETE',
  path,
  access: 'owner',
  summary: 'Remove a user, who is signed out at once',
  answers: { 204: { says: 'They are gone' } },
  refusals: ['not_found'],
  refreshes: 'sessions',
  async run({ store, entries }, { params: { userId } }) {
    const { id, name } = await readUser(store, userId);
    const noted = entries({ action: 'user.removed', subject: name });
    if (!(await store.callAudited('users', 'removeUser', [id], noted))) throw noUser();
  },
  command: {
    name: 'user remove',
    ...byName,
    json: (_, typed) => ({ name: readName(typed), removed: true }),
    print: (_, typed) => `User ${readName(typed)} was removed and is signed out.\n`,
  },
});

const link = operation({
  name: 'users.link',
  method: 'POST',
  effect: 'changes',
  path: `${path}/link`,
  access: 'owner',
  summary: 'Make a link that sets the password of a user anew',
  description: 'An earlier link stops working. The current password works until the link is used.',
  answers: {
    201: { says: 'The user, with the link', json: linkedUserReply },
  },
  refusals: ['not_found'],
  refreshes: 'sessions',
  async run({ store, now, entries }, { params: { userId }, baseUrl }) {
    const { id, name } = await readUser(store, userId);
    const { url, stored } = makeLink(name, baseUrl, now());
    const noted = entries({ action: 'user.linked', subject: name });
    if (!(await store.callAudited('users', 'offerLink', [id, stored], noted))) throw noUser();
    return { ...(await readUser(store, id)), link: url };
  },
  command: {
    name: 'user link',
    ...byName,
    json: linked.json,
    print: linked.print(() => 'The current password, if any, works until the link is used.'),
  },
});

/** People who share the installation. */
export const userOperations = [list, add, change, resetFactor, remove, link];

export const userCommand = commandOf(
  {
    name: 'user',
    about: `Users sign in to the dashboard with their own name and password; the administrator has none to share.
"add" and "link" print a link to set the password, which works once and expires in 7 days. A viewer reads
reports, an editor also changes settings and starts jobs, an owner may do everything with the project,
and an owner of all projects may do everything. A running server applies changes within a second.
"reset-factor" turns off the second factor of a user who has lost it; then the password is enough.
`,
  },
  userOperations,
);
