import type { KeyReply } from '../../shared/accounts/admin.ts';
import { keysReply, type NewKey, newKeyBody, newKeyReply } from '../../shared/accounts/admin.ts';
import { keyScopes } from '../../shared/accounts/key-scope.ts';
import { notPlain } from '../../shared/name.ts';
import { isPlain } from '../../shared/plain-text.ts';
import { type Change, keyAdded } from '../audit/audit-list.ts';
import { UsageError } from '../commands/terminal/command.ts';
import { readList } from '../commands/terminal/options.ts';
import { table } from '../commands/terminal/table.ts';
import { ApiError, invalid } from '../errors.ts';
import { liesWithin } from '../net/address.ts';
import { program } from '../process/program.ts';
import { makeKey } from '../projects/key.ts';
import type { Actor } from '../store/admin/audit.ts';
import { endingWith, type Key, type ListedProject, type StoredKey } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { commandOf } from './command.ts';
import { maxBodyBytes, operation, projectPath } from './operation.ts';

/** Keys of a project, and those for all projects where these may be seen; null: all there are. */
interface Scope {
  project: ListedProject | null;
  /** With which it is asked for. */
  key: Key | null;
}

type Limits = Pick<Key, 'expiresAt' | 'networks'>;

const noLimits: Limits = { expiresAt: null, networks: [] };

async function keysOf({ directory }: Store, { project, key }: Scope): Promise<StoredKey[]> {
  const seesAll = key === null || key.projectId === null;
  return (await directory()).keys.filter(
    ({ projectId }) => project === null || (projectId === null ? seesAll : projectId === project.id),
  );
}

/** Limits that are left out are those of the key that makes it. @throws ApiError `invalid`, `forbidden` */
function limitsOf(given: Partial<Pick<NewKey, keyof Limits>>, maker: Limits, now: number): Limits {
  const { networks = maker.networks } = given;
  const expiresAt = given.expiresAt === undefined ? maker.expiresAt : readTime(given.expiresAt);
  if (expiresAt !== null && Date.parse(expiresAt) <= now) {
    throw invalid('The key is not valid', 'expiresAt', 'must lie in the future');
  }
  if (maker.expiresAt !== null && (expiresAt === null || expiresAt > maker.expiresAt)) {
    throw new ApiError(
      'forbidden',
      `The key that makes this one expires at ${maker.expiresAt}: give an "expiresAt" that is no later, or leave it out.`,
    );
  }
  const isWithin = networks.length > 0 && networks.every((range) => liesWithin(range, maker.networks));
  if (maker.networks.length > 0 && !isWithin) {
    throw new ApiError(
      'forbidden',
      `The key that makes this one may be used from ${maker.networks.join(', ')} only: give "networks" that lie within, or leave them out.`,
    );
  }
  return { expiresAt, networks };
}

const readTime = (text: string | null) => (text === null ? null : new Date(text).toISOString());

function toReply(key: Key, lastUsedOn: string | undefined): KeyReply {
  const { id, name, scope, projectId, createdAt, expiresAt, networks, maker } = key;
  const limits = { allProjects: projectId === null, createdAt, expiresAt, networks };
  return { id, name, scope, ...limits, madeBy: maker, lastUsedOn: lastUsedOn ?? null };
}

const path = '/v1/projects/:projectId/keys';
const inDashboard = { path: `${projectPath}/keys`, access: 'session_project', role: 'owner' } as const;
const project = { type: 'string', value: 'project', says: 'the one project that the key is for' } as const;

