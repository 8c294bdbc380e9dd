import type { SecretName } from '../../shared/secrets.ts';
import type { Day } from '../counting/calendar.ts';
import type { ArchiveStore } from './archive/archive-store.ts';
import type { KeptSalt } from './counts/counting-store.ts';

export interface CopyOptions {
  /** Otherwise the copy holds nothing that identifies visitors: no salts, visitors or visitor keys. */
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

/** What is known of the stored data without opening it. */
export interface FileState {
  /** Of the schema: of the file (0: unknown), and the newest that is known here. */
  version: number;
  knownVersion: number;
  /** With all that belongs to the database. */
  bytes: number;
}

/** The place that a copy is written to before it replaces the stored data. */
export interface HeldFolder {
  /** An empty file. */
  draft: string;
  /** Whether something is kept already. */
  isInUse: boolean;
}

/** A value as PostgreSQL writes it as text; a list that is not packed as JSON. */
export type MovedCell = string | null;

export type MovedRow = readonly MovedCell[];

/** All that a database keeps, while nobody else uses it. */
export interface MoveSource {
  /** Of the key that all is encrypted with; null: that is not known here. */
  readonly instance: string | null;
  /** Rows in no particular order, some at a time. */
  read(table: string): AsyncIterable<MovedRow[]> | Iterable<MovedRow[]>;
  close(): Promise<void> | void;
}

/** An empty database, which no server uses until `finish`. */
export interface MoveTarget extends Omit<MoveSource, 'instance'> {
  add(table: string, rows: MovedRow[]): Promise<void>;
  /** @param instance of the key that all is encrypted with; undefined: there is none */
  finish(instance: string | undefined): Promise<void>;
}

/** Copies of the store as files, possible while a server runs unless stated otherwise. */
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
   * Writes the data of this moment to an empty file, and checks the copy. Sessions are left out. Of a damaged file it
   * has the readable rows; returns what is missing.
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
   * Replaces the stored data with the draft, atomically. Returns the place where the former data is kept for two days;
   * null: there was none.
   */
  useDraft(): Promise<string | null>;
  /** Single projects. */
  readonly archive: ArchiveStore;
  /** Without the draft, unless it is used. */
  close(): Promise<void>;
}
