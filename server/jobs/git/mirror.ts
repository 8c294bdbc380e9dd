import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../failure.ts';
import type { FolderLock, FolderLocks } from './folder-lock.ts';
import type { Git } from './git.ts';
import { unreadable } from './git-failure.ts';
import type { Repository } from './repository.ts';

/** A bare, partial copy of a repository that all its jobs share. */
export interface Mirror {
  gitDir: string;
  /** Commits that were seen in it a while ago at most, so that git is not asked at each step of a turn. */
  seen: Set<string>;
}

interface MirrorOptions {
  git: Git;
  /** An absolute path of ours on one file system. */
  root: string;
  /** For all mirrors together; one alone may not grow beyond it either. */
  maxBytes: number;
  locks: FolderLocks;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** How long a commit is taken for there. Whatever takes it away meanwhile is noticed where it is used. */
const seenForMs = 600_000;

/** Beyond these, git looks through more files for every object than packing them anew costs. */
const maxPacks = 50;
const maxPins = 200;
/** Objects that no turn needs any more: failed pushes and replaced commits. */
const unusedFor = '7.days.ago';

/** No conversion of line ends or encodings, no keywords, no filters: a checkout has the bytes of the commit. */
const attributes = '* -text -eol -ident -filter !working-tree-encoding !diff !merge\n';

export class Mirrors {
  readonly #git: Git;
  readonly #root: string;
  readonly #locks: FolderLocks;
  readonly #now: () => number;
  readonly #seen = new Map<string, { since: number; inode: number; commits: Set<string> }>();
  readonly maxBytes: number;

  constructor({ git, root, maxBytes, locks, now }: MirrorOptions) {
    this.#git = git;
    this.#root = root;
    this.maxBytes = maxBytes;
    this.#locks = locks;
    this.#now = now;
  }

  /**
   * Runs `action` with the mirror of a repository, which is made when there is none. A mirror that turns out to be
   * damaged is thrown away, and the action run once more with a new one.
   * @param commit any full hash of the repository: its length shows the hash function
   */
  async use<T>(repository: Repository, commit: string, action: (mirror: Mirror) => Promise<T>): Promise<T> {
    try {
      return await this.#useOnce(repository, commit, action);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    try {
      return await this.#useOnce(repository, commit, action);
    } catch (error) {
      throw isDamage(error) ? unreadable(error, repository.url) : error;
    }
  }

  lock({ gitDir }: Pick<Mirror, 'gitDir'>): Promise<FolderLock> {
    return this.#locks.take(gitDir);
  }

  async #useOnce<T>(
    repository: Repository,
    commit: string,
    action: (mirror: Mirror) => Promise<T>,
  ): Promise<T> {
    const gitDir = await this.#open(repository, commit.length === 64 ? 'sha256' : 'sha1');
    const lock = await this.#locks.take(gitDir);
    const { ino } = await stat(gitDir);
    try {
      return await action({ gitDir, seen: this.#seenIn(gitDir, ino) });
    } catch (error) {
      if (isDamage(error)) {
        // Another job may have made a new one already: that one stays.
        if ((await inodeOf(gitDir)) === ino) await this.#discard(gitDir);
      }
      throw error;
    } finally {
      await lock.release();
    }
  }

  #seenIn(gitDir: string, inode: number): Set<string> {
    const known = this.#seen.get(gitDir);
    if (known?.inode === inode && this.#now() - known.since < seenForMs) return known.commits;
    const fresh = { since: this.#now(), inode, commits: new Set<string>() };
    this.#seen.set(gitDir, fresh);
    return fresh.commits;
  }

  async #open(repository: Repository, format: 'sha1' | 'sha256'): Promise<string> {
    const name = createHash('sha256').update(`${format} ${repository.url}`).digest('hex').slice(0, 40);
    const gitDir = join(this.#root, name);
    if (!(await isMade(gitDir))) await this.#create(gitDir, repository.url, format);
    return gitDir;
  }

  /** Made aside and moved into place whole, so that a kill or a second process leaves no half-made mirror. */
  async #create(gitDir: string, url: string, format: 'sha1' | 'sha256'): Promise<void> {
    const made = join(this.#root, `new-${randomUUID()}`);
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await this.#git({
      args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, made],
    });
    const config = `[remote "origin"]\n\turl = ${quote(url)}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n`;
    await writeFile(join(made, 'config'), config, { flag: 'a' });
    await mkdir(join(made, 'info'), { recursive: true });
    await writeFile(join(made, 'info', 'attributes'), attributes);
    try {
      await rename(made, gitDir);
    } catch {
      await this.#replace(made, gitDir);
    }
  }

