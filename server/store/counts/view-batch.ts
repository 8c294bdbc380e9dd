import { type Dimension, type DimensionFrom, dimensionNames } from '../../../shared/reports/dimensions.ts';
import type { Day } from '../../counting/calendar.ts';
import type { CounterIncrement, CounterSet } from '../../counting/counter.ts';
import type { Interned } from '../../counting/names/interned.ts';
import { kindBits } from '../../counting/sum.ts';
import type { CountedKind, SeenClient } from '../../counting/view.ts';
import { joinClient } from '../../counting/what.ts';
import type { AuditEntry } from '../admin/audit.ts';
import type { Dropped } from './counting-store.ts';
import { cellOfBytes, cellsPerView, textColumns, type ViewTable } from './view-table.ts';

const capacity = 4_096;
/** Strangers can make paths and sources long and many. */
const maxCharacters = 2_000_000;

export interface LoggedViews extends LogBatch {
  views: ViewTable;
}

/** Gathers the views of a transaction as a table: logs have millions of them. */
export class TableBatch {
  readonly #send: (batch: LoggedViews) => Promise<LogReceipt>;
  readonly #visitors = new BigInt64Array(capacity);
  readonly #cells = new Int32Array(capacity * cellsPerView);
  readonly #texts: string[][] = textColumns.map(() => []);
  readonly #counters = new Map<CounterSet, number>();
  #length = 0;
  #characters = 0;

  constructor(send: (batch: LoggedViews) => Promise<LogReceipt>) {
    this.#send = send;
  }

  /** It takes no more of them. */
  get isFull(): boolean {
    return this.#length === capacity || this.#characters >= maxCharacters;
  }

  add(view: LoggedView): void {
    const cells = this.#cells;
    const texts = this.#texts;
    let at = this.#length * cellsPerView;
    this.#visitors[this.#length++] = view.visitor;
    cells[at++] = view.day;
    cells[at++] = kindBits[view.kind];
    cells[at++] = view.network;
    cells[at++] = this.#place(texts[0] as string[], view.path);
    cells[at++] = this.#placeClient(texts[1] as string[], view.client);
    cells[at++] = view.hour ? this.#place(texts[2] as string[], view.hour) : -1;
    for (let i = 0; i < dimensionNames.length; i++) {
      const text = view[dimensionNames[i] as (typeof dimensionNames)[number]];
      cells[at++] = text ? this.#place(texts[3 + i] as string[], text) : -1;
    }
    // Logs have no events.
    cells[at++] = -1;
    cells[at++] = -1;
    cells[at++] = this.#placeCounters(view.counters);
    cells[at++] = cellOfBytes(view.bytes);
    cells[at++] = view.moment;
  }

  /**
   * Counts them and notes how far their logs are counted, in one transaction. Of batches that begin logs of one project at
   * the same time, one is counted and the others are `changed`.
   */
  count(batch: LogBatch): Promise<LogReceipt> {
    const views = {
      visitors: this.#visitors.slice(0, this.#length),
      cells: this.#cells.slice(0, this.#length * cellsPerView),
      texts: this.#texts,
      counters: [...this.#counters.keys()],
    };
    return this.#send({ ...batch, views });
  }

  #place(list: string[], thing: Interned<string>): number {
    return thing.list === list ? thing.index : this.#put(list, thing, thing.value);
  }

  #placeClient(list: string[], client: LoggedView['client']): number {
    if (client === null) return -1;
    return client.list === list ? client.index : this.#put(list, client, joinClient(client.value));
  }

  #placeCounters(counters: CounterSet | undefined): number {
    if (!counters) return -1;
    const known = this.#counters.get(counters);
    if (known !== undefined) return known;
    const place = this.#counters.size;
    this.#counters.set(counters, place);
    this.#characters += counters.reduce((sum, { group, name }) => sum + group.length + name.length, 0);
    return place;
  }

  #put(list: string[], thing: Interned<unknown>, text: string): number {
    this.#characters += text.length;
    thing.list = list;
    thing.index = list.push(text) - 1;
    return thing.index;
  }
}

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
  /** Its visitors are still distinguishable. */
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

/** A view from a log. */
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
  counters?: CounterSet;
  bytes?: number;
}

export interface LogBatch {
  projectId: string;
  /** As of a `View`. */
  hasGoals?: boolean;
  days: (ImportDay & { lastAt: number })[];
  dropped: (Dropped & { day: Day })[];
  /** What lines that are no views add to. */
  counters?: Omit<CounterIncrement, 'projectId'>[];
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

export type ViewBatch = Pick<TableBatch, keyof TableBatch>;
