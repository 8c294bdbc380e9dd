import type { SecretName } from '../../shared/job-settings.ts';
import type { ProjectSettings } from '../../shared/project.ts';
import type { AdminStore, Link, Session } from './admin-store.ts';
import type { ImportStore } from './import-store.ts';
import type { JobStore } from './job-store.ts';

/** Days since 1970-01-01 of a calendar date in the project's time zone. */
export type Day = number;

export interface Project {
  /** Public: it stands in the script line of the site. */
  id: string;
  settings: ProjectSettings;
  createdAt: string;
}

export interface ListedProject extends Project {
  /** Which of its secrets are set. */
  secrets: SecretName[];
}

/** Encrypted before the store gets them; null removes one. */
export type SealedSecrets = Partial<Record<SecretName, Uint8Array | null>>;

export type KeyScope = 'admin' | 'ingest';

export interface Key {
  id: string;
  name: string;
  scope: KeyScope;
  /** The one project it is good for; null: all of this installation. */
  projectId: string | null;
  createdAt: string;
}

export interface StoredKey extends Key {
  /** Lower-case hexadecimal SHA-256 of the whole key; the key itself is never stored. */
  hash: string;
}

/** What decides about a request; small enough to be held in memory as a whole. */
export interface Directory {
  version: number;
  projects: ListedProject[];
  keys: StoredKey[];
  links: Link[];
  /** Those of the dashboard. */
  sessions: Session[];
  /** Whether the dashboard's password has been set. */
  hasPassword: boolean;
}

export interface OpenDay {
  day: Day;
  /** Random, 128 bits, gone when the day is sealed. */
  salt: Uint8Array;
}

export type CountedKind = 'human' | 'ai';

/** An AI client, and how well it is founded that it is that client. */
export interface SeenClient {
  name: string;
  proof: 'verified' | 'claimed' | 'inferred';
}

/** What a visitor reads with. */
export interface Traits {
  /** desktop, mobile, tablet, smarttv, console, wearable, xr, embedded */
  device: string;
  /** Name without version: Chrome, Mobile Safari, … */
  browser: string;
  system: string;
}

/** A hit that passed every step. */
export interface View {
  projectId: string;
  day: Day;
  /** 64 bits, signed. The same person on another day is another number. */
  visitor: bigint;
  kind: CountedKind;
  path: string;
  /** Where the visit came from; null inside the site. */
  source: string | null;
  traits: Traits;
  /** ISO 3166-1 alpha-2; null where the operator gave no database. */
  country: string | null;
  /** Null for people. */
  client: SeenClient | null;
}

/** Hits that were not counted, and why. */
export interface Dropped {
  reason: string;
  /** The sort of bot, or the AI client that was spoofed; empty for other reasons. */
  family: string;
  hits: number;
}

/** Those of one day. */
export interface DroppedTally extends Dropped {
  projectId: string;
  day: Day;
}

/** What counts are kept of, besides the site itself and AI clients. */
export type Dimension = 'path' | 'source' | 'device' | 'browser' | 'system' | 'country';
export type Measure = 'visitors' | 'views';

export interface RangeQuery {
  projectId: string;
  /** First day, inclusive; null: from the beginning. */
  from: Day | null;
  /** Last day, exclusive; null: to the end. */
  to: Day | null;
  limit: number;
  offset: number;
}

/** A range of rows that have a name. */
export interface NamedQuery extends RangeQuery {
  /** Only names that contain this, whatever the case, percent escapes read; none given: all. */
  search?: string | undefined;
}

/** `aiShare`: (ai + 1) / (human + 1), as the one reader of a page that nobody else reads means little. */
export type CountOrder = 'total' | 'human' | 'ai' | 'aiShare';

export interface CountQuery extends NamedQuery {
  dimension: Dimension;
  measure: Measure;
  /** Descending; `total` where none is given. */
  order?: CountOrder | undefined;
}

export interface Count {
  human: number;
  ai: number;
  total: number;
}

export interface CountReport {
  /** Of the whole range, whatever was searched for. */
  totals: Count;
  /** By the order asked for, then total descending, then name ascending by code point. */
  rows: (Count & { name: string })[];
  hasMore: boolean;
}

export interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** The site, or one page, one AI client, or one AI client on one page. */
export interface SeriesQuery {
  projectId: string;
  /** First day, inclusive, and last day, exclusive. */
  from: Day;
  to: Day;
  path: string | null;
  client: string | null;
}

export interface DayRow {
  day: Day;
  visitors: Count;
  views: Count;
}

/** What an AI client did: visitors once a day, and views. */
export interface Reading {
  visitors: number;
  views: number;
}

/**
 * Everything that is kept. Each method is a whole unit of work: it is done and durable when its promise
 * resolves, and left no trace when it rejects. Beside a method another process may work on the same data.
 */
export interface Store {
  /** Raised by every change of projects and keys; cheap enough to ask several times a second. */
  directoryVersion(): Promise<number>;
  directory(): Promise<Directory>;

  /** Adds the project together with its first keys. */
  addProject(project: Project, keys: StoredKey[]): Promise<void>;
  /** Secrets that are not given stay. Answers false where there is no such project. */
  setProject(projectId: string, settings: ProjectSettings, secrets?: SealedSecrets): Promise<boolean>;
  readSecrets(projectId: string): Promise<Partial<Record<SecretName, Uint8Array>>>;
  /** Removes the project with its keys, counts, secrets and jobs. Answers false where there is no such project. */
  removeProject(projectId: string): Promise<boolean>;
  addKey(key: StoredKey): Promise<void>;
  /** Answers false where there is no such key. */
  revokeKey(keyId: string): Promise<boolean>;

  /**
   * The day's salt, made on first use. A sealed day is not opened again: the first open day is answered
   * instead (a change of time zone can turn the calendar back by a day). Null: no such project.
   */
  openDay(projectId: string, day: Day): Promise<OpenDay | null>;
  /**
   * Counts views and tallies in one transaction. Answers the indexes of views that were not counted because
   * their day was sealed, or their project removed, in the meantime.
   */
  countViews(views: View[], dropped: DroppedTally[]): Promise<number[]>;
  /** Forgets salts and visitors of the project's days up to and including this one. */
  seal(projectId: string, through: Day): Promise<void>;

  readCounts(query: CountQuery): Promise<CountReport>;
  /** By visitors descending, then name and proof: a client that proved itself at times stands there twice. */
  readClients(query: NamedQuery): Promise<Page<SeenClient & Reading>>;
  /** What one AI client read, with whatever proof: by visitors descending, then path. */
  readClientPaths(query: NamedQuery, client: string): Promise<Page<{ path: string } & Reading>>;
  /** By hits descending, then reason and family. */
  readDropped(query: RangeQuery): Promise<Page<Dropped>>;
  /** Days with a count, oldest first. */
  readSeries(query: SeriesQuery): Promise<DayRow[]>;
  /** The first day with a count; null: there is none. */
  firstDay(projectId: string): Promise<Day | null>;

  readonly admin: AdminStore;
  readonly jobs: JobStore;
  readonly imports: ImportStore;

  close(): Promise<void>;
}

/** What can be known without changing anything. */
export interface ReadOnlyStore extends Pick<Store, 'directoryVersion' | 'directory' | 'close'> {
  readonly imports: Pick<ImportStore, 'listLogs' | 'listHeldDays'>;
}

export class StoreError extends Error {
  /** `newer`: written by a newer version; `unusable`: cannot be opened; `closed`: the store has ended. */
  readonly code: 'newer' | 'unusable' | 'closed';

  constructor(code: StoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
