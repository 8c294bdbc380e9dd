import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder in use: it is not removed until `release`. Several may use one at once. */
export interface FolderLock {
  release(): Promise<void>;
}

/** The folder, in the one that is locked, with a file for each lock. */
const lockFolder = 'holds';
const beatMs = 30_000;
/** Four beats: a process that missed them all is dead or paused, and finds out when it goes on. */
const staleMs = 120_000;

/**
 * Says in the file system which folders are in use, so that processes that share a data folder do not remove each
 * other's. Times, not process numbers: those mean nothing across containers.
 */
export class FolderLocks {
  readonly #now: () => number;
  readonly #files = new Set<string>();
  #beat: NodeJS.Timeout | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  async take(folder: string): Promise<FolderLock> {
    const file = join(folder, lockFolder, randomUUID());
    await mkdir(join(folder, lockFolder), { recursive: true, mode: 0o700 });
    await writeFile(file, '');
    await this.#touch(file);
    this.#files.add(file);
    this.#beat ??= setInterval(() => void this.#touchAll(), beatMs).unref();
    return { release: () => this.#release(file) };
  }

  /** A new folder counts as locked: its first lock is about to be taken. */
  async isLocked(folder: string): Promise<boolean> {
    const names = await readdir(join(folder, lockFolder)).catch(() => []);
    const times = [
      stat(folder).then((stats) => stats.birthtimeMs),
      ...names.map((name) => stat(join(folder, lockFolder, name)).then((stats) => stats.mtimeMs)),
    ];
    const known = await Promise.all(times.map((time) => time.catch(() => 0)));
    return Math.max(...known) > this.#now() - staleMs;
  }

  /** When a lock was last taken or released, in milliseconds since 1970. */
  async lastUsedAt(folder: string): Promise<number> {
    return await stat(join(folder, lockFolder)).then(
      (stats) => stats.mtimeMs,
      () => 0,
    );
  }

  /** Stops the heartbeat; locks that are still there become stale. */
  close(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#files.clear();
  }

  async #release(file: string): Promise<void> {
    this.#files.delete(file);
    if (this.#files.size === 0) this.close();
    await rm(file, { force: true });
  }

  async #touchAll(): Promise<void> {
    await Promise.all([...this.#files].map((file) => this.#touch(file)));
  }

  async #touch(file: string): Promise<void> {
    const seconds = this.#now() / 1000;
    // A folder that was moved away has lost its user already.
    await utimes(file, seconds, seconds).catch(() => undefined);
  }
}
