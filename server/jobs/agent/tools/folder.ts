import { hash } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { JobFailure } from '../../failure.ts';
import { findWrongContent } from '../../git/content/content-check.ts';
import { isReadable } from '../../git/content/readable.ts';
import { findProtection, findUnportable, foldTwin, isGitName } from '../../git/path.ts';
import { createPathRules, type PathRules } from '../../git/path-rules.ts';
import type { CommitFiles } from '../../git/workspace/commit-files.ts';
import { type Builds, plainBuilds } from '../../site/directives/new-directives.ts';
import type { KnownSite } from '../../site/known-site.ts';
import type { AgentLimits } from '../limits.ts';
import { parsePath, shown } from './path.ts';
import { ToolError } from './tool-error.ts';

interface FolderEntry {
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other';
}

type FolderLimits = Pick<AgentLimits, 'changedFiles' | 'changedBytes' | 'fileBytes'>;

/**
 * The files that an agent may touch: ordinary files below one directory, reached through ordinary directories. Links
 * are never followed. Nothing else may write into the directory meanwhile.
 */
export class Folder {
  readonly root: string;
  /** How often something was changed, so that others can see whether anything happened in between. */
  changes = 0;
  readonly #limits: FolderLimits;
  readonly #links: ReadonlySet<string>;
  /** Files that may not be on the disk yet. */
  readonly commitFiles: CommitFiles | undefined;
  readonly #rules: PathRules;
  readonly #conflicted: ReadonlySet<string>;
  readonly #isIgnored: ((path: string) => Promise<boolean>) | undefined;
  readonly #knownSite: Pick<KnownSite, 'paths' | 'findBuilds'> | undefined;
  #paths: ReadonlySet<string> | undefined;
  readonly #changed = new Map<string, number>();
  /** What each changed file held last, as a hash; empty: it is gone. */
  readonly #contents = new Map<string, string>();

  /**
   * @param root an absolute path without links in it.
   * @param checkout paths that are links or submodules in git, and look like files or folders here; what is checked out
   * on demand; the project's globs of files that may be changed besides content; and which new files no commit takes.
   */
  constructor(
    root: string,
    limits: FolderLimits,
    checkout: {
      links?: ReadonlySet<string>;
      commitFiles?: CommitFiles | undefined;
      paths?: readonly string[];
      conflicted?: ReadonlySet<string>;
      isIgnored?: (path: string) => Promise<boolean>;
      knownSite?: Pick<KnownSite, 'paths' | 'findBuilds'> | undefined;
    } = {},
  ) {
    this.root = root;
    this.#limits = limits;
    this.#links = checkout.links ?? new Set();
    this.commitFiles = checkout.commitFiles;
    this.#rules = createPathRules(checkout.paths ?? []);
    this.#conflicted = checkout.conflicted ?? new Set();
    this.#isIgnored = checkout.isIgnored;
    this.#knownSite = checkout.knownSite;
  }

  /** The same for the same files, however they came about. */
  get state(): string {
    const files = [...this.#contents].sort(([a], [b]) => (a < b ? -1 : 1));
    return hash('sha256', JSON.stringify(files));
  }

  /** Whether the path is a link or a submodule, or below one. */
  isLink(path: string): boolean {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.#links.has(path.slice(0, end))) return true;
    }
    return false;
  }

