import type { Readable } from 'node:stream';
import { escapeLine } from '../../../shared/plain-text.ts';
import { commandLine } from '../../audit/audited-store.ts';
import { type Importing, importProject } from '../../backup/project-archive.ts';
import { SaltCipher } from '../../counting/visitor/salt.ts';
import { makeKey } from '../../projects/key.ts';
import { loadSecretKey } from '../../projects/key-file.ts';
import { importSettings, snippetOf } from '../../projects/rules.ts';
import type { AuditEntry } from '../../store/admin/audit.ts';
import type { Terminal } from '../terminal/command.ts';
import { withInput } from '../terminal/input.ts';
import { listMissing } from '../terminal/missing.ts';
import { readOptions } from '../terminal/options.ts';
import { findServerUrl } from '../terminal/running-server.ts';
import { withNewStore } from '../terminal/with-store.ts';
import { commandFor, type optionOf } from './setting-options.ts';

/** Takes in what "headcount export" wrote. */
export async function importExported(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, { json: { type: 'boolean' } }, ['file or -']);
  await withInput(String(positionals[0]), terminal, (input) =>
    withNewStore(terminal, async () => {
      const files = await terminal.openFiles();
      try {
        const taken = await take(input, files.archive, terminal);
        await tell(taken, terminal, values.json);
      } finally {
        await files.close();
      }
    }),
  );
}

interface LeftOut {
  setting: string;
  /** What sets it by hand. */
  command: string;
}

interface Taken {
  projectId: string;
  name: string;
  adminKey: string;
  ingestKey: string;
  leftOut: LeftOut[];
  /** What the export lacks. */
  missing?: string[];
}

async function take(
  input: Readable,
  archive: Parameters<typeof importProject>[0],
  terminal: Terminal,
): Promise<Taken> {
  const saltCipher = new SaltCipher(loadSecretKey(terminal.config));
  const secrets: Record<string, string> = {};
  const leftOut: LeftOut[] = [];
  const settingsOf = ({ id, settings: given }: Parameters<Importing['settingsOf']>[0]) => {
    const { settings, leftOut: names } = importSettings(given, terminal.config.jobs);
    for (const setting of names as (keyof typeof optionOf)[]) {
      leftOut.push({ setting, command: commandFor(id, setting, given[setting]) });
    }
    return settings;
  };
  const additionsFor: Importing['additionsFor'] = ({ id: projectId, settings }, openDays) => {
    const keys = (['admin', 'ingest'] as const).map((scope) => {
      const { secret, stored } = makeKey(scope, projectId, `first ${scope} key`, terminal.now(), {
        maker: commandLine,
      });
      secrets[scope] = secret;
      return stored;
    });
    const salts = openDays.map((day) => ({ day, salt: saltCipher.make({ projectId, day }) }));
    const by = { at: terminal.now(), actor: commandLine, changes: ['by import'] };
    const entry: AuditEntry = { ...by, action: 'project.added', projectId, subject: settings.name };
    return { keys, salts, entries: [entry] };
  };
  const { project, missing } = await importProject(archive, input, { settingsOf, additionsFor });
  const { admin: adminKey = '', ingest: ingestKey = '' } = secrets;
  return {
    projectId: project.id,
    name: project.settings.name,
    adminKey,
    ingestKey,
    leftOut,
    ...(missing.length > 0 && { missing }),
  };
}

/** The author of an archive must not decide what this server sends, fetches, runs or grants. */
function inWords(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return '';
  return `
These settings were left out, as they decide what this server sends, fetches, runs or shows to others. Look at each,
and set those that you want:

${leftOut.map(({ command }) => `  ${escapeLine(command)}`).join('\n')}
`;
}

async function tell({ name, ...taken }: Taken, terminal: Terminal, json = false): Promise<void> {
  const { projectId, adminKey, ingestKey } = taken;
  const snippet = snippetOf(await findServerUrl(terminal), projectId);
  terminal.print(
    json
      ? `${JSON.stringify({ ...taken, snippet })}\n`
      : `Project ${projectId} (${name}) was taken in. Its keys are shown only this once.

  Admin key:   ${adminKey}
  Ingest key:  ${ingestKey}

Tokens and share links were not exported: set and make them anew. Visitors were not either: whoever was counted on
a day that is still open may be counted once more on it. This line in the pages has them counted here:

  ${snippet}
${inWords(taken.leftOut)}${
  taken.missing
    ? `
The export is incomplete, as it was made of a damaged database. It lacks:
${listMissing(taken.missing)}
`
    : ''
}`,
  );
}
