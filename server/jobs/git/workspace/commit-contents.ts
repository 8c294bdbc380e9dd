import { dirname } from 'node:path';
import { isReadable } from '../content/readable.ts';
import type { Git, Remote } from '../git.ts';
import { damagedMirror } from '../git-failure.ts';
import type { Mirror } from '../mirror.ts';
import { fetchObjects } from '../remote/remote.ts';
import { sizesOf, type TreeEntry, tooLarge } from '../tree.ts';

/** Beyond this a checkout would fill the disk: a few kilobytes in a pack can unfold to gigabytes. */
const maxCheckoutBytes = 4_000_000_000;
/** An agent that reads a page reads its neighbours next, and each request costs more than some pages. */
const maxNeighbours = 200;
const submodule = '160000';

interface Source {
  git: Git;
  mirror: Mirror;
  /** Where git looks at the mirror's objects, and fetches none. */
  looking: Readonly<Record<string, string>>;
  remote: Remote;
  signal: AbortSignal | undefined;
  /** For all mirrors together. */
  maxMirrorBytes: number;
  /** Throws a mirror away that turns out to be damaged. */
  use: <T>(action: () => Promise<T>) => Promise<T>;
}

/** The contents of the files of a commit, which a partial mirror has only as far as somebody needed them. */
export class CommitContents {
  readonly #source: Source;
  readonly #entries: ReadonlyMap<string, TreeEntry>;
  readonly #near: string;
  /** By hash, of what the mirror has, as far as it was asked for. */
  readonly #sizes = new Map<string, number>();
  readonly #brought = new Set<string>();
  #bytes = 0;

  /** @param near the folder in which files are brought with their neighbours; '' is all */
  constructor(source: Source, entries: readonly TreeEntry[], near: string) {
    this.#source = source;
    this.#near = near;
    // A submodule has no contents here.
    const files = entries.filter(({ mode }) => mode !== submodule);
    this.#entries = new Map(files.map((entry) => [entry.path, entry]));
  }

  /**
   * Brings what the mirror lacks of these files, in one request. They are about to be checked out.
   * @throws JobFailure too_large where all that was asked for is too much for a disk
   */
  async bring(paths: readonly string[]): Promise<void> {
    const fresh = paths.filter((path) => this.#entries.has(path) && !this.#brought.has(path));
    if (fresh.length === 0) return;
    // One look for all of them, and not for each that is read after the other.
    await this.#source.use(() => this.#fetch([...fresh, ...this.#neighboursOf(fresh)]));
    for (const path of fresh) {
      this.#brought.add(path);
      this.#bytes += this.#sizes.get(this.#hashOf(path)) ?? 0;
    }
    if (this.#bytes <= maxCheckoutBytes) return;
    throw tooLarge(
      `The files of the repository take ${this.#bytes} bytes; at most ${maxCheckoutBytes} can be checked out.`,
    );
  }

  /** Brings what can be searched below a folder, or at a file; '' is all. */
  async bringReadable(inside: string): Promise<void> {
    const readable = [...this.#entries.keys()].filter((path) => isInside(inside, path) && isReadable(path));
    await this.#source.use(() => this.#fetch(readable));
  }

  #hashOf(path: string): string {
    return this.#entries.get(path)?.hash ?? '';
  }

  #neighboursOf(paths: readonly string[]): string[] {
    const folders = new Set(paths.map((path) => dirname(path)));
    const isNear = (path: string) =>
      folders.has(dirname(path)) &&
      isInside(this.#near, path) &&
      isReadable(path) &&
      !this.#sizes.has(this.#hashOf(path));
    return [...this.#entries.keys()].filter(isNear).slice(0, maxNeighbours);
  }

  /** Brings what the mirror lacks of these. */
  async #fetch(paths: readonly string[]): Promise<void> {
    const { git, remote, signal, mirror, maxMirrorBytes } = this.#source;
    const missing = await this.#measure([...new Set(paths.map((path) => this.#hashOf(path)))]);
    if (missing.length === 0) return;
    await fetchObjects({ git, remote, signal }, mirror, missing, maxMirrorBytes);
    if ((await this.#measure(missing)).length > 0) throw damagedMirror();
  }

  /** @returns hashes that the mirror lacks */
  async #measure(hashes: readonly string[]): Promise<string[]> {
    const due = hashes.filter((hash) => !this.#sizes.has(hash));
    if (due.length === 0) return [];
    const sizes = await sizesOf(this.#source.git, this.#source.looking, due);
    for (const [i, hash] of due.entries()) {
      const size = sizes[i];
      if (size !== undefined) this.#sizes.set(hash, size);
    }
    return due.filter((hash) => !this.#sizes.has(hash));
  }
}

/** '' is all. */
function isInside(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
