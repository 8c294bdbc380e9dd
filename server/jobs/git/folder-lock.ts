import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder in use. Let go of it with `release`. */
export interface Hold {
  release(): Promise<void>;
}

const beatMs = 30_000;
/** Four beats: a process that missed them all is dead or paused, and finds out when it goes on. */
const staleMs = 120_000;

/**
 * Says in the file system which folders are in use, so that processes that share a data folder do not remove each
 * other's. Times, not process numbers: those mean nothing across containers.
 */
export class Holds {
  readonly #now: () => number;
  readonly #files = new Set<string>();
  #beat: NodeJS.Timeout | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  async take(folder: string): Promise<Hold> {
    const file = join(folder, 'holds', randomUUID());
    await mkdir(join(folder, 'holds'), { recursive: true, mode: 0o700 });
    await writeFile(file, '');
    await this.#touch(file);
    this.#files.add(file);
    this.#beat ??= setInterval(() => void this.#touchAll(), beatMs).unref();
    return { release: () => this.#release(file) };
  }

  /** A folder that is new counts as held: its first hold is about to be taken. */
  async isHeld(folder: string): Promise<boolean> {
    const names = await readdir(join(folder, 'holds')).catch(() => []);
    const times = [
      stat(folder).then((stats) => stats.birthtimeMs),
      ...names.map((name) => stat(join(folder, 'holds', name)).then((stats) => stats.mtimeMs)),
    ];
    const known = await Promise.all(times.map((time) => time.catch(() => 0)));
    return Math.max(...known) > this.#now() - staleMs;
  }

  /** When a hold was last taken or let go of, in milliseconds since 1970. */
  async lastUsedAt(folder: string): Promise<number> {
    return await stat(join(folder, 'holds')).then(
      (stats) => stats.mtimeMs,
      () => 0,
    );
  }

  /** Stops the heartbeat; what is still held becomes stale. */
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
    // A folder that was moved away has lost its holder already.
    await utimes(file, seconds, seconds).catch(() => undefined);
  }
}
