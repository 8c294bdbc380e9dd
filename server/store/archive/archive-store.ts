import type { ArchiveRecord } from '../../../shared/project/project-archive.ts';
import type { Day } from '../../counting/calendar.ts';
import { tables } from '../../database/tables/tables.ts';
import type { AuditEntry } from '../admin/audit.ts';
import type { StoredKey } from '../projects.ts';

const largeTypes = new Set(tables.flatMap(({ archive, isLarge }) => (isLarge && archive?.type) || []));

/** How many are read at once. */
export const recordsAtATime = (type: ArchiveRecord['type']) => (largeTypes.has(type) ? 20 : 1000);

/** What a project that is taken in gets besides what was exported. */
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

  /** Gathers a project apart from what is kept; whatever ends before `finishImport` leaves no trace. */
  beginImport(): Promise<void>;
  addRecords(records: ArchiveRecord[]): Promise<void>;
  /** Days with a count that are not sealed yet. */
  openDays(): Promise<Day[]>;
  /** Takes the project in, as a whole. Answers `exists` where there is such a project, or one of its jobs, already. */
  finishImport(additions: ArchiveAdditions): Promise<'done' | 'exists'>;
}