  /** Paths that were written, moved or deleted, whatever is there now. */
  get touched(): string[] {
    return [...this.#changed.keys()];
  }

  /** @throws ToolError for a file that is missing, too large or not an ordinary one. */
  async read(path: string): Promise<Buffer> {
    const full = await this.#findFile(path);
    const handle = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > this.#limits.fileBytes) {
        throw new ToolError(
          `${shown(path)} is ${size} bytes large, too large to be read or edited. Leave it as it is.`,
        );
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  /** What lies at the path; undefined where there is nothing. */
  async findKind(path: string): Promise<FolderEntry['kind'] | undefined> {
    const { stats } = await this.#look(path);
    return stats && kindOf(stats);
  }

  /** Creates the file and the directories above it, or replaces the file and keeps its mode. */
  async write(path: string, content: string | Uint8Array): Promise<void> {
    const { full, stats } = await this.#lookToChange(path);
    if (stats !== undefined && !stats.isFile()) throw notAFile(path, stats);
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
    if (bytes.length > this.#limits.fileBytes) {
      throw new ToolError(
        `That is ${bytes.length} bytes, and a file may have ${this.#limits.fileBytes}. Write less.`,
      );
    }
    await this.#checkContent(path, stats && (await this.read(path)), bytes);
    if (typeof content === 'string' && !isReadable(path)) throw notItsName(path);
    if (stats === undefined) await this.#checkNew(path);
    this.#charge(path, bytes.length, bytes);
    await mkdir(dirname(full), { recursive: true });
    // A new file in place of the old one, so that a second name of the old one keeps its content.
    if (stats !== undefined) await unlink(full);
    const handle = await open(full, 'wx', stats === undefined ? 0o644 : stats.mode & 0o777);
    try {
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
  }

  async remove(path: string): Promise<void> {
    const full = await this.#findFile(path, 'to change');
    await this.#checkContent(path, await this.#readSmall(path), undefined);
    this.#charge(path, 0);
    await unlink(full);
    await this.#removeEmpty(dirname(full));
  }

  /** @param leaving the folder that is moved with all that is in it, or the file @throws ToolError */
  async checkMove(
    from: string,
    to: string,
    leaving: string,
  ): Promise<{ full: string; target: string; content: Buffer | undefined }> {
    const full = await this.#findFile(from, 'to change');
    const target = await this.#lookToChange(to);
    if (target.stats !== undefined)
      throw new ToolError(`There is already something at ${shown(to)}. Choose another name.`);
    if (isReadable(from) !== isReadable(to)) throw notItsName(to);
    await this.#checkNew(to, leaving);
    const content = await this.#readSmall(from);
    await this.#checkContent(from, content, undefined);
    // By another extension, other programs read it.
    await this.#checkContent(to, extname(from) === extname(to) ? content : undefined, content);
    return { full, target: target.full, content };
  }

  /** @throws ToolError where so many more files may not be changed in this turn */
  checkRoom(files: number): void {
    const most = this.#limits.changedFiles;
    if (this.#changed.size + files <= most) return;
    throw new ToolError(
      `That would change ${this.#changed.size + files} files with their old names, and a turn may change ${most}. Move fewer at once.`,
    );
  }

  async move(from: string, to: string, leaving: string = from): Promise<void> {
    const { full, target, content } = await this.checkMove(from, to, leaving);
    const written = this.#changed.get(parsePath(from)) ?? 0;
    this.#charge(from, 0);
    this.#charge(to, written, content ?? Buffer.from(`from ${from}`));
    await mkdir(dirname(target), { recursive: true });
    await rename(full, target);
    await this.#removeEmpty(dirname(full));
  }

  /** What lies directly in a directory, sorted by name, without git's own files. */
  async list(path: string): Promise<FolderEntry[]> {
    const above = parsePath(path);
    const { full, stats } = await this.#look(above);
    if (stats === undefined)
      throw new ToolError(`There is no folder ${shown(path)}. List the folder above it.`);
    if (!stats.isDirectory())
      throw new ToolError(`${shown(path)} is not a folder. Read it with the read tool.`);
    const kinds = new Map<string, FolderEntry['kind']>();
    for (const { path: inside, kind } of this.commitFiles?.list(above) ?? []) kinds.set(inside, kind);
    for (const entry of await readdir(full, { withFileTypes: true })) {
      const inside = above === '' ? entry.name : `${above}/${entry.name}`;
      if (!isGitName(entry.name)) kinds.set(inside, this.isLink(inside) ? 'link' : kindOf(entry));
    }
    return [...kinds]
      .map(([inside, kind]) => ({ path: inside, kind }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #findFile(path: string, purpose: 'to read' | 'to change' = 'to read'): Promise<string> {
    const { full, stats } = await (purpose === 'to read' ? this.#look(path) : this.#lookToChange(path));
    if (stats === undefined)
      throw new ToolError(`There is no file ${shown(path)}. Use the list tool to find it.`);
    if (!stats.isFile()) throw notAFile(path, stats);
    return full;
  }

  async #lookToChange(path: string): Promise<{ full: string; stats: Stats | undefined }> {
    const parsed = parsePath(path);
    const refusal = this.#rules.findRefusal(parsed);
    if (refusal === undefined) return this.#look(path);
    // "a: b.md" is no page to some systems, which is not what is wrong with a new one.
    const wrong = findProtection(parsed) ?? findUnportable(parsed.split('/'), parsed);
    if (wrong === undefined || wrong === refusal) throw notForAgents(path, refusal);
    throw (await this.#look(path)).stats ? notForAgents(path, refusal) : notPortable(path, wrong);
  }

  async #checkContent(path: string, before: Buffer | undefined, after: Buffer | undefined): Promise<void> {
    const parsed = parsePath(path);
    // Half of a conflict cannot be judged: what it becomes in the end is, before it is committed.
    if (this.#conflicted.has(parsed)) return;
    const isNamed = this.#rules.isNamed(parsed);
    const wrong = await findWrongContent({ path: parsed, before, after }, isNamed, () => this.#findBuilds());
    if (wrong !== undefined) throw notForAgents(path, wrong);
  }

  async #findBuilds(): Promise<Builds> {
    const known = this.#knownSite;
    if (known === undefined) return plainBuilds;
    this.#paths ??= new Set(known.paths);
    const paths = this.#paths;
    // Of what was touched, the last hash is empty where it is gone.
    const has = (path: string) => {
      const content = this.#contents.get(path);
      return content === undefined ? paths.has(path) : content !== '';
    };
    return { builds: await known.findBuilds(), has };
  }

  /** Refuses a new file that some system cannot check out, or that the commit would not hold. */
  async #checkNew(path: string, from = ''): Promise<void> {
    const parsed = parsePath(path);
    const names = parsed.split('/');
    let above = '';
    for (const [index, name] of names.entries()) {
      const siblings = await this.list(above);
      const inside = above === '' ? name : `${above}/${name}`;
      if (!siblings.some((sibling) => sibling.path === inside)) {
        const twin = siblings.find(
          (sibling) => sibling.path !== parsePath(from) && foldTwin(sibling.path) === foldTwin(inside),
        );
        if (twin) throw notPortable(path, `some systems take it for ${shown(twin.path)}`);
        const wrong = findUnportable(names.slice(index), parsed);
        if (wrong !== undefined) throw notPortable(path, wrong);
        break;
      }
      above = inside;
    }
    if (await this.#isIgnored?.(parsed).catch(endRun)) {
      throw new ToolError(
        `${shown(path)} is ignored by the repository (.gitignore), so no commit would hold it. Choose another place.`,
      );
    }
  }

  /** Undefined for a file that is too large to be read; such ones are images. */
  async #readSmall(path: string): Promise<Buffer | undefined> {
    const { stats } = await this.#look(path);
    return stats && stats.size <= this.#limits.fileBytes ? await this.read(path) : undefined;
  }

  /** Checks every name on the way; `stats` is undefined where nothing exists yet. */
  async #look(path: string): Promise<{ full: string; stats: Stats | undefined }> {
    const parsed = parsePath(path);
    if (this.isLink(parsed)) throw aLink(parsed);
    await this.#bring(parsed);
    const names = parsed.split('/');
    let full = this.root;
    let stats = await lstat(full);
    for (const [index, name] of names.entries()) {
      if (name === '') break;
      if (!stats.isDirectory()) {
        throw new ToolError(
          `${shown(names.slice(0, index).join('/'))} is not a folder, so nothing can lie below it.`,
        );
      }
      full = join(full, name);
      const found = await lstat(full).catch(undefinedIfMissing);
      if (found?.isSymbolicLink()) throw aLink(names.slice(0, index + 1).join('/'));
      if (found === undefined) return { full: join(this.root, ...names), stats: undefined };
      stats = found;
    }
    return { full, stats };
  }

  /** Puts on the disk what the commit has at the path, or on the way to it. */
  async #bring(path: string): Promise<void> {
    if (!this.commitFiles) return;
    const waiting = this.commitFiles.findWaiting(path);
    if (waiting !== undefined) await this.commitFiles.bring([waiting]).catch(endRun);
    else if (this.commitFiles.hasFolder(path)) await mkdir(join(this.root, path), { recursive: true });
  }

  /** Counts a change before it is made. @throws JobFailure, as one over the limit ends the run. */
  #charge(path: string, bytes: number, content?: Buffer): void {
    const { changedFiles, changedBytes } = this.#limits;
    this.#changed.set(parsePath(path), bytes);
    this.#contents.set(parsePath(path), content ? hash('sha256', content) : '');
    this.changes += 1;
    if (this.#changed.size > changedFiles) {
      throw new JobFailure(
        'files',
        `The agent changed more than ${changedFiles} files. Ask for less at once.`,
      );
    }
    const total = [...this.#changed.values()].reduce((sum, size) => sum + size, 0);
    if (total > changedBytes) {
      throw new JobFailure('bytes', `The agent wrote more than ${changedBytes} bytes. Ask for less at once.`);
    }
  }

  /** Git keeps no empty directories, so none is left behind. */
  async #removeEmpty(directory: string): Promise<void> {
    for (let full = directory; full !== this.root; full = dirname(full)) {
      try {
        await rmdir(full);
      } catch {
        return;
      }
    }
  }
}

function kindOf(entry: Stats | Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** What ended the run otherwise, such as a lost lease, its caller asks the files for. */
export function endRun(cause: unknown): never {
  if (cause instanceof JobFailure) throw cause;
  throw new JobFailure('aborted', 'A file of the repository could not be checked out.', { cause });
}

function notForAgents(path: string, why: string): ToolError {
  return new ToolError(
    `${shown(path)} may not be changed like this: ${why}. Say in your summary what a person should change in it.`,
  );
}

function notItsName(path: string): ToolError {
  return new ToolError(
    `${shown(path)} would not hold what its name says: text has no such extension. Choose another name.`,
  );
}

function notPortable(path: string, why: string): ToolError {
  return new ToolError(`${shown(path)} cannot be checked out everywhere: ${why}. Choose another name.`);
}

function aLink(path: string): ToolError {
  return new ToolError(
    `${shown(path)} is a link or a submodule, and these are neither followed nor changed.`,
  );
}

function notAFile(path: string, stats: Stats): ToolError {
  if (stats.isDirectory()) return new ToolError(`${shown(path)} is a folder. Name a file in it.`);
  return new ToolError(`${shown(path)} is not an ordinary file. Leave it as it is.`);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