const list = operation({
  name: 'keys.list',
  method: 'GET',
  path,
  access: 'project_key',
  also: [{ name: 'admin.keys.list', ...inDashboard }],
  summary: 'List the keys of a project',
  description: 'With a key for all projects, the list also has the keys for all projects.',
  answers: { 200: { says: 'Its keys', json: keysReply } },
  async run({ store, keyUses }, asked) {
    const keys = await keysOf(store, asked);
    const uses = await keyUses.list();
    return keys.map((key) => ({ key, lastUsedOn: uses[key.id] }));
  },
  reply: (keys) => ({ keys: keys.map(({ key, lastUsedOn }) => toReply(key, lastUsedOn)) }),
  command: {
    name: 'key list',
    operands: [],
    options: { project },
    read: () => ({ projectId: null }),
    json: (keys, { values }) =>
      ofProject(keys, values.project).map(({ key: { id, name, scope, projectId, ...key }, lastUsedOn }) => ({
        ...{ keyId: id, name, scope, projectId, createdAt: key.createdAt, expiresAt: key.expiresAt },
        ...{ networks: key.networks, madeBy: key.maker, lastUsedOn: lastUsedOn ?? null },
      })),
    print(keys, { values, now }) {
      const rows = ofProject(keys, values.project).map(({ key, lastUsedOn }) => [
        ...[key.id, key.scope, key.projectId ?? 'all', key.createdAt.slice(0, 10)],
        ...[endOf(key, now), key.networks.join(',') || 'any', key.maker ? nameOf(key.maker) : '?'],
        ...[lastUsedOn ?? 'never', key.name],
      ]);
      if (rows.length === 0) return `There is no key: add one with "${program} key add".\n`;
      const head = [
        'KEY',
        'SCOPE',
        'PROJECT',
        'CREATED',
        'EXPIRES',
        'NETWORKS',
        'MADE BY',
        'LAST USED',
        'NAME',
      ];
      return table(head, rows);
    },
  },
});

const ofProject = <K extends { key: Key }>(keys: readonly K[], projectId: string | undefined) =>
  keys.filter(({ key }) => projectId === undefined || key.projectId === projectId);

function endOf({ expiresAt }: Key, now: number): string {
  if (expiresAt === null) return 'never';
  return Date.parse(expiresAt) > now ? expiresAt.slice(0, 16).replace('T', ' ') : 'expired';
}

/** By their names; a key by its id, as names of keys are not unique. */
const nameOf = ({ kind, id, name }: Actor) => (kind === 'key' ? id : name) ?? kind;

const add = operation({
  name: 'keys.add',
  method: 'POST',
  path,
  access: 'project_key',
  also: [{ name: 'admin.keys.add', ...inDashboard }],
  body: { schema: newKeyBody, maxBytes: maxBodyBytes, subject: 'The key' },
  summary: 'Make a key for a project',
  description:
    'It may do no more than the key that makes it, from no other networks and no longer; it ends with it.',
  answers: {
    201: { says: 'The new key, shown this once', json: newKeyReply },
  },
  refreshes: 'registry',
  async run({ store, now, entries }, { project, key, actor, body: { name, scope, ...given } }) {
    const limits = limitsOf(given, key ?? noLimits, now());
    const ofAll = project as ListedProject | null;
    const made = makeKey(scope, ofAll?.id ?? null, name, now(), { ...limits, maker: actor });
    const isAdded = await store.callAudited(
      'projects',
      'addKey',
      [made.stored],
      entries(keyAdded(made.stored)),
    );
    if (!isAdded) throw new ApiError('forbidden', 'The key that makes this one was just revoked.');
    return made;
  },
  reply: ({ secret, stored }) => ({ ...toReply(stored, undefined), secret }),
  command: {
    name: 'key add',
    operands: [],
    isFirst: true,
    options: {
      project: { ...project, needed: 'all-projects' },
      'all-projects': {
        type: 'boolean',
        says: 'a key for all projects of this installation, later ones included',
      },
      scope: {
        type: 'string',
        default: 'admin',
        value: 'scope',
        says: 'read, jobs, ingest or admin (admin)',
      },
      name: { type: 'string', default: '', value: 'name', says: 'a name by which you recognise the key' },
      expires: {
        type: 'string',
        value: 'when',
        says: 'when it ends: 90d, 12h, 2027-03-31 (UTC) or 2027-03-31T12:00:00Z (never)',
      },
      network: {
        type: 'string',
        multiple: true,
        value: 'network',
        says: 'an address or range that it may be used from, such as 10.0.0.0/8; may be given\nseveral times, or once with commas (from anywhere)',
      },
    },
    read({ values: { project: projectId = null, name, expires, network, ...values }, now }) {
      if ((projectId === null) === !values['all-projects']) {
        throw new UsageError('Choose what the key covers: either --project <project> or --all-projects.');
      }
      const scope = keyScopes.find((one) => one === values.scope);
      if (!scope) throw new UsageError(`--scope must be read, jobs, admin or ingest, not "${values.scope}".`);
      if (!isPlain(name)) throw new UsageError(`--name ${notPlain}.`);
      const expiresAt = expires === undefined ? null : readEnd(expires, now);
      const body: NewKey = { name, scope, expiresAt, networks: readNetworks(network) };
      return { projectId, body, isRead: true };
    },
    json: ({ secret, stored: { id, scope, projectId, name, expiresAt, networks } }) => ({
      ...{ keyId: id, key: secret, scope, projectId, name, expiresAt, networks },
    }),
    print: ({ secret, stored: { id } }, { baseUrl }) => `Key ${id} was added. It is shown only this once:

  ${secret}

Programs send it to ${baseUrl} as "Authorization: Bearer <key>".
`,
  },
});

