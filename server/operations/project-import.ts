import type { Readable } from 'node:stream';
import { escapeLine } from '../../shared/plain-text.ts';
import { commandLine } from '../audit/audit-list.ts';
import { type Importing, importProject } from '../backup/project-archive.ts';
import type { Terminal } from '../commands/terminal/command.ts';
import { withInput } from '../commands/terminal/input.ts';
import { listMissing } from '../commands/terminal/missing.ts';
import { withNewStore } from '../commands/terminal/with-store.ts';
import { SaltCipher } from '../counting/visitor/salt.ts';
import { makeKey } from '../projects/key.ts';
import { loadSecretKey } from '../projects/key-file.ts';
import { importSettings, snippetOf } from '../projects/rules.ts';
import type { AuditEntry } from '../store/admin/audit.ts';
import type { OwnAction } from './command.ts';
import { commandFor } from './settings.ts';

/** Imports a file of "headcount export". */
export const importAction: OwnAction = {
  name: 'project import',
  operands: ['file or -'],
  run: ({ operands, values, baseUrl }, terminal) =>
    withInput(String(operands['file or -']), terminal, (input) =>
      withNewStore(terminal, async () => {
        const files = await terminal.openFiles();
        try {
          const taken = await take(input, files.archive, terminal);
          terminal.print(describe(taken, baseUrl, values.json));
        } finally {
          await files.close();
        }
      }),
    ),
};

interface LeftOut {
  setting: string;
  /** The command that sets it. */
  command: string;
}

interface Taken {
  projectId: string;
  name: string;
  adminKey: string;
  ingestKey: string;
  leftOut: LeftOut[];
  /** Missing parts of the export. */
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
    const { settings, leftOut: names } = importSettings(given, terminal.config);
    for (const setting of names) {
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

function describe({ name, ...taken }: Taken, baseUrl: string, json = false): string {
  const { projectId, adminKey, ingestKey } = taken;
  const snippet = snippetOf(baseUrl, projectId);
  return json
    ? `${JSON.stringify({ ...taken, snippet })}\n`
    : `Project ${projectId} (${name}) was imported. Its keys are shown only this once.

  Admin key:   ${adminKey}
  Ingest key:  ${ingestKey}

Tokens and share links were not exported: set and make them anew. Neither were visitors: those of days that are still
open may be counted twice. Put this line into the pages to count them here:

  ${snippet}
${inWords(taken.leftOut)}${
  taken.missing
    ? `
The export is incomplete, as it was made of a damaged database. It lacks:
${listMissing(taken.missing)}
`
    : ''
}`;
}
