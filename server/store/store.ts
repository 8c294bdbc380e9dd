import type { StoreActivity } from '../metrics/meter.ts';
import type { AdminStore } from './admin/admin.ts';
import type { AuditStore } from './admin/audit.ts';
import type { CatalogueStore } from './admin/catalogue.ts';
import type { FactorStore } from './admin/factors.ts';
import type { SignOnStore } from './admin/sign-ons.ts';
import type { UserStore } from './admin/users.ts';
import type { AnnotationStore } from './annotations.ts';
import type { CalendarStore } from './calendar-repair.ts';
import type { AnalyticsStore } from './counts/analytics.ts';
import type { CountingStore } from './counts/counting-store.ts';
import type { recentCaps } from './counts/reports/counters.ts';
import type { HistoryStore } from './history.ts';
import type { ImportUndo } from './import-undo.ts';
import type { ImportStore } from './imports.ts';
import type { AutomationStore } from './jobs/automations.ts';
import type { JobStore } from './jobs/jobs.ts';
import type { NodeStore } from './nodes.ts';
import type { OutboxStore } from './outbox.ts';
import type { PathStore } from './paths.ts';
import type { ProjectStore } from './projects.ts';
import type { ReceiptStore } from './receipts.ts';
import type { RetentionStore } from './retention.ts';
import type { SavedViewStore } from './saved-views.ts';
import type { SearchStore } from './searches.ts';
import type { SiteStore } from './sites.ts';
import type { CallAudited } from './sql-parts.ts';

export {
  aboutDamage,
  describeTroubles,
  isTrouble,
  requireComplete,
  StoreError,
  type StoreFault,
  storeErrorCodes,
} from './store-error.ts';

/**
 * All stored data. Each method is a unit of work: it is done and durable when its promise
 * resolves, and left no trace when it rejects. Other processes may work on the same data meanwhile. Limits that are
 * named here hold for concurrent calls of all processes; the engines enforce them.
 */
export interface Store extends ProjectStore, CountingStore, ReceiptStore, AnalyticsStore {
  readonly admin: AdminStore;
  readonly users: UserStore;
  readonly factors: FactorStore;
  readonly signOns: SignOnStore;
  readonly audit: AuditStore;
  readonly callAudited: CallAudited;
  /** Null: only one server counts. */
  readonly nodes: NodeStore | null;
  readonly catalogue: CatalogueStore;
  readonly sites: SiteStore;
  readonly jobs: JobStore;
  readonly imports: ImportStore & ImportUndo;
  readonly history: HistoryStore;
  readonly check: CheckStore;
  readonly calendars: CalendarStore;
  readonly paths: PathStore;
  readonly retention: RetentionStore;
  readonly annotations: AnnotationStore;
  readonly savedViews: SavedViewStore;
  readonly searches: SearchStore;
  readonly outbox: OutboxStore;
  readonly automations: AutomationStore;

  readonly listCapped: ReturnType<typeof recentCaps>['listCapped'];

  /**
   * When it resolves, the engine has destroyed what it can of what was deleted, and the visitors of forgotten days, as `seal`
   * does.
   */
  erase(): Promise<void>;

  /** What the engine was asked for since it was opened. */
  activity(): StoreActivity[];
  size(): Promise<StoreSize>;

  close(): Promise<void>;
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

/** A setting of the engine's server that a promise depends on. */
export interface StoreRisk {
  kind: 'durability' | 'rights' | 'clock';
  message: string;
}

/** Finds and repairs damage of the stored data. The rules of `Store` hold. */
export interface CheckStore {
  /** What is broken in the engine's own files, a sentence each. */
  findDamage(): Promise<string[]>;
  /** What the database lacks as it was saved from a damaged one, a sentence each. */
  readMissing(): Promise<string[]>;
  /** How the engine's server is set up, where it is one of its own. `now`: milliseconds since 1970. */
  findRisks(now: number): Promise<StoreRisk[]>;
  /**
   * Rejects where a page, or as much as a batch of hits takes, cannot be written, and with `damaged` once the store has met
   * damage.
   */
  probeWriting(size?: 'page' | 'batch'): Promise<void>;
}
