import type { Readable } from 'node:stream';
import type { ProjectSettings } from '../../shared/project/project.ts';
import { type ArchiveRecord, archiveRecord } from '../../shared/project/project-archive.ts';
import { type ArchiveAdditions, type ArchiveStore, recordsAtATime } from '../store/archive/archive-store.ts';
import { parseRecord } from '../store/archive/records.ts';
import { StoreError } from '../store/store.ts';
import { BackupError } from './backup-error.ts';

export type ExportFormat = 'jsonl' | 'csv';

export interface Exported {
  /** Some at a time. */
  lines: AsyncGenerator<string>;
  /** What a damaged database could not give, a sentence each; known when the lines have ended. */
  missing: string[];
}

/** Undefined: there is no such project. */
export async function exportProject(
  archive: ArchiveStore,
  projectId: string,
  format: ExportFormat,
  salvages = false,
): Promise<Exported | undefined> {
  if (!(await archive.beginExport(projectId, salvages))) return undefined;
  const missing: string[] = [];
  const records = readRecords(archive, missing);
  return { lines: format === 'csv' ? toCsv(records, missing) : toLines(records), missing };
}

type Records = AsyncGenerator<ArchiveRecord[]>;

async function* toLines(batches: Records): AsyncGenerator<string> {
  for await (const records of batches) {
    yield `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
  }
}

async function* readRecords(archive: ArchiveStore, missing: string[]): Records {
  for (;;) {
    const records = await archive.nextRecords();
    if (records.length === 0) return;
    const last = records.at(-1);
    if (last?.type === 'end') missing.push(...(last.missing ?? []));
    // Settings that an older version wrote get what they lack, so that the same project always reads the same.
    yield records.map((record) => (record.type === 'project' ? archiveRecord.parse(record) : record));
  }
}

const columns = [
  'day',
  'of',
  'client',
  'name',
  'humanVisitors',
  'aiVisitors',
  'visitors',
  'humanViews',
  'aiViews',
] as const;

/** The counts alone; what is missing as rows without numbers. */
async function* toCsv(batches: Records, missing: string[]): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const records of batches) {
    const counts = records.filter((record) => record.type === 'count');
    yield counts.map((count) => `${columns.map((name) => cell(count[name])).join(',')}\r\n`).join('');
  }
  for (const name of missing)
    yield `${columns.map((column) => cell({ of: 'missing', name }[column as 'name'] ?? null)).join(',')}\r\n`;
}

/** RFC 4180. A sheet would run what begins like a formula. */
function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

type ProjectRecord = Extract<ArchiveRecord, { type: 'project' }>;

export interface Importing {
  /** Of the archive's settings, those that are taken in. */
  settingsOf: (project: ProjectRecord) => ProjectSettings;
  additionsFor: (project: ProjectRecord, openDays: number[]) => ArchiveAdditions;
}

export interface Imported {
  project: ProjectRecord;
  /** What the export lacks, as it was made of a damaged database. */
  missing: string[];
}

/** Takes in a project that was exported, as a whole or not at all. @throws BackupError */
export async function importProject(
  archive: ArchiveStore,
  input: Readable,
  { settingsOf, additionsFor }: Importing,
): Promise<Imported> {
  await archive.beginImport();
  const { project, missing } = await gather(archive, input, settingsOf);
  const additions = additionsFor(project, await archive.openDays());
  const done = await takingIn(() => archive.finishImport(additions));
  if (done === 'done') return { project, missing };
  throw new BackupError(
    `There is a project ${project.id} already, or one with a job of it. Nothing was changed.`,
  );
}

async function gather(
  archive: ArchiveStore,
  input: Readable,
  settingsOf: Importing['settingsOf'],
): Promise<Imported> {
  let project: ProjectRecord | undefined;
  let missing: string[] = [];
  let batch: ArchiveRecord[] = [];
  let lines = 0;
  let isWhole = false;
  for await (const line of linesOf(input)) {
    lines++;
    let record = parse(line, lines);
    if ((record.type === 'project') !== (lines === 1)) throw notOne(lines);
    if (record.type === 'project') record = project = { ...record, settings: settingsOf(record) };
    if (record.type === 'end') missing = record.missing ?? [];
    isWhole = record.type === 'end' && record.records === lines - 1;
    batch.push(asHistory(record));
    if (batch.length < recordsAtATime(record.type)) continue;
    await takingIn(() => archive.addRecords(batch));
    batch = [];
  }
  if (!project) throw notOne(1);
  if (!isWhole) throw new BackupError('The export was cut: its last line is missing. Nothing was changed.');
  await takingIn(() => archive.addRecords(batch));
  return { project, missing };
}

/**
 * What the server would go on with by itself, at the code host and with a token: an archive's author could name any branch, pull
 * request or commit. The transcript still has them.
 */
function asHistory(record: ArchiveRecord): ArchiveRecord {
  if (record.type === 'job') return { ...record, prLink: null, baseBranch: null, branch: null };
  if (record.type === 'turn') {
    const { reverts } = record.record;
    return { ...record, record: typeof reverts === 'string' ? { reverts } : {}, resumesAt: null };
  }
  return record.type === 'mark' && record.kind === 'merge' ? { ...record, url: null } : record;
}

/** A conversation with images in it has a few megabytes. */
const longestLine = 64 * 1024 * 1024;

/** One at a time, however long the file is. @throws BackupError */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    const [first = '', ...more] = chunk.split('\n');
    rest.push(first);
    length += first.length;
    if (length > longestLine) {
      throw new BackupError(
        `The file has a line of more than ${longestLine / 1024 / 1024} MB, which no export has. Nothing was changed.`,
      );
    }
    if (more.length === 0) continue;
    yield rest.join('');
    const last = more.pop() ?? '';
    yield* more;
    rest = [last];
    length = last.length;
  }
  if (length > 0) yield rest.join('');
}

/** Records that contradict each other, or that the database has no room for in this form, are no defect of Headcount. */
async function takingIn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    // Whether anything was changed is not known where the machine is to blame.
    if (cause instanceof StoreError) throw cause;
    throw new BackupError(
      `The export cannot be taken in: ${(cause as Error).message}. Nothing was changed.`,
      { cause },
    );
  }
}

function parse(line: string, number: number): ArchiveRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw number === 1
      ? notOne(1)
      : new BackupError(`Line ${number} of the export is not JSON. Nothing was changed.`, { cause });
  }
  const { success, data, error } = parseRecord(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new BackupError(
    `Line ${number} of the export cannot be used: ${issue?.path.join('.')} ${issue?.message}. Nothing was changed.`,
  );
}

function notOne(line: number): BackupError {
  return new BackupError(
    line === 1
      ? 'This is not an exported project: the first line of one says so. Nothing was changed.'
      : `Line ${line} of the export is the beginning of another project. Nothing was changed.`,
  );
}
