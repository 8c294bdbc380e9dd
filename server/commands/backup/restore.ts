import { type Restored, restore } from '../../backup/restoring.ts';
import { fromDay } from '../../counting/calendar.ts';
import { isLeftOut, isPlainSalt, SaltCipher } from '../../counting/visitor/salt.ts';
import { findSecretKey } from '../../projects/key-file.ts';
import { findLock, Secrets } from '../../projects/secrets.ts';
import type { Command, Terminal } from '../terminal/command.ts';
import { withInput } from '../terminal/input.ts';
import { listMissing } from '../terminal/missing.ts';
import { readOptions } from '../terminal/options.ts';
import { readUnlock } from './backup-keys.ts';

const options = {
  replace: { type: 'boolean' },
  passphrase: { type: 'boolean' },
  'passphrase-file': { type: 'string' },
  'identity-file': { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Which parts of a restored database work with the current key. */
interface KeyReport {
  /** Days that were open, by whether their visitors are recognised. */
  openDays: { known: string[]; leftOut: string[]; foreign: string[] };
  /** Projects of which a token cannot be decrypted. */
  lockedProjects: string[];
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, options, ['file or -']);
  const files = await terminal.openFiles();
  try {
    const restored = await withInput(String(positionals[0]), terminal, (input) =>
      restore({
        files,
        input,
        mayReplace: values.replace ?? false,
        unlock: (by) => readUnlock(by, values, terminal),
      }),
    );
    const keys = await compareKeys(restored, terminal);
    const { kept, version, jobs, missing } = restored;
    const projects = restored.projects.map(({ id, name, newestDay }) => ({
      id,
      name,
      newestDay: dateOf(newestDay),
    }));
    terminal.print(
      values.json
        ? `${JSON.stringify({ projects, jobs, version, kept, ...keys, ...(missing.length > 0 && { missing }) })}\n`
        : describe(restored, keys, terminal),
    );
  } finally {
    await files.close();
  }
}

async function compareKeys({ salts, secrets }: Restored, { config }: Terminal): Promise<KeyReport> {
  const key = findSecretKey(config);
  const cipher = key && new SaltCipher(key);
  const openDays: KeyReport['openDays'] = { known: [], leftOut: [], foreign: [] };
  for (const kept of salts) {
    const isKnown = isPlainSalt(kept.salt) || cipher?.decrypt(kept, kept.salt) !== undefined;
    const days = openDays[isLeftOut(kept.salt) ? 'leftOut' : isKnown ? 'known' : 'foreign'];
    const date = String(fromDay(kept.day));
    if (!days.includes(date)) days.push(date);
  }
  const lockedProjects: string[] = [];
  for (const [projectId, own] of Map.groupBy(secrets, (secret) => secret.projectId)) {
    const encrypted = Object.fromEntries(own.map((secret) => [secret.name, secret.sealed]));
    const secrets = new Secrets({ store: { readSecrets: async () => encrypted }, ...config });
    if (await findLock(secrets, projectId)) lockedProjects.push(projectId);
  }
  return { openDays, lockedProjects };
}

function describe(restored: Restored, { openDays, lockedProjects }: KeyReport, { config }: Terminal): string {
  const { projects, jobs, kept, missing } = restored;
  const newest = Math.max(...projects.map(({ newestDay }) => newestDay ?? Number.NEGATIVE_INFINITY));
  const upTo = Number.isFinite(newest) ? `counts up to ${fromDay(newest)}` : 'no counts';
  const lines = [
    `Restored: ${counted(projects.length, 'project')}, ${upTo}, ${counted(jobs, 'job')}. Counts made after the backup are lost.`,
  ];
  if (kept !== null) lines.push(`The previous database is kept for two days: ${kept}.`);
  if (openDays.known.length > 0) {
    lines.push(
      `Visitors of active days are recognised (${openDays.known.join(', ')}): nobody is counted twice.`,
    );
  }
  if (openDays.leftOut.length > 0) {
    lines.push(
      `The backup holds no visitors of active days (${openDays.leftOut.join(', ')}): visitors counted on them before the backup may be counted twice.`,
    );
  }
  if (missing.length > 0) {
    lines.push(
      `The backup is incomplete, as it was made of a damaged database. It lacks:\n${listMissing(missing)}`,
    );
  }
  const keyless = findSecretKey(config)
    ? 'The current key is not the key of the backup'
    : 'The key of the backup is missing';
  if (openDays.foreign.length > 0) {
    lines.push(
      `${keyless}, so visitors of active days (${openDays.foreign.join(', ')}) are not recognised and may be counted twice. ${keyRemedy(config)}`,
    );
  }
  if (lockedProjects.length > 0) {
    lines.push(
      `${keyless}, so tokens of these projects cannot be decrypted: ${lockedProjects.join(', ')}. ${keyRemedy(config)} Otherwise set them anew with "project set".`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function keyRemedy({ dataDir }: Terminal['config']): string {
  return `Before the server starts, put the old secret.key into ${dataDir}, or set HEADCOUNT_SECRET_KEY.`;
}

function dateOf(day: number | null): string | null {
  return day === null ? null : String(fromDay(day));
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export const restoreCommand: Command = {
  help: `Usage: headcount restore <file or -> [options]

Restores a backup into the data folder: a file of "headcount backup", encrypted or not, or any complete copy of the
database. It is read to the end and checked before anything is changed. The server has to be stopped.

  --replace              replace the current database, which is kept in the same folder for two days
  --passphrase           ask for the passphrase, also where HEADCOUNT_BACKUP_PASSPHRASE is set
  --passphrase-file <f>  the passphrase is the first line of this file
  --identity-file <f>    the identity (AGE-SECRET-KEY-1…) of a recipient that the backup was encrypted to
  --json                 print the result as JSON, for programs

A backup does not include the server's key. With the key that the server had (secret.key in its data folder, or
HEADCOUNT_SECRET_KEY) the tokens of projects still work, and visitors in the backup are recognised. Without it everything
else works: counts, settings, API keys, sign-in and jobs.
`,
  run,
};
