import { dirname } from 'node:path';
import { isReadable } from './content/readable.ts';
import type { Git, Remote } from './git.ts';
import type { Mirror } from './mirror.ts';
import { fetchObjects } from './remote.ts';
import { sizeOf, type TreeEntry, tooLarge } from './tree.ts';

/** Beyond this a checkout would fill the disk: a few kilobytes in a pack can unfold to gigabytes. */
const maxCheckoutBytes = 4_000_000_000;
/** Whoever reads a page reads its neighbours next, and each request costs more than some pages. */
const maxNeighbours = 200;

interface Source {
  git: Git;
  mirror: Mirror;
  remote: Remote;
  signal: AbortSignal | undefined;
  /** For all mirrors together. */
  maxMirrorBytes: number;
}

/** The contents of the files of a commit, which a partial mirror has only as far as somebody needed them. */
export class CommitContents {
  readonly #source: Source;
  readonly #entries: ReadonlyMap<string, TreeEntry>;
  /** Hashes that the mirror lacks. */
  readonly #missing: Set<string>;
  readonly #measured = new Set<string>();
  #bytes = 0;

  /** @param missing hashes that the mirror lacks */
  constructor(source: Source, entries: readonly TreeEntry[], missing: readonly string[]) {
    this.#source = source;
    this.#entries = new Map(entries.map((entry) => [entry.path, entry]));
    this.#missing = new Set(missing);
  }

  /**
   * Brings what the mirror lacks of these files, in one request. They are about to be checked out.
   * @throws JobFailure too_large where all that was asked for is too much for a disk
   */
  async bring(paths: readonly string[]): Promise<void> {
    await this.#fetch(
      paths.some((path) => this.#lacks(path)) ? [...paths, ...this.#neighboursOf(paths)] : paths,
    );
    await this.#measure(paths);
  }

  /** Brings what can be searched below a folder, or at a file; '' is all. */
  async bringReadable(inside: string): Promise<void> {
    const isInside = (path: string) => inside === '' || path === inside || path.startsWith(`${inside}/`);
    await this.#fetch([...this.#entries.keys()].filter((path) => isInside(path) && isReadable(path)));
  }

  #lacks(path: string): boolean {
    return this.#missing.has(this.#entries.get(path)?.hash ?? '');
  }

  #neighboursOf(paths: readonly string[]): string[] {
    const folders = new Set(paths.map((path) => dirname(path)));
    const isNear = (path: string) => folders.has(dirname(path)) && isReadable(path) && this.#lacks(path);
    return [...this.#entries.keys()].filter(isNear).slice(0, maxNeighbours);
  }

  async #fetch(paths: readonly string[]): Promise<void> {
    const hashes = new Set(paths.flatMap((path) => this.#entries.get(path)?.hash ?? []));
    const due = [...hashes].filter((hash) => this.#missing.has(hash));
    if (due.length === 0) return;
    const { mirror, maxMirrorBytes, ...call } = this.#source;
    await fetchObjects(call, mirror, due, maxMirrorBytes);
    for (const hash of due) this.#missing.delete(hash);
  }

  async #measure(paths: readonly string[]): Promise<void> {
    const { git, mirror } = this.#source;
    const fresh = paths.filter((path) => !this.#measured.has(path));
    if (fresh.length === 0) return;
    this.#bytes += await sizeOf(
      git,
      mirror,
      fresh.flatMap((path) => this.#entries.get(path) ?? []),
    );
    for (const path of fresh) this.#measured.add(path);
    if (this.#bytes <= maxCheckoutBytes) return;
    throw tooLarge(
      `The files of the repository take ${this.#bytes} bytes; at most ${maxCheckoutBytes} can be checked out.`,
    );
  }
}
