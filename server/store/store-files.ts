import type { SecretName } from '../../shared/secrets.ts';
import type { Day } from '../counting/calendar.ts';
import type { ArchiveStore } from './archive/archive-store.ts';
import type { KeptSalt } from './counts/counting-store.ts';

export interface CopyOptions {
  /** Otherwise the copy holds nothing that tells who was counted: no salts, visitors or sightings. */
  withVisitors: boolean;
}

export interface UnnamedCopy {
  /** Good until `close`. */
  descriptor: number;
  missing: string[];
}

/** What is in a file that may be a copy of the store. */
export interface FileContent {
  /** Of the schema. */
  version: number;
  projects: { id: string; name: string; newestDay: Day | null }[];
  /** Of days that were open; an empty salt was left out of the copy, with the visitors of the day. */
  salts: KeptSalt[];
  secrets: { projectId: string; name: SecretName; sealed: Uint8Array }[];
  jobs: number;
  /** What it lacks, as it was saved from a damaged database. */
  missing: string[];
}

/** What can be told of the kept data without opening it. */
export interface FileState {
  /** Of the schema: of the file (0: not to be told), and the newest that is known here. */
  version: number;
  knownVersion: number;
  /** With all that belongs to the database. */
  bytes: number;
}

/** The place that a copy is written to before it takes the place of what is kept. */
export interface HeldFolder {
  /** An empty file. */
  draft: string;
  /** Whether something is kept already. */
  isInUse: boolean;
}

/** Copies of the store as files, beside a running server where nothing else is said. */
export interface StoreFiles {
  /** @throws StoreError `missing`, `newer` */
  describe(): Promise<FileState>;
  /**
   * What cannot be read of a damaged file that cannot be opened, a sentence each; null where that is not known.
   *
   * @throws StoreError `damaged` where nothing can be read
   */
  findHurt(): Promise<string[] | null>;
  /**
   * Writes what is kept at this moment to an empty file, and looks whether the copy is sound. Sessions stay out of it. Of a
   * damaged file it has what can be read; answers what is missing.
   *
   * @throws StoreError `unusable` where there is nothing to copy, or no room; the file may hold something then
   */
  copy(target: string, options: CopyOptions): Promise<string[]>;
  /** The same to a file without a name, which nobody else can open. */
  copyUnnamed(options: CopyOptions): Promise<UnnamedCopy>;
  /** Holds the data folder until `close`, so that no server starts. @throws StoreError `in_use` where one runs */
  hold(): Promise<HeldFolder>;
  /** What is in the draft. @throws StoreError `foreign`, `newer` or `damaged` where it cannot take the place of what is kept */
  inspectDraft(): Promise<FileContent>;
  /**
   * Puts the draft in the place of what is kept, at once and as a whole. Answers where what was there before is kept for
   * two days; null: nothing was.
   */
  useDraft(): Promise<string | null>;
  /** Single projects. */
  readonly archive: ArchiveStore;
  /** Without the draft, unless it is used. */
  close(): Promise<void>;
}
