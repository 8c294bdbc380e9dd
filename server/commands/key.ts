import { notPlain } from '../../shared/name.ts';
import { isPlain } from '../../shared/plain-text.ts';
import { program } from '../process/program.ts';
import { makeKey } from '../projects/key.ts';
import type { KeyScope } from '../store/project-store.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { findServerUrl } from './terminal/running-server.ts';
import { table } from './terminal/table.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withNewStore, withStore } from './terminal/with-store.ts';

function readScope(text: string): KeyScope {
  if (text === 'admin' || text === 'ingest') return text;
  throw new UsageError(`--scope must be admin or ingest, not "${text}".`);
}

async function add(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, {
    project: { type: 'string' },
    'all-projects': { type: 'boolean' },
    scope: { type: 'string', default: 'admin' },
    name: { type: 'string', default: '' },
    json: { type: 'boolean' },
  });
  const projectId = values.project ?? null;
  if ((projectId === null) === !values['all-projects']) {
    throw new UsageError('Choose what the key covers: either --project <project> or --all-projects.');
  }
  const scope = readScope(values.scope);
  if (!isPlain(values.name)) throw new UsageError(`--name ${notPlain}.`);
  const { secret, stored } = makeKey(scope, projectId, values.name, terminal.now());
  const open = projectId === null ? withNewStore : withStore;
  await open(terminal, async (store) => {
    const { projects } = await store.directory();
    if (projectId !== null && !projects.some(({ id }) => id === projectId)) throw unknownProject(projectId);
    await store.addKey(stored);
  });
  const { id: keyId, name } = stored;
  if (values.json) terminal.print(`${JSON.stringify({ keyId, key: secret, scope, projectId, name })}\n`);
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
  const { keys } = await withStore(terminal, (store) => store.directory());
  const listed = keys
    .filter(({ projectId }) => values.project === undefined || projectId === values.project)
    .map(({ id, name, scope, projectId, createdAt }) => ({ keyId: id, name, scope, projectId, createdAt }));
  if (values.json) terminal.print(`${JSON.stringify(listed)}\n`);
  else if (listed.length === 0) terminal.print(`There is no key: add one with "${program} key add".\n`);
  else {
    terminal.print(
      table(
        ['KEY', 'SCOPE', 'PROJECT', 'CREATED', 'NAME'],
        listed.map((key) => [
          key.keyId,
          key.scope,
          key.projectId ?? 'all',
          key.createdAt.slice(0, 10),
          key.name,
        ]),
      ),
    );
  }
}

async function revoke(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['key id']);
  const keyId = String(positionals[0]);
  if (keyId.startsWith('hc_')) {
    throw new UsageError(`Give the id of the key (key_…, see "${program} key list"), not the key itself.`);
  }
  const revoked = await withStore(terminal, (store) => store.revokeKey(keyId));
  if (!revoked)
    throw new CommandError(`There is no key ${keyId}: "${program} key list" shows those there are.`);
  terminal.print(values.json ? `${JSON.stringify({ keyId, revoked })}\n` : `Key ${keyId} was revoked.\n`);
}

const actions = { add, list, revoke };

export const keyCommand: Command = {
  help: `Usage: headcount key add (--project <project> | --all-projects) [--scope <scope>] [--name <name>] [--json]
       headcount key list [--project <project>] [--json]
       headcount key revoke <key id> [--json]

An admin key may do everything with its project, an ingest key may only send hits. A key is shown
once, when it is made. A running server takes up new and revoked keys within a second.

  --project <project>    the one project that the key is for
  --all-projects         a key for all projects of this installation, later ones included
  --scope <scope>        admin or ingest (admin)
  --name <name>          a name by which you recognise the key
  --json                 print the result as JSON, for programs
`,
  run: (args, terminal) => runAction('key', actions, args, terminal),
};
