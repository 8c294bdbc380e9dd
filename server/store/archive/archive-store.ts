import type { ArchiveRecord } from '../../../shared/project/project-archive.ts';
import type { Day } from '../../counting/calendar.ts';
import type { Sql } from '../../database/sql.ts';
import { tables } from '../../database/tables/tables.ts';
import type { AuditEntry } from '../admin/audit.ts';
import type { StoredKey } from '../projects.ts';

const largeTypes = new Set(tables.flatMap(({ archive, isLarge }) => (isLarge && archive?.type) || []));

/** How many are read at once. */
export const recordsAtATime = (type: ArchiveRecord['type']) => (largeTypes.has(type) ? 20 : 1000);

/** What an imported project gets besides the exported data. */
export interface ArchiveAdditions {
  keys: StoredKey[];
  /** Of the days that are not sealed yet. */
  salts: { day: Day; salt: Uint8Array }[];
  entries: AuditEntry[];
}

/**
 * A project as records, of one moment. It leaves without secrets, keys and visitors; jobs that are at work leave as failed
 * ones, as only one installation may work on them.
 */
export interface ArchiveStore {
  /**
   * Answers false where there is no such project. Of a damaged database, on request, what can be read: the last record lists
   * what is missing.
   */
  beginExport(projectId: string, salvages?: boolean): Promise<boolean>;
  /** Some more records, in order; none: that was all. */
  nextRecords(): Promise<ArchiveRecord[]>;

  /** Stages a project apart from the stored data; without `finishImport` no trace is left. */
  beginImport(): Promise<void>;
  addRecords(records: ArchiveRecord[]): Promise<void>;
  /** Days with a count that are not sealed yet. */
  openDays(): Promise<Day[]>;
  /** Imports the whole project. Returns `exists` where the project, or one of its jobs, is there already. */
  finishImport(additions: ArchiveAdditions): Promise<'done' | 'exists'>;
}

/** The words in which engines differ where a project is taken in. */
export interface ImportWords {
  /** Begins a statement that makes a table of this connection alone, which ends with it. */
  make: string;
  /** A text as JSON. */
  asJson(text: string): string;
  /** A column of a staged row (`s.row`, JSON), by its type. */
  cell(column: string, type: string): string;
  /** What a row of sums has besides, of the project `$1`. */
  ofSums: Readonly<Record<string, string>>;
  /** As of a `CountingEngine`. */
  calendarColumns: readonly string[];
  /** The SQL of the column to search names by; undefined: there is none, and names are numbered over all projects. */
  searchable: ((text: string) => string | null) | undefined;
  openDay(sql: Sql, project: number, day: Day, salt: Uint8Array): Promise<void>;
}