  /** Something is in the way: the mirror that another process has just made, or rubbish without a HEAD. */
  async #replace(made: string, gitDir: string): Promise<void> {
    if (await isMade(gitDir)) return await rm(made, { recursive: true, force: true });
    await this.#discard(gitDir);
    await rename(made, gitDir).catch((cause) => {
      throw new JobFailure('locked', 'Another process is making the mirror of this repository.', { cause });
    });
  }

  /** Moved first, as that is one step; removing takes a while. */
  async #discard(gitDir: string): Promise<void> {
    this.#seen.delete(gitDir);
    const old = join(this.#root, `old-${randomUUID()}`);
    await rename(gitDir, old).catch(ignoreMissing);
    await rm(old, { recursive: true, force: true });
  }

  /** Removes what killed processes left, packs worn mirrors anew, and keeps all of them together below `maxBytes`. */
  async tidy(): Promise<void> {
    const names = await readdir(this.#root).catch(() => []);
    const mirrors: { gitDir: string; lastUsedAt: number }[] = [];
    for (const name of names) {
      const gitDir = join(this.#root, name);
      if (await this.#locks.isLocked(gitDir)) continue;
      if (/^(?:new|old)-/.test(name)) await rm(gitDir, { recursive: true, force: true });
      else {
        // One that cannot be packed is made again when it is needed.
        await this.#packWhenWorn(gitDir).catch(() => this.#discard(gitDir));
        mirrors.push({ gitDir, lastUsedAt: await this.#locks.lastUsedAt(gitDir) });
      }
    }
    const oldestFirst = mirrors.toSorted((one, other) => one.lastUsedAt - other.lastUsedAt);
    await this.#evict(oldestFirst.map(({ gitDir }) => gitDir));
  }

  async #evict(oldestFirst: string[]): Promise<void> {
    let total = await sizeOf(this.#root);
    for (const gitDir of oldestFirst) {
      if (total <= this.maxBytes) return;
      const bytes = await sizeOf(gitDir);
      if (await this.#locks.isLocked(gitDir)) continue;
      await this.#discard(gitDir);
      total -= bytes;
    }
  }

  async #packWhenWorn(gitDir: string): Promise<void> {
    const packs = await readdir(join(gitDir, 'objects', 'pack')).catch(() => []);
    if (packs.filter((name) => name.endsWith('.pack')).length <= maxPacks) return;
    const environment = { GIT_DIR: gitDir };
    const listed = await this.#git({
      args: ['for-each-ref', '--sort=-committerdate', '--format=delete %(refname)', 'refs/pins/'],
      environment,
    });
    const surplus = listed.stdout.toString().split('\n').slice(maxPins).join('\n');
    await this.#git({ args: ['update-ref', '--stdin'], environment, input: surplus });
    await this.#git({ args: ['gc', '--quiet', `--prune=${unusedFor}`], environment, timeoutMs: 600_000 });
  }
}

function isDamage(error: unknown): error is JobFailure {
  return error instanceof JobFailure && error.code === 'mirror_damaged';
}

function quote(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

async function isMade(gitDir: string): Promise<boolean> {
  return (await inodeOf(join(gitDir, 'HEAD'))) !== undefined;
}

async function inodeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    (stats) => stats.ino,
    () => undefined,
  );
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

/** Bytes in a folder and all below it. Files that vanish meanwhile count as nothing. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map((entry) =>
      lstat(join(entry.parentPath, entry.name)).then(
        (stats) => stats.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
