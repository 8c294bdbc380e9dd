import { basename } from 'node:path';

export interface CommitSource {
  paths: readonly string[];
  /** Those that are links or submodules, which are never brought. */
  links: ReadonlySet<string>;
  /** Puts files on the disk, with the folders above them. */
  checkOut: (paths: readonly string[]) => Promise<unknown>;
  /** Makes an index of all readable files, with their contents below a folder or at a file; '' is all. */
  makeSearchable: (inside: string) => Promise<SearchIndex>;
}

/** Variables by which git finds an index and the contents of what is in it. */
export interface SearchIndex extends Record<string, string> {
  GIT_DIR: string;
  GIT_INDEX_FILE: string;
}

type EntryKind = 'file' | 'folder' | 'link';

/**
 * The files of a commit that a folder on the disk has only as far as somebody asked for them: most turns look at few.
 * Tools that work in the folder call `bring` before they look at a path.
 */
export class CommitFiles {
  /** Files that are not on the disk yet. */
  readonly #waiting = new Set<string>();
  readonly #links: ReadonlySet<string>;
  /** What lies directly in a folder; '' is the root. */
  readonly #folders = new Map<string, Set<string>>();
  /** How many files in a folder and below it are not on the disk yet. */
  readonly #waitingIn = new Map<string, number>();
  readonly #checkOut: CommitSource['checkOut'];
  readonly makeSearchable: CommitSource['makeSearchable'];
  #last: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  constructor({ paths, links, checkOut, makeSearchable }: CommitSource) {
    this.#links = links;
    this.#checkOut = checkOut;
    this.makeSearchable = makeSearchable;
    for (const path of paths) this.#add(path);
  }

  #add(path: string): void {
    this.#waiting.add(path);
    let child = path;
    for (const folder of foldersAbove(path)) {
      const names = this.#folders.get(folder) ?? new Set();
      this.#folders.set(folder, names.add(child));
      this.#waitingIn.set(folder, (this.#waitingIn.get(folder) ?? 0) + 1);
      child = folder;
    }
  }

  /** Whether the path is in the commit only. A file that was brought and is gone was deleted. */
  isWaiting(path: string): boolean {
    return this.#waiting.has(path);
  }

  /** What lies directly in a folder and waits there, or holds something that waits. */
  list(folder: string): { path: string; kind: EntryKind }[] {
    return [...(this.#folders.get(folder) ?? [])].flatMap((path) => {
      const kind = this.#kindOf(path);
      return kind ? [{ path, kind }] : [];
    });
  }

  #kindOf(path: string): EntryKind | undefined {
    if (this.#links.has(path)) return 'link';
    if (this.#waiting.has(path)) return 'file';
    return this.#waitingIn.get(path) ? 'folder' : undefined;
  }

  /** The first file on the way to a path, or at it, that is not on the disk yet. */
  findWaiting(path: string): string | undefined {
    return [...foldersAbove(path).reverse(), path].find(
      (part) => this.#waiting.has(part) && !this.#links.has(part),
    );
  }

  /** Whether the commit has a folder there that holds something that waits. */
  hasFolder(path: string): boolean {
    return (this.#waitingIn.get(path) ?? 0) > 0;
  }

  /** Puts those on the disk that decide which new files are left out. */
  async bringIgnores(): Promise<void> {
    await this.bring([...this.#waiting].filter((path) => basename(path) === '.gitignore'));
  }

  /** Throws again what kept a file from being brought: the tool that works in the folder may have ignored it. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Puts files on the disk, one call after the other. @throws what `checkOut` throws */
  async bring(paths: readonly string[]): Promise<void> {
    const bringing = this.#last.then(async () => {
      const due = paths.filter((path) => this.#waiting.has(path) && !this.#links.has(path));
      if (due.length > 0) await this.#checkOut(due);
      for (const path of due) this.#noteBrought(path);
    });
    this.#last = bringing.catch((error: unknown) => {
      this.#failure ??= error;
    });
    await bringing;
  }

  #noteBrought(path: string): void {
    this.#waiting.delete(path);
    for (const folder of foldersAbove(path)) {
      this.#waitingIn.set(folder, (this.#waitingIn.get(folder) ?? 0) - 1);
    }
  }
}

/** From the nearest to the root, which is ''. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    folders.push(path.slice(0, end));
  }
  return [...folders, ''];
}
