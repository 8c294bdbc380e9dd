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
    ? 'It holds the visitors of the active days. Anyone with the backup and the key of the server can find their addresses by trying: keep the two apart, and delete the backup when you no longer need it.'
    : 'It holds no visitors: after a restore, visitors of active days may be counted twice.';
  return `${done}${lock ? ` ${describeLock(lock)}` : ''}
${visitors}
It does not hold the key that encrypts tokens of projects: keep a copy of secret.key, or of HEADCOUNT_SECRET_KEY, elsewhere.
`;
}

function describeLock(lock: Lock): string {
  return 'passphrase' in lock
    ? 'It was encrypted, and decrypted once as a check.'
    : 'It is encrypted, and can be decrypted with the identity.';
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export const backupCommand: Command = {
  help: `Usage: headcount backup <file or -> [options]

Copies the current database to a file, or to standard output, also while the server runs. The file is written
completely or not at all, is readable by its owner only, and is checked before it gets its name. Without encryption it
is a SQLite database.

It holds projects, keys (as SHA-256), counts, settings, jobs, and tokens in encrypted form. It holds no sessions, and
nothing by which visitors can be recognised: no salts and visitors of the active days.

  --with-visitors        include salts and visitors, so that a restore on the same day counts nobody twice. Anyone with
                         such a backup and the key of the server can find the visitors' addresses by trying
  --passphrase           encrypt it, and ask for the passphrase unless HEADCOUNT_BACKUP_PASSPHRASE is set
  --passphrase-file <f>  the same with the first line of a file
  --recipient <age1…>    encrypt it to a recipient of age (https://age-encryption.org); may be given several times
  --recipients-file <f>  the same with a file that has one in each line
  --overwrite            replace a file that is there
  --json                 print the result as JSON, for programs
`,
  run,
};
