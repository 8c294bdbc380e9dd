import { newKeyBody } from '../../shared/accounts/admin.ts';
import { type KeyScope, keyScopes } from '../../shared/accounts/key-scope.ts';
import { notPlain } from '../../shared/name.ts';
import { isPlain } from '../../shared/plain-text.ts';
import { commandLine } from '../audit/audited-store.ts';
import { program } from '../process/program.ts';
import { makeKey } from '../projects/key.ts';
import type { Actor } from '../store/admin/audit.ts';
import { endingWith, type Key } from '../store/projects.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { readList, readOptions } from './terminal/options.ts';
import { findServerUrl } from './terminal/running-server.ts';
import { table } from './terminal/table.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withNewStore, withStore } from './terminal/with-store.ts';

/** @throws UsageError */
function readScope(text: string): KeyScope {
  const scope = keyScopes.find((one) => one === text);
  if (!scope) throw new UsageError(`--scope must be read, jobs, admin or ingest, not "${text}".`);
  return scope;
}

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

async function add(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, {
    project: { type: 'string' },
    'all-projects': { type: 'boolean' },
    scope: { type: 'string', default: 'admin' },
    name: { type: 'string', default: '' },
    expires: { type: 'string' },
    network: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  });
  const projectId = values.project ?? null;
  if ((projectId === null) === !values['all-projects']) {
    throw new UsageError('Choose what the key covers: either --project <project> or --all-projects.');
  }
  const scope = readScope(values.scope);
  if (!isPlain(values.name)) throw new UsageError(`--name ${notPlain}.`);
  const now = terminal.now();
  const expiresAt = values.expires === undefined ? null : readEnd(values.expires, now);
  const networks = readNetworks(values.network);
  const limits = { expiresAt, networks, maker: commandLine };
  const { secret, stored } = makeKey(scope, projectId, values.name, now, limits);
  const open = projectId === null ? withNewStore : withStore;
  await open(terminal, async (store) => {
    const { projects } = await store.directory();
    if (projectId !== null && !projects.some(({ id }) => id === projectId)) throw unknownProject(projectId);
    await store.addKey(stored);
  });
  const { id: keyId, name } = stored;
  if (values.json)
    terminal.print(
      `${JSON.stringify({ keyId, key: secret, scope, projectId, name, expiresAt, networks })}\n`,
    );
  else {
    const url = await findServerUrl(terminal);
    terminal.print(`Key ${keyId} was added. It is shown only this once:

  ${secret}

Programs send it to ${url} as "Authorization: Bearer <key>".
`);
  }
}

async function list(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, { project: { type: 'string' }, json: { type: 'boolean' } });
  const { keys, uses } = await withStore(terminal, async (store) => ({
    ...(await store.directory()),
    uses: await store.admin.keyUses(),
  }));
  const listed = keys
    .filter(({ projectId }) => values.project === undefined || projectId === values.project)
    .map((key) => toListed(key, uses[key.id]));
  if (values.json) terminal.print(`${JSON.stringify(listed)}\n`);
  else if (listed.length === 0) terminal.print(`There is no key: add one with "${program} key add".\n`);
  else {
    terminal.print(
      table(
        ['KEY', 'SCOPE', 'PROJECT', 'CREATED', 'EXPIRES', 'NETWORKS', 'MADE BY', 'LAST USED', 'NAME'],
        listed.map((key) => [
          key.keyId,
          key.scope,
          key.projectId ?? 'all',
          key.createdAt.slice(0, 10),
          endOf(key, terminal.now()),
          key.networks.join(',') || 'any',
          key.madeBy ? makerOf(key.madeBy) : '?',
          key.lastUsedOn ?? 'never',
          key.name,
        ]),
      ),
    );
  }
}

function toListed(key: Key, lastUsedOn: string | undefined) {
  const { id, name, scope, projectId, createdAt, expiresAt, networks, maker } = key;
  const limits = { expiresAt, networks, madeBy: maker, lastUsedOn: lastUsedOn ?? null };
  return { keyId: id, name, scope, projectId, createdAt, ...limits };
}

function endOf({ expiresAt }: Pick<Key, 'expiresAt'>, now: number): string {
  if (expiresAt === null) return 'never';
  return Date.parse(expiresAt) > now ? expiresAt.slice(0, 16).replace('T', ' ') : 'expired';
}

/** By what they are called; of a key, which may share its name with others, its id. */
function makerOf({ kind, id, name }: Actor): string {
  return (kind === 'key' ? id : name) ?? kind;
}

async function revoke(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['key id']);
  const keyId = String(positionals[0]);
  if (keyId.startsWith('hc_')) {
    throw new UsageError(`Give the id of the key (key_…, see "${program} key list"), not the key itself.`);
  }
  const { revoked, made } = await withStore(terminal, async (store) => {
    const made = endingWith((await store.directory()).keys, keyId).filter(({ id }) => id !== keyId);
    return { revoked: await store.revokeKey(keyId), made: made.map(({ id }) => id) };
  });
  if (!revoked)
    throw new CommandError(`There is no key ${keyId}: "${program} key list" shows those there are.`);
  if (values.json) terminal.print(`${JSON.stringify({ keyId, revoked, made })}\n`);
  else {
    const also =
      made.length === 0
        ? ''
        : `, and so ${made.length === 1 ? 'was the key' : 'were the keys'} that it made: ${made.join(', ')}`;
    terminal.print(`Key ${keyId} was revoked${also}.\n`);
  }
}

const actions = { add, list, revoke };

export const keyCommand: Command = {
  help: `Usage: headcount key add (--project <project> | --all-projects) [--scope <scope>] [--name <name>]
                         [--expires <when>] [--network <network>]... [--json]
       headcount key list [--project <project>] [--json]
       headcount key revoke <key id> [--json]

A read key may read reports and jobs, a jobs key may also start jobs and send them messages, an ingest
key may only send hits, and an admin key may do everything with its project. A key is shown once, when
it is made. Revoking a key also revokes the keys that were made with it. A running server takes up new
and revoked keys within a second.

  --project <project>    the one project that the key is for
  --all-projects         a key for all projects of this installation, later ones included
  --scope <scope>        read, jobs, ingest or admin (admin)
  --name <name>          a name by which you recognise the key
  --expires <when>       when it ends: 90d, 12h, 2027-03-31 (UTC) or 2027-03-31T12:00:00Z (never)
  --network <network>    an address or range that it may be used from, such as 10.0.0.0/8; may be given
                         several times, or once with commas (from anywhere)
  --json                 print the result as JSON, for programs
`,
  run: (args, terminal) => runAction('key', actions, args, terminal),
};
