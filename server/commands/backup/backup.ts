import { resolve } from 'node:path';
import { type Lock, requireRecipients } from '../../backup/encryption.ts';
import { backUpToFile, backUpToStream } from '../../backup/making.ts';
import { type Command, type Terminal, UsageError } from '../terminal/command.ts';
import { requireWhole } from '../terminal/missing.ts';
import { readOptions } from '../terminal/options.ts';
import { readLock } from './backup-keys.ts';

const options = {
  'with-visitors': { type: 'boolean' },
  passphrase: { type: 'boolean' },
  'passphrase-file': { type: 'string' },
  recipient: { type: 'string', multiple: true },
  'recipients-file': { type: 'string' },
  overwrite: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const toOutput = '-';

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, options, ['file or -']);
  const target = String(positionals[0]);
  if (target === toOutput && values.json)
    throw new UsageError('The backup goes to standard output: leave --json out.');
  const withVisitors = values['with-visitors'] ?? false;
  const lock = await readLock(values, terminal);
  if (lock) await requireRecipients(lock);
  const files = await terminal.openFiles();
  try {
    const making = { files, withVisitors, lock };
    if (target === toOutput) {
      const missing = await backUpToStream(terminal.output, making);
      terminal.note(describe('The backup was written.', withVisitors, lock));
      return requireWhole('backup', missing);
    }
    const file = resolve(target);
    const { bytes, missing } = await backUpToFile(file, values.overwrite ?? false, making);
    terminal.print(
      values.json
        ? `${JSON.stringify({ file, bytes, withVisitors, encrypted: lock !== null, ...(missing.length > 0 && { missing }) })}\n`
        : describe(`The backup is in ${file} (${size(bytes)}).`, withVisitors, lock),
    );
    requireWhole('backup', missing);
  } finally {
    await files.close();
  }
}

function describe(done: string, withVisitors: boolean, lock: Lock | null): string {
  const visitors = withVisitors
    ? 'It holds the visitors of the days that are still open. Whoever has it and the key of the server can find out by trying which addresses they came from: keep the two apart, and delete the backup when you no longer need it.'
    : 'It holds no visitors: after a restore, whoever was counted on a day that is still open may be counted once more on it.';
  return `${done}${lock ? ` ${describeLock(lock)}` : ''}
${visitors}
The key that encrypts tokens of projects is no part of it: keep a copy of secret.key, or of HEADCOUNT_SECRET_KEY, in another place.
`;
}

function describeLock(lock: Lock): string {
  return 'passphrase' in lock
    ? 'It was encrypted, and decrypted again to see that it can be.'
    : 'It is encrypted, and whoever has the identity can read it.';
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export const backupCommand: Command = {
  help: `Usage: headcount backup <file or -> [options]

Copies the database as it is at this moment to a file, or to standard output, also while the server runs. The file is
there whole or not at all, for its owner alone, and is looked at before it gets its name. Without encryption it is a
database of SQLite.

It holds projects, keys (as SHA-256), counts, settings, jobs, and tokens as they are encrypted. Left out are sessions,
and what could tell who was counted: salts and visitors of the days that are still open.

  --with-visitors        take salts and visitors too, so that a restore on the same day counts nobody twice. Whoever
                         has such a backup and the key of the server can find out by trying whose visits those were
  --passphrase           encrypt it, and ask for the passphrase; HEADCOUNT_BACKUP_PASSPHRASE does without asking
  --passphrase-file <f>  the same with the first line of a file
  --recipient <age1…>    encrypt it to a recipient of age (https://age-encryption.org); may be given several times
  --recipients-file <f>  the same with a file that has one in each line
  --overwrite            replace a file that is there
  --json                 print the result as JSON, for programs
`,
  run,
};
