import { statSync } from 'node:fs';
import { StoreError } from '../store.ts';

/**
 * The files of an open database. When somebody removes or replaces them, the process goes on with what has no name any
 * more and is gone when it ends, and SQLite says nothing.
 */
export class OpenFiles {
  readonly #file: string;
  readonly #known: { path: string; identity: string }[];

  /** Right after opening, by which all of them are there. */
  constructor(file: string) {
    this.#file = file;
    this.#known = [file, `${file}-wal`, `${file}-shm`].map((path) => ({ path, identity: identityOf(path) }));
  }

  /** @throws StoreError `unavailable` when one of them is another now */
  check(): void {
    const lost = this.#known.find(({ path, identity }) => identityOf(path) !== identity);
    if (!lost) return;
    const now = identityOf(lost.path) === 'none' ? 'missing' : 'another file now';
    throw new StoreError(
      'unavailable',
      `The database ${this.#file} was removed or replaced while it was in use (${lost.path} is ${now}). Nothing is counted until the files are back, or the server is started with others.`,
    );
  }
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : 'none';
}
