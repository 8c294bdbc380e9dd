import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { readTrouble, writeTrouble } from '../files/file-trouble.ts';
import { readSecretFile } from '../files/private-file.ts';
import { clients } from '../identity/catalogue.ts';
import { checkDocument, parseDocument } from '../identity/loaded/catalogue-document.ts';
import { CatalogueError } from '../identity/loaded/catalogue-error.ts';
import { makeKeyPair, maxBytes, signText } from '../identity/loaded/signed-text.ts';
import { ruleVersions, shippedVersions } from '../identity/rule-versions.ts';
import { program } from '../process/program.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { takeUpCatalogue } from './terminal/loaded-catalogue.ts';
import { readOptions } from './terminal/options.ts';
import { takeUpLoaded, withStore } from './terminal/with-store.ts';

/** What is in use, in words or as a document to go on from. */
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
  if (values.out === undefined) throw new UsageError('Say where the private key is to lie: --out <file>.');
  const { privateKey, publicKey } = makeKeyPair();
  writeNew(values.out, privateKey);
  terminal.print(
    `The private key is in ${values.out}: keep it to yourself. Servers that are to believe it need\n\n  HEADCOUNT_CATALOGUE_KEY=${publicKey}\n`,
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
  terminal.print(`${out} is signed. "${program} catalogue load ${out}" takes it up.\n`);
}

async function load(args: string[], terminal: Terminal): Promise<void> {
  const { positionals } = readOptions(args, {}, ['file']);
  const signed = readText(String(positionals[0]));
  if (terminal.config.clients.catalogueKeys.length === 0) {
    throw new CommandError(
      `No signer is trusted yet: set HEADCOUNT_CATALOGUE_KEY, for this command and for the server, to the public key of whoever signed the catalogue.`,
    );
  }
  const { versions, clients: loaded } = await withStore(terminal, async (store) => {
    const catalogue = await takeUpCatalogue(terminal, store.catalogue);
    return catalogue.load(signed).catch((error: unknown) => refuse('The catalogue was not taken up', error));
  });
  const newest = versions.at(-1);
  terminal.print(
    `The catalogue is version ${newest?.version} of ${newest?.date} now, with ${loaded.length} AI clients. A running server takes it up within seconds.\n`,
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

/** Nothing is written over, and nobody else reads it. */
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

The catalogue says which AI clients there are. One comes with each version of Headcount; a newer one can be loaded
if it is signed with a key that HEADCOUNT_CATALOGUE_KEY names. Servers take it up while they run.

  show             which one is in use; with --json all of it, to go on from
  load             check a signed catalogue and take it up
  key              make a key to sign catalogues with, and print its public half
  sign             check a catalogue and sign it

  --json           print the catalogue that is in use
  --key <file>     the private key
  --out <file>     a new file to write

What is refused changes nothing. Only a newer version than that in use is taken up, and none that changes by what a
client is proved unless it says so ("proofsChanged"). It works beside a running server.
`,
  run: (args, terminal) => runAction('catalogue', { show, load, key, sign }, args, terminal),
};
