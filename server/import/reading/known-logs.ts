import { createHash, hash } from 'node:crypto';
import type { KnownLog } from '../../store/counts/view-batch.ts';
import { OpenLines } from './open-lines.ts';

/** This much of its beginning identifies a log: its first lines have times in them. */
export const headBytes = 4096;

/** Positions in a log: counted, and read. */
export interface LogState {
  /** Null until it is in the store. */
  id: number | null;
  headLength: number;
  headHash: Uint8Array;
  counted: { bytes: number; lines: number };
  read: { bytes: number; lines: number };
  /** The first bytes of what was read, as long as it has no name. */
  head: string;
  /**
   * Until one of its requests has a final outcome, the log is not stored: its beginning may be common to all logs of its
   * format, and it may have been read as another format.
   */
  hasRequests: boolean;
  /** The file as it is called now. */
  name: string;
  isUndone: boolean;
  /** Undefined: not read from the store yet. */
  open: OpenLines | undefined;
}

/** The logs of a project that were read before, known by their content, whatever their files are called now. */
export class KnownLogs {
  /** By the length of the beginning, then by its hash in base64. */
  readonly #logs = new Map<number, Map<string, LogState>>();
  #lengths: number[] = [];
  /** How many of them are in the store. */
  stored: number;

  constructor(known: readonly KnownLog[]) {
    for (const log of known) this.#add(toState(log));
    this.stored = known.length;
  }

  /** The log with this beginning; of two, the one with the longer known beginning. */
  find(head: Buffer): LogState | undefined {
    const running = createHash('sha256');
    let hashed = 0;
    let found: LogState | undefined;
    for (const length of this.#lengths) {
      if (length > head.length) break;
      running.update(head.subarray(hashed, length));
      hashed = length;
      found = this.#logs.get(length)?.get(running.copy().digest('base64')) ?? found;
    }
    return found;
  }

  /** The log with this beginning, which is new if it is not known. */
  get(head: Buffer): LogState {
    return this.find(head) ?? toState();
  }

  /** Identifies the log by its beginning, which never changes again. */
  name(log: LogState): void {
    if (log.headLength > 0) return;
    const head = Buffer.from(log.head.slice(0, Math.min(headBytes, log.read.bytes)), 'latin1');
    log.headLength = head.length;
    log.headHash = hash('sha256', head, 'buffer');
    log.head = '';
    this.#add(log);
  }

  #add(log: LogState): void {
    const known = this.#logs.get(log.headLength) ?? new Map<string, LogState>();
    this.#logs.set(log.headLength, known.set(Buffer.from(log.headHash).toString('base64'), log));
    if (known.size === 1) this.#lengths = [...this.#logs.keys()].sort((a, b) => a - b);
  }
}

/** @param known left out: a new one */
function toState(known?: KnownLog): LogState {
  const { id = null, headLength = 0, headHash = Buffer.alloc(0), bytes = 0, lines = 0 } = known ?? {};
  return {
    ...{ id, headLength, headHash, counted: { bytes, lines }, read: { bytes, lines } },
    ...{ head: '', hasRequests: known !== undefined, name: '', isUndone: known?.isUndone ?? false },
    open: known ? undefined : new OpenLines(),
  };
}
