import type { Count } from '../../shared/reports/analytics.ts';
import type { CountedKind } from '../counting/view.ts';
import type { Log } from '../log.ts';
import { type RecentStore, type RecentView, recentMs } from '../store/nodes.ts';
import { StoreError } from '../store/store.ts';
import { ThrottledLogger } from '../throttled-logger.ts';

const writeMs = 1000;
const minuteMs = 60_000;
const viewsAtATime = 5000;
/** 50 MB: so many visitors within a minute, on this node; beyond that the count is too small. */
const maxVisitors = 200_000;

interface Noted extends Omit<RecentView, 'agoMs'> {
  /** Milliseconds since 1970, of the last view. */
  at: number;
  /** Of the one that the store knows; 0: none. */
  writtenAt: number;
}

interface Parts {
  store: RecentStore;
  now: () => number;
  log: Log;
}

/**
 * Who was counted in the last five minutes, where several nodes count. A new visitor is written to the store within a second, and
 * one that came again when the minute ends: at most twice a minute. No hit waits for it.
 */
export class SharedVisitors {
  readonly #parts: Parts;
  readonly #failureLog: ThrottledLogger;
  readonly #timer: NodeJS.Timeout;
  /** Of this minute, by project, visitor and kind. */
  #noted = new Map<string, Noted>();
  #waiting: Noted[] = [];
  #minuteAt: number;
  #writing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#failureLog = new ThrottledLogger(parts.log, () => 'Current visitors could not be stored:');
    this.#minuteAt = parts.now();
    this.#timer = setInterval(() => this.#write().catch((error) => this.#logFailure(error)), writeMs).unref();
  }

  /** `at`: milliseconds since 1970. */
  add(projectId: string, visitor: bigint, kind: CountedKind, at: number): void {
    if (at <= this.#parts.now() - recentMs) return;
    const name = `${projectId} ${visitor} ${kind}`;
    const known = this.#noted.get(name);
    if (known) known.at = Math.max(known.at, at);
    else if (this.#noted.size < maxVisitors && this.#waiting.length < maxVisitors) {
      const noted = { projectId, visitor, kind, at, writtenAt: 0 };
      this.#noted.set(name, noted);
      this.#waiting.push(noted);
    }
  }

  /** Of all nodes; what others counted within the last second may be missing. */
  async count(projectId: string): Promise<Count> {
    await this.#writing?.catch(() => undefined);
    await this.#write();
    return this.#parts.store.countRecent(projectId);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write().catch((error) => this.#logFailure(error));
    this.#failureLog.end();
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    const now = this.#parts.now();
    if (now - this.#minuteAt >= minuteMs) this.#endMinute(now);
    while (this.#waiting.length > 0) {
      const views = this.#waiting.slice(0, viewsAtATime);
      await this.#writeSome(views);
      this.#waiting.splice(0, views.length);
    }
  }

  async #writeSome(views: readonly Noted[]): Promise<void> {
    const { store, now } = this.#parts;
    const at = now();
    const times = views.map((view) => view.at);
    await store.noteRecent(
      views
        .map((view) => ({ ...view, agoMs: Math.max(0, at - view.at) }))
        .filter(({ agoMs }) => agoMs < recentMs),
    );
    views.forEach((view, i) => {
      view.writtenAt = times[i] as number;
    });
  }

  /** A visitor that is waiting already is written with the newest view. */
  #endMinute(now: number): void {
    this.#minuteAt = now;
    for (const noted of this.#noted.values()) {
      if (noted.writtenAt > 0 && noted.at > noted.writtenAt) this.#waiting.push(noted);
    }
    this.#noted = new Map();
  }

  /** That the database cannot be had is in the log already. */
  #logFailure(error: unknown): void {
    if (!(error instanceof StoreError) || error.code !== 'unavailable') this.#failureLog.add(error);
  }
}