const hourMs = 60 * 60 * 1000;
const unitMs: Readonly<Record<string, number>> = { h: hourMs, d: 24 * hourMs };

/** `90d`, `12h`, a date (its first moment in UTC), or a time. @throws UsageError */
function readEnd(text: string, now: number): string {
  const [, number, unit = ''] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  const given = newKeyBody.shape.expiresAt.safeParse(time);
  const end =
    number !== undefined ? now + Number(number) * (unitMs[unit] ?? 0) : Date.parse(given.data ?? '');
  if (Number.isNaN(end)) {
    throw new UsageError(
      `--expires must be like 90d, 12h, 2027-03-31 or 2027-03-31T12:00:00Z, not "${text}".`,
    );
  }
  if (end <= now) throw new UsageError(`--expires must lie in the future, not "${text}".`);
  return new Date(end).toISOString();
}

/** @throws UsageError */
function readNetworks(given: string[] | undefined): string[] {
  const networks = readList(given) ?? [];
  const { success, error } = newKeyBody.shape.networks.safeParse(networks);
  if (!success) throw new UsageError(`--network ${error.issues[0]?.message}.`);
  return networks;
}

const revoke = operation({
  name: 'keys.revoke',
  method: 'DELETE',
  path: `${path}/:keyId`,
  access: 'project_key',
  also: [{ name: 'admin.keys.revoke', ...inDashboard, path: `${inDashboard.path}/:keyId` }],
  summary: 'Revoke a key, and the keys that it made',
  answers: { 204: { says: 'The key no longer works' } },
  refreshes: 'registry',
  async run({ store, entries }, { params: { keyId = '' }, ...asked }) {
    const isThere = (await keysOf(store, asked)).some(({ id }) => id === keyId);
    const ending = endingWith((await store.directory()).keys, keyId);
    const noted = ending.map(({ projectId, name, maker }): Change => {
      const changes = maker?.kind === 'key' ? [`made by: ${maker.name}`] : [];
      return { action: 'key.revoked', projectId, subject: name, changes };
    });
    if (!isThere || !(await store.callAudited('projects', 'revokeKey', [keyId], entries(...noted)))) {
      throw new ApiError('not_found', 'The project has no such key: it may have been revoked.');
    }
    return { keyId, revoked: true, made: ending.map(({ id }) => id).filter((id) => id !== keyId) };
  },
  reply: () => undefined,
  command: {
    name: 'key revoke',
    operands: ['key id'],
    read({ operands: { 'key id': keyId = '' } }) {
      if (!keyId.startsWith('hc_')) return { params: { keyId } };
      throw new UsageError(`Give the id of the key (key_…, see "${program} key list"), not the key itself.`);
    },
    print({ keyId, made }) {
      const keys = made.length === 1 ? 'was the key' : 'were the keys';
      const also = made.length === 0 ? '' : `, and so ${keys} that it made: ${made.join(', ')}`;
      return `Key ${keyId} was revoked${also}.\n`;
    },
  },
});

export const keyOperations = [list, add, revoke];

export const keyCommand = commandOf(
  {
    name: 'key',
    about: `A read key may read reports and jobs, a jobs key may also start, stop and revert jobs and send them
messages, an ingest key may only send hits, and an admin key may do everything with its project. A key is
shown once, when it is made. Revoking a key also revokes the keys that were made with it. A running server
takes up new and revoked keys within a second.
`,
  },
  keyOperations,
);
