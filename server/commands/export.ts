import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { writeToFile, writeToStream } from '../backup/making.ts';
import { type ExportFormat, exportProject } from '../backup/project-archive.ts';
import { type Command, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withStore } from './terminal/with-store.ts';

const options = {
  project: { type: 'string' },
  format: { type: 'string' },
  overwrite: { type: 'boolean' },
} as const;

function readFormat(text = 'jsonl'): ExportFormat {
  if (text === 'jsonl' || text === 'csv') return text;
  throw new UsageError(`--format must be jsonl or csv, not "${text}".`);
}

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOptions(args, options, ['file or -']);
  const { project, overwrite = false } = values;
  if (project === undefined) throw new UsageError('Name the project to export: --project <project>.');
  const format = readFormat(values.format);
  const target = String(positionals[0]);
  // Opened as any command does, so that what an older version wrote is brought up to date.
  await withStore(terminal, async () => {
    const files = await terminal.openFiles();
    try {
      const lines = await exportProject(files.archive, project, format);
      if (!lines) throw unknownProject(project);
      const written = Readable.from(lines);
      if (target === '-') return await writeToStream(terminal.output, written);
      const file = resolve(target);
      await writeToFile(file, overwrite, written);
      terminal.print(`Project ${project} is in ${file}.\n`);
    } finally {
      await files.close();
    }
  });
}

export const exportCommand: Command = {
  help: `Usage: headcount export --project <project> [options] <file or ->

Writes a project to a file, or to standard output, also while the server runs: settings, all counts by day and by what
they count, what was not counted and why, which access logs were counted, and jobs with their transcripts. Secrets, API
keys, share links and visitors stay out. "headcount project import" takes it in elsewhere.

  --format <format>   jsonl (JSON, a record on each line) or csv, which has the counts alone (jsonl)
  --overwrite         replace a file that is there

A job that is at work is exported as one that failed, as only one installation may go on with it.
`,
  run,
};
