import type { Histogram } from '../metrics/meter.ts';
import type { AdminStore } from './admin/admin.ts';
import type { AuditStore } from './admin/audit.ts';
import type { CatalogueStore } from './admin/catalogue.ts';
import type { FactorStore } from './admin/factors.ts';
import type { LoginAttemptStore } from './admin/login-attempts.ts';
import type { SignOnStore } from './admin/sign-ons.ts';
import type { UserStore } from './admin/users.ts';
import type { CheckStore } from './check-store.ts';
import type { AnalyticsStore } from './counts/analytics.ts';
import type { CountingStore } from './counts/counting-store.ts';
import type { ReceiptStore } from './counts/receipt-store.ts';
import type { RecentStore } from './counts/recent-store.ts';
import type { recentCaps } from './counts/reports/tallies.ts';
import type { HistoryStore } from './history.ts';
import type { ImportUndo } from './import-undo.ts';
import type { ImportStore } from './imports.ts';
import type { AutomationStore } from './jobs/automations.ts';
import type { JobStore } from './jobs/job-store.ts';
import type { MarkStore } from './marks.ts';
import type { OutboxStore } from './outbox.ts';
import type { PathStore } from './paths.ts';
import type { ProjectStore } from './projects.ts';
import type { RangeStore } from './range-store.ts';
import type { RetentionStore } from './retention.ts';
import type { SearchStore } from './searches.ts';
import type { SiteStore } from './sites.ts';
import type { CallAudited } from './sql-parts.ts';

/**
 * Everything that is kept. Each method is a whole unit of work: it is done and durable when its promise
 * resolves, and left no trace when it rejects. Beside a method another process may work on the same data. A limit that is
 * named here holds whoever asks at the same time, in this process and in others: engines see to it, and nobody else.
 */
export interface Store extends ProjectStore, CountingStore, ReceiptStore, AnalyticsStore {
  readonly admin: AdminStore;
  readonly users: UserStore;
  readonly factors: FactorStore;
  readonly signOns: SignOnStore;
  readonly audit: AuditStore;
  readonly callAudited: CallAudited;
  /** Null: one server alone counts what comes in. */
  readonly nodes: NodeStore | null;
  readonly catalogue: CatalogueStore;
  readonly sites: SiteStore;
  readonly jobs: JobStore;
  readonly imports: ImportStore & ImportUndo;
  readonly history: HistoryStore;
  readonly check: CheckStore;
  readonly paths: PathStore;
  readonly retention: RetentionStore;
  readonly marks: MarkStore;
  readonly searches: SearchStore;
  readonly outbox: OutboxStore;
  readonly automations: AutomationStore;

  readonly listCapped: ReturnType<typeof recentCaps>['listCapped'];

  /** What the engine was asked for since it was opened. */
  activity(): StoreActivity[];
  size(): Promise<StoreSize>;

  close(): Promise<void>;
}

/** Calls of one part of the store, by the seconds they took. */
export interface StoreActivity {
  thread: string;
  part: string;
  seconds: Histogram;
}

/** Bytes. */
export interface StoreSize {
  database: number;
  /** What was written and is not yet in the database. */
  log: number;
}

/** What can be known without changing anything. */
export interface ReadOnlyStore extends Pick<Store, 'directoryVersion' | 'directory' | 'close'> {
  readonly imports: Pick<ImportStore, 'listLogs' | 'readOpenLines' | 'listDays' | 'listNotedDays'>;
  readonly catalogue: Pick<CatalogueStore, 'readCatalogue'>;
}

export type StoreFault = 'full' | 'read_only';

export class StoreError extends Error {
  /**
   * `missing`: there is none; `newer`: written by a newer version; `foreign`: written by something else; `damaged`: not as it
   * was written, which waiting does not change; `unusable`: cannot be opened; `in_use`: somebody else has it; `closed`: the store has ended; `unavailable`:
   * the machine does not let it work, nothing was done, and it may work again.
   */
  readonly code:
    | 'missing'
    | 'newer'
    | 'foreign'
    | 'damaged'
    | 'unusable'
    | 'in_use'
    | 'closed'
    | 'unavailable';
  /** Why it is `unavailable`, where that can be said to everybody. */
  readonly fault: StoreFault | undefined;

  constructor(
    code: StoreError['code'],
    message: string,
    { fault, ...options }: ErrorOptions & { fault?: StoreFault | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.fault = fault;
    // The message says it all: where in the code a full disk was met tells nobody anything.
    if (code === 'unavailable' || code === 'damaged') this.stack = message;
  }
}

/** Before it is said that something is not there. @throws StoreError `damaged` where one of the tables has lost rows */
export function requireComplete(incomplete: ReadonlySet<string>, ...tables: string[]): void {
  const [lost] = tables.filter((table) => incomplete.has(table));
  if (lost !== undefined) throw new StoreError('damaged', `Rows of the table ${lost} cannot be read.`);
}

/** Whether the machine or its disk is to blame. */
export function isTrouble({ code }: StoreError): boolean {
  return code === 'unavailable' || code === 'damaged';
}

/** What several servers on one database have to know of each other, and a single one knows by itself. */
export interface NodeStore {
  readonly loginAttempts: LoginAttemptStore;
  readonly recent: RecentStore;
  readonly ranges: RangeStore;
}
