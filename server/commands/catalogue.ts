import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { auditedCatalogues, commandLine } from '../audit/audit-list.ts';
import { readTrouble, writeTrouble } from '../files/file-trouble.ts';
import { readSecretFile } from '../files/private-file.ts';
import { clients } from '../identity/catalogue.ts';
import { checkDocument, parseDocument } from '../identity/loaded/catalogue-document.ts';
import { CatalogueError } from '../identity/loaded/catalogue-error.ts';
import { makeKeyPair, maxBytes, signText } from '../identity/loaded/signed-text.ts';
import { ruleVersions, shippedVersions } from '../identity/rule-versions.ts';
import { program } from '../process/program.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { takeUpCatalogue } from './terminal/loaded-catalogue.ts';
import { readOptions } from './terminal/options.ts';
import { takeUpLoaded, withStore } from './terminal/with-store.ts';
import { listUnlistedClients } from './unlisted-clients.ts';

/** The current catalogue, in words or as a document to edit. */
async function show(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, { json: { type: 'boolean' } });
  await takeUpLoaded(terminal);
  const versions = ruleVersions.map(({ version, date, says }) => ({ version, date, says }));
  if (values.json) {
    terminal.print(`${JSON.stringify({ versions, proofsChanged: [], clients }, null, 2)}\n`);
    return;
  }
  const newest = versions.at(-1);
  const origin = newest?.version === shippedVersions.at(-1)?.version ? 'came with Headcount' : 'was loaded';
  terminal.print(
    `Version ${newest?.version} of ${newest?.date}, with ${clients.length} AI clients; it ${origin}.\n${newest?.says}\n`,
  );
}

function key(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, { out: { type: 'string' } });
  if (values.out === undefined) throw new UsageError('Name the file for the private key: --out <file>.');
  const { privateKey, publicKey } = makeKeyPair();
  writeNew(values.out, privateKey);
  terminal.print(
    `The private key is in ${values.out}: keep it secret. Servers that trust it need\n\n  HEADCOUNT_CATALOGUE_KEY=${publicKey}\n`,
  );
  return Promise.resolve();
}

async function sign(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { key: { type: 'string' }, out: { type: 'string' } }, [
    'file',
  ]);
  const { key: keyFile, out } = values;
  if (keyFile === undefined || out === undefined)
    throw new UsageError('Name the private key and the file to write: --key <file> --out <file>.');
  const text = readText(String(positionals[0]));
  const signed = refusing('The catalogue was not signed', () => {
    checkDocument(parseDocument(text));
    return signText(
      text,
      readText(keyFile, (path) => readSecretFile(path, terminal.log)),
    );
  });
  writeNew(out, signed);
  terminal.print(`${out} is signed. Load it with "${program} catalogue load ${out}".\n`);
}

async function load(args: string[], terminal: Terminal): Promise<void> {
  const { positionals } = readOptions(args, {}, ['file']);
  const signed = readText(String(positionals[0]));
  if (terminal.config.clients.catalogueKeys.length === 0) {
    throw new CommandError(
      `No signer is trusted yet: set HEADCOUNT_CATALOGUE_KEY, for this command and for the server, to the public key of the signer.`,
    );
  }
  const { versions, clients: loaded } = await withStore(terminal, async (store) => {
    const catalogue = await takeUpCatalogue(terminal, auditedCatalogues(store, commandLine, terminal.now));
    return catalogue.load(signed).catch((error: unknown) => refuse('The catalogue was not loaded', error));
  });
  const newest = versions.at(-1);
  terminal.print(
    `The catalogue is version ${newest?.version} of ${newest?.date} now, with ${loaded.length} AI clients. A running server loads it within seconds.\n`,
  );
}

function refusing<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    return refuse(what, error);
  }
}

function refuse(what: string, error: unknown): never {
  throw error instanceof CatalogueError
    ? new CommandError(`${what}: ${error.message}`, { cause: error })
    : error;
}

function readText(path: string, read = (file: string) => readFileSync(file, 'utf8')): string {
  try {
    if (statSync(path).size > maxBytes) throw new CommandError(`${path} has more than ${maxBytes} bytes.`);
    return read(path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The file ${path} cannot be read: ${readTrouble(error as Error)}.`, {
      cause: error,
    });
  }
}

/** Overwrites no file, and only the owner can read it. */
function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be written: ${writeTrouble(path, error as Error)}.`, {
      cause: error,
    });
  }
}

export const catalogueCommand: Command = {
  help: `Usage: headcount catalogue show [--json]
       headcount catalogue load <file>
       headcount catalogue key --out <file>
       headcount catalogue sign <file> --key <file> --out <file>
       headcount catalogue unlisted [--json]

The catalogue says which AI clients there are. One comes with each version of Headcount; a newer one can be
loaded if it is signed with a key that HEADCOUNT_CATALOGUE_KEY names. Running servers load it without restart.

  show             print the current version; with --json the whole catalogue, to edit it
  load             check a signed catalogue and load it
  key              make a key to sign catalogues with, and print its public half
  sign             check a catalogue and sign it
  unlisted         list AI clients that came and that it lacks: name, operator and purpose if known, views,
                   visitors (each once a day and project), first and last day; no projects, paths, addresses
                   or user agents, so that you can pass the list on

  --json           print the current catalogue, or the list to contribute it
  --key <file>     the private key
  --out <file>     a new file to write

A rejected catalogue changes nothing. Only a version newer than the current one is loaded, and one that
changes how a client is proved only if it says so ("proofsChanged"). The command works while a server runs.
`,
  run: (args, terminal) =>
    runAction('catalogue', { show, load, key, sign, unlisted: listUnlistedClients }, args, terminal),
};

type Action = (args: string[], terminal: Terminal) => Promise<void>;

/** Runs the action that the first argument names. @throws UsageError */
function runAction(
  command: string,
  choices: Record<string, Action>,
  [name, ...rest]: string[],
  terminal: Terminal,
): Promise<void> {
  const action = name !== undefined && Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (action) return action(rest, terminal);
  const got = name === undefined ? '' : `, not "${name}"`;
  const names = Object.keys(choices);
  const wanted = names.length > 1 ? `one of ${names.join(', ')}` : `"${names}"`;
  throw new UsageError(`"${command}" must be followed by ${wanted}${got}.`);
}
