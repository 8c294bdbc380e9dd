import { readFileSync } from 'node:fs';
import type { Lock, Unlock } from '../../backup/encryption.ts';
import { readTrouble } from '../../files/file-trouble.ts';
import { readSecretFile } from '../../files/private-file.ts';
import { CommandError, type Terminal, UsageError } from '../terminal/command.ts';

interface PassphraseValues {
  passphrase?: boolean | undefined;
  'passphrase-file'?: string | undefined;
}

interface LockValues extends PassphraseValues {
  recipient?: string[] | undefined;
  'recipients-file'?: string | undefined;
}

interface UnlockValues extends PassphraseValues {
  'identity-file'?: string | undefined;
}

/** The recipients or the passphrase; null: the backup is not encrypted. @throws UsageError, CommandError */
export async function readLock(values: LockValues, terminal: Terminal): Promise<Lock | null> {
  const file = values['recipients-file'];
  const isPassphrase = values.passphrase === true || values['passphrase-file'] !== undefined;
  if (values.recipient !== undefined || file !== undefined) {
    if (isPassphrase)
      throw new UsageError('A backup is encrypted to a passphrase or to recipients, not to both.');
    const recipients = [...(values.recipient ?? []), ...(file === undefined ? [] : linesOf(readText(file)))];
    if (recipients.length === 0) throw new CommandError(`There is no recipient in ${file}.`);
    return { recipients };
  }
  const passphrase =
    knownPassphrase(values, terminal) ?? (values.passphrase ? await choose(terminal) : undefined);
  return passphrase === undefined ? null : { passphrase };
}

/** What opens an encrypted backup. @throws UsageError, CommandError */
export async function readUnlock(
  by: 'passphrase' | 'identity',
  values: UnlockValues,
  terminal: Terminal,
): Promise<Unlock> {
  if (by === 'passphrase') {
    return {
      passphrase:
        knownPassphrase(values, terminal) ?? (await terminal.askSecret('Passphrase of the backup: ')),
    };
  }
  const file = values['identity-file'];
  if (file !== undefined) return { identities: linesOf(readSecret(file, terminal)) };
  throw new UsageError(
    'The backup is encrypted to a recipient of age: name the file of the identity (AGE-SECRET-KEY-1…) with --identity-file.',
  );
}

/** From a file, or else the environment. */
function knownPassphrase(values: PassphraseValues, terminal: Terminal): string | undefined {
  const file = values['passphrase-file'];
  if (file === undefined) return values.passphrase ? undefined : passphraseOf(terminal.config);
  const [first] = readSecret(file, terminal).split(/\r?\n/);
  if (first) return first;
  throw new CommandError(`The passphrase is the first line of ${file}, which is empty.`);
}

/** @throws UsageError for an empty one: the backup would not be encrypted */
function passphraseOf({ backupPassphrase }: Terminal['config']): string | undefined {
  if (backupPassphrase !== '') return backupPassphrase ?? undefined;
  throw new UsageError('HEADCOUNT_BACKUP_PASSPHRASE is empty: set a passphrase, or unset it.');
}

async function choose({ askSecret }: Terminal): Promise<string> {
  const passphrase = await askSecret('Passphrase for the backup: ');
  if (passphrase === '') throw new CommandError('A passphrase cannot be empty.');
  if ((await askSecret('The same once more: ')) !== passphrase)
    throw new CommandError('The two passphrases differ.');
  return passphrase;
}

/** As `age-keygen` writes them: with comments. */
function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function readSecret(file: string, { log }: Terminal): string {
  return readText(file, (path) => readSecretFile(path, log));
}

function readText(file: string, read = (path: string) => readFileSync(path, 'utf8')): string {
  try {
    return read(file);
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read: ${readTrouble(cause as Error)}.`, { cause });
  }
}
