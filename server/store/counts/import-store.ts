import type { Dimension, DimensionFrom } from '../../../shared/reports/dimensions.ts';
import type { Day } from '../../counting/calendar.ts';
import type { Interned } from '../../counting/names/interned.ts';
import type { TallyCount, TallySet } from '../../counting/tally.ts';
import type { CountedKind, SeenClient } from '../../counting/view.ts';
import type { AuditEntry } from '../admin/audit.ts';
import type { Dropped } from './counting-store.ts';

/** A log that was taken in before, known by how its content (unpacked) begins. */
export interface KnownLog {
  id: number;
  headLength: number;
  /** SHA-256 of the first `headLength` bytes. */
  headHash: Uint8Array;
  /** How far it is read. */
  bytes: number;
  lines: number;
  /** Some of it is taken back, and some is not yet. */
  isUndone?: boolean;
}

/** Lines of a log that may still be counted, a bit for each, the first line in the lowest one. */
export interface OpenChunk {
  /** Which 65,536 lines, counted from 0. */
  chunk: number;
  /** Without the zeros at the end. Empty: none is open. */
  bits: Uint8Array;
}

/** How far a log is counted with this batch; without an id it is new. */
export interface LogProgress extends Omit<KnownLog, 'id'> {
  id: number | null;
  /** How far it was read before: where it is no longer so, somebody else reads the log. */
  from: number;
  /** What changed of the lines that may still be counted. */
  open?: OpenChunk[];
  /** What the file is called, and when it is read, in milliseconds since 1970: not given, nothing is kept to take it back. */
  name?: string;
  countedAt?: number;
}

/** A day that holds counts. */
export interface DaySummary {
  day: Day;
  humanViews: number;
  aiViews: number;
  /** What of it came from logs; null: nothing. */
  imported: { humanViews: number; aiViews: number; lastAt: number } | null;
  /** The tool that counted it before Headcount did; null: none. */
  history: string | null;
  /** Its visitors can still be told apart. */
  isOpen: boolean;
}

/** A day on which an import counts: an open one with the salt that live hits have, or a sealed one with a throw-away salt. */
export interface ImportDay {
  /** Of this opening; once the salt is forgotten, the day can be opened anew under another id. */
  id: number;
  day: Day;
  salt: Uint8Array;
}

type LoggedDimension = Exclude<Dimension, DimensionFrom<'page'>>;

/** A view that a log tells of. */
export interface LoggedView
  extends Record<LoggedDimension, Interned<string> | null>,
    Partial<Record<DimensionFrom<'page'>, never>> {
  /** Its place among the days of the batch. */
  day: number;
  visitor: bigint;
  network: number;
  kind: CountedKind;
  path: Interned<string>;
  /** As in `View`. */
  hour: Interned<string> | null;
  moment: number;
  client: Interned<SeenClient> | null;
  /** What it adds to besides, with how many bytes were sent. */
  tallies?: TallySet;
  bytes?: number;
}

export interface LogBatch {
  projectId: string;
  /** As of a `View`. */
  hasGoals?: boolean;
  days: (ImportDay & { lastAt: number })[];
  dropped: (Dropped & { day: Day })[];
  /** What lines that are no views add to. */
  tallies?: Omit<TallyCount, 'projectId'>[];
  logs: LogProgress[];
  /** How many logs of the project are known, those of earlier batches included: where there are more, a new one may not be. */
  knownLogs: number;
  /** What the audit list says of it. */
  entries?: readonly AuditEntry[];
  /** When throw-away salts may be forgotten, in milliseconds since 1970. */
  forgetAt: number;
}

/** The ids of the batch's logs; `changed`: nothing was counted, as another process did something in the meantime. */
export type LogReceipt = { state: 'counted'; ids: number[] } | { state: 'changed' };

/** Gathers the views of a transaction, in the engine's own form: logs have millions of them. */
export interface ViewBatch {
  /** It takes no more of them. */
  readonly isFull: boolean;
  add(view: LoggedView): void;
  /**
   * Counts them and notes how far their logs are counted, in one transaction. Of batches that begin logs of one project at
   * the same time, one is counted and the others are `changed`.
   */
  count(batch: LogBatch): Promise<LogReceipt>;
}
