import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { writeToFile, writeToStream } from '../backup/making.ts';
import { type ExportFormat, exportProject } from '../backup/project-archive.ts';
import { program } from '../process/program.ts';
import { undoBegun } from '../store/import-undo.ts';
import { StoreError } from '../store/store.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { listMissing, requireWhole } from './terminal/missing.ts';
import { readOptions } from './terminal/options.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withStore } from './terminal/with-store.ts';

const options = {
  project: { type: 'string' },
  format: { type: 'string' },
  overwrite: { type: 'boolean' },
} as const;

const toOutput = '-';

function readFormat(text = 'jsonl'): ExportFormat {
  if (text === 'jsonl' || text === 'csv') return text;
  throw new UsageError(`--format must be jsonl or csv, not "${text}".`);
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, options, ['file or -']);
  const { project, overwrite = false } = values;
  if (project === undefined) throw new UsageError('Name the project to export: --project <project>.');
  const format = readFormat(values.format);
  const exporting = { project, format, target: String(positionals[0]), overwrite, terminal };
  try {
    // Opened as any command does, so that an older schema is brought up to date.
    await withStore(terminal, async ({ imports }) => {
      const begun = (await imports.listLogs(project)).find(({ isUndone }) => isUndone);
      if (begun) throw undoBegun(project, begun.id);
      return write(exporting, false);
    });
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'damaged')) throw error;
    await writeRest(exporting, error);
  }
}

interface Exporting {
  project: string;
  format: ExportFormat;
  target: string;
  overwrite: boolean;
  terminal: Terminal;
}

/** @returns what is missing */
async function write({ project, format, target, overwrite, terminal }: Exporting, salvages: boolean) {
  const files = await terminal.openFiles();
  try {
    const exported = await exportProject(files.archive, project, format, salvages);
    if (!exported) throw salvages ? lostProject(project) : unknownProject(project);
    const written = Readable.from(exported.lines);
    if (target === toOutput) await writeToStream(terminal.output, written);
    else {
      const file = resolve(target);
      await writeToFile(file, overwrite, written);
      terminal.print(`Project ${project} is in ${file}.\n`);
    }
    const { missing } = exported;
    if (missing.length > 0 && !salvages) terminal.note(`It is incomplete:\n${listMissing(missing)}\n`);
    return missing;
  } finally {
    await files.close();
  }
}

function lostProject(project: string): CommandError {
  return new CommandError(
    `The database is damaged, and its readable part has no project ${project}. "${program} backup <new file>" saves what can be read of all projects.`,
  );
}

/** Exports the readable part of a damaged database. Standard output cannot be taken back. */
async function writeRest(exporting: Exporting, damage: StoreError): Promise<void> {
  if (exporting.target === toOutput) {
    throw new CommandError(`${damage.message} The output is incomplete: name a file in place of "-".`);
  }
  requireWhole('export', await write(exporting, true));
}

export const exportCommand: Command = {
  help: `Usage: headcount export --project <project> [options] <file or ->

Writes a project to a file, or to standard output, also while the server runs: settings, all counts by day and
dimension, hits that were not counted and why, the list of imported access logs, and jobs with their transcripts. The
file has no secrets, API keys, share links and visitors. "headcount project import" imports it elsewhere.

  --format <format>   jsonl (JSON, a record on each line) or csv, which has the counts alone (jsonl)
  --overwrite         replace a file that is there

Of a damaged database it writes all that can be read, lists what is missing, also in the file, and ends with exit code 1.
A job that is at work is exported as one that failed, as only one installation may go on with it.
`,
  run,
};
