import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Conflict } from '../conflict.ts';
import { isReadable } from '../content/readable.ts';
import type { FolderLocks } from '../folder-lock.ts';
import type { Git, GitCall, GitResult, Remote } from '../git.ts';
import { lacksObject } from '../git-failure.ts';
import type { Launcher } from '../launcher/launcher.ts';
import type { Mirror, Mirrors } from '../mirror.ts';
import { checkTree, isReadByGit, plainFiles, readTree, type TreeEntry } from '../tree.ts';
import { CommitContents } from './commit-contents.ts';
import { CommitFiles, type CommitSource } from './commit-files.ts';

/** The files of one commit in a folder of their own, for one turn. */
export interface Workspace {
  /** Where the files are: an absolute path of ours, itself free of links. */
  root: string;
  /** Paths that are links or submodules in git, though they look like plain files or folders here. */
  links: ReadonlySet<string>;
  /** Where files are checked out on demand: those that may not be there yet. */
  commitFiles: CommitFiles | undefined;
  /** What git is asked for of the commit has to be brought first. */
  contents: Pick<CommitContents, 'bring' | 'bringReadable'>;
  /** What the files were before the turn. */
  commit: string;
  /** The same without marks of conflicts. */
  sound: string;
  /** Of a merge, what nobody has brought together yet. */
  conflicts: readonly Conflict[];
  /** The plain files of the commit. */
  files: readonly TreeEntry[];
  /**
   * Runs git on this workspace, without the network unless the mirror lacks what git looks for. There is no `.git` in
   * it: what a program leaves there is not read.
   */
  git(call: WorkspaceCall): Promise<GitResult>;
  /** Makes the folder a repository of its own, for outside agents that want one; we never read it. */
  giveRepository(): Promise<void>;
  /** Whether a new file would be left out of the commit, by the repository's own rules. */
  isIgnored: (path: string) => Promise<boolean>;
  /** Throws the files away. */
  close(): Promise<void>;
}

interface WorkspaceCall extends Pick<GitCall, 'args' | 'input' | 'maxBytes' | 'signal' | 'accept'> {
  /** Works on an index of its own, in which changes are staged; otherwise on that of the checkout. */
  staged?: boolean;
}

interface WorkspaceOptions {
  git: Git;
  launcher: Launcher;
  /** Where programs are searched for. */
  path: string;
  root: string;
  mirrors: Mirrors;
  locks: FolderLocks;
}

interface Checkout extends Pick<Workspace, 'commit' | 'sound' | 'conflicts'> {
  mirror: Mirror;
  /** Contents of files may have to be fetched. */
  remote: Remote;
  signal: AbortSignal | undefined;
  /** Checks out what is asked for; otherwise everything at once. */
  onDemand: boolean;
  /** The folder in which most of what is asked for will be; '' where that is not known. */
  near: string;
  /** Runs what reads the mirror later, and throws a mirror away that turns out to be damaged. */
  use: <T>(action: () => Promise<T>) => Promise<T>;
}

const checkoutTimeoutMs = 300_000;
const removalTimeoutMs = 600_000;
const link = '120000';
const submodule = '160000';

export class Workspaces {
  readonly #options: WorkspaceOptions;
  readonly #removals = new Set<Promise<void>>();

  constructor(options: WorkspaceOptions) {
    this.#options = options;
  }

  /** The commit must be in the mirror. */
  async open(checkout: Checkout): Promise<Workspace> {
    const { locks, mirrors, root } = this.#options;
    const folder = join(root, randomUUID());
    await mkdir(root, { recursive: true, mode: 0o700 });
    const taken = await Promise.all([locks.take(folder), mirrors.lock(checkout.mirror)]);
    const close = async () => {
      await this.#throwAway(folder);
      await Promise.all(taken.map((lock) => lock.release()));
    };
    try {
      return this.#workspace(folder, checkout, await this.#fill(folder, checkout), close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  #workspace(
    folder: string,
    { mirror, commit, sound, conflicts, remote }: Checkout,
    filled: Pick<Workspace, 'files' | 'links' | 'commitFiles' | 'contents'>,
    close: () => Promise<void>,
  ): Workspace {
    const { git } = this.#options;
    const environment = {
      ...placesOf(folder, mirror),
      // What a turn stages stays out of the mirror.
      GIT_OBJECT_DIRECTORY: join(folder, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(mirror.gitDir, 'objects'),
    };
    const runHere: Workspace['git'] = async ({ staged, ...rest }) => {
      const places = staged ? { ...environment, GIT_INDEX_FILE: join(folder, 'staged') } : environment;
      const call = { ...rest, environment: places };
      try {
        return await git(call);
      } catch (error) {
        // One that asks for the network itself does not get it.
        if (!lacksObject(error) || rest.args[0] === 'fetch') throw error;
        return await git({ ...call, remote });
      }
    };
    return {
      root: join(folder, 'tree'),
      ...{ commit, sound, conflicts },
      ...filled,
      git: runHere,
      isIgnored: async (path) => {
        const args = ['--no-literal-pathspecs', 'check-ignore', '--quiet', '-z', '--stdin'];
        return (await runHere({ args, input: `${path}\0`, accept: [0, 1] })).code === 0;
      },
      giveRepository: () => this.#giveRepository(folder, mirror, commit),
      close,
    };
  }

  async #fill(
    folder: string,
    checkout: Checkout,
  ): Promise<Pick<Workspace, 'files' | 'links' | 'commitFiles' | 'contents'>> {
    const { git, mirrors } = this.#options;
    const { mirror, commit, remote, signal, onDemand, near, use } = checkout;
    await Promise.all(['tree', 'objects'].map((name) => mkdir(join(folder, name), { mode: 0o700 })));
    const entries = await readTree(git, mirror, commit);
    checkTree(entries);
    const looking = await makeLooking(folder, checkout);
    const source = { git, looking, mirror, remote, signal, maxMirrorBytes: mirrors.maxBytes, use };
    const contents = new CommitContents(source, entries, near);
    if (!onDemand) await contents.bring(entries.map(({ path }) => path));
    const places = placesFor(folder, checkout);
    await git({ ...places, args: ['read-tree', '--reset', ...(onDemand ? [] : ['-u']), commit] });
    const linked = entries.filter(({ mode }) => mode === link || mode === submodule);
    const links = new Set(linked.map(({ path }) => path));
    const files = plainFiles(entries);
    if (!onDemand) return { files, links, contents, commitFiles: undefined };
    const commitFiles = new CommitFiles({
      paths: entries.map(({ path }) => path),
      links,
      checkOut: this.#checkOutOf(folder, checkout, contents),
      makeSearchable: this.#searchIndexOf(folder, checkout, contents, entries),
    });
    // In one request, before git looks for them in the middle of something else.
    await contents.bring(entries.map(({ path }) => path).filter(isReadByGit));
    await commitFiles.bringIgnores();
    return { files, links, contents, commitFiles };
  }

  #checkOutOf(folder: string, checkout: Checkout, contents: CommitContents): CommitSource['checkOut'] {
    const places = placesFor(folder, checkout);
    return async (paths) => {
      await contents.bring(paths);
      const input = paths.map((path) => `${path}\0`).join('');
      // By force: a damaged mirror may have left a part of a file behind.
      const args = ['checkout-index', '--force', '-z', '--stdin'];
      await checkout.use(() => this.#options.git({ ...places, args, input }));
    };
  }

  #searchIndexOf(
    folder: string,
    { mirror }: Checkout,
    contents: CommitContents,
    entries: readonly TreeEntry[],
  ): CommitSource['makeSearchable'] {
    const index = { GIT_DIR: mirror.gitDir, GIT_INDEX_FILE: join(folder, 'searched') };
    let listed: Promise<void> | undefined;
    return async (inside) => {
      await contents.bringReadable(inside);
      listed ??= listReadable(this.#options.git, index, entries);
      await listed;
      return index;
    };
  }

  /** Whole, with this one commit, and with no link to the mirror; its hooks and settings are its own business. */
  async #giveRepository(folder: string, mirror: Mirror, commit: string): Promise<void> {
    const { git } = this.#options;
    const gitDir = join(folder, 'tree', '.git');
    const format = commit.length === 64 ? 'sha256' : 'sha1';
    await git({
      args: ['init', '--quiet', '--template=', `--object-format=${format}`, join(folder, 'tree')],
    });
    await writeFile(join(gitDir, 'config'), '\tsymlinks = false\n', { flag: 'a' });
    await mkdir(join(gitDir, 'info'), { recursive: true });
    await copyFile(join(mirror.gitDir, 'info', 'attributes'), join(gitDir, 'info', 'attributes'));
    await this.#copyCommit(mirror, commit, join(gitDir, 'objects', 'pack', 'pack'));
    await writeFile(join(gitDir, 'shallow'), `${commit}\n`);
    await git({ args: ['update-ref', '--no-deref', 'HEAD', commit], environment: { GIT_DIR: gitDir } });
    await copyFile(join(folder, 'index'), join(gitDir, 'index'));
  }

  /** Writes a pack of one commit with its files. */
  async #copyCommit(mirror: Mirror, commit: string, pack: string): Promise<void> {
    const { git } = this.#options;
    const environment = { GIT_DIR: mirror.gitDir };
    const listed = await git({
      args: ['rev-list', '--objects', '--no-object-names', `${commit}^{tree}`],
      environment,
      maxBytes: 256_000_000,
    });
    await git({
      // What the mirror has packed is taken as it is.
      args: ['pack-objects', '--quiet', '--window=0', pack],
      environment,
      input: `${commit}\n${listed.stdout}`,
      timeoutMs: checkoutTimeoutMs,
    });
  }

  /**
   * Moved at once, and removed behind the turn's back. What fails, `tidy` removes.
   */
  async #throwAway(folder: string): Promise<void> {
    const old = join(this.#options.root, `old-${randomUUID()}`);
    // It may be gone: another process throws it away if this one was paused for long.
    const moved = await rename(folder, old).catch((error: Error) => error);
    if (moved) return;
    const removal = this.#remove(old);
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }

  /** By a program, as ten thousand files take this process the time of as many hits; by Node where there is no such program. */
  async #remove(folder: string): Promise<void> {
    const { launcher, path, root } = this.#options;
    const program = { program: 'rm', args: ['-rf', '--', folder], cwd: root, env: { PATH: path } };
    const { end } = await launcher.run({ ...program, maxBytes: 1_000, timeoutMs: removalTimeoutMs });
    if (end === 'not_started') await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }

  /** Resolves when all that was thrown away is gone. */
  async drain(): Promise<void> {
    await Promise.all(this.#removals);
  }

  /** Removes what killed processes left. */
  async tidy(): Promise<void> {
    const { root, locks } = this.#options;
    for (const name of await readdir(root).catch(() => [])) {
      const folder = join(root, name);
      if (!(await locks.isLocked(folder))) await this.#throwAway(folder);
    }
    await this.drain();
  }
}

/** Writes an index of the files that can be searched: git would ask for the contents of all others, too. */
async function listReadable(
  git: Git,
  environment: Readonly<Record<string, string>>,
  entries: readonly TreeEntry[],
): Promise<void> {
  const readable = entries.filter(
    ({ mode, path }) => mode.startsWith('100') && isReadable(path) && !path.includes('\ufffd'),
  );
  const input = readable.map(({ mode, hash, path }) => `${mode} ${hash} 0\t${path}\0`).join('');
  await git({ args: ['update-index', '-z', '--index-info'], environment, input });
}

/** A repository that has the mirror's objects and no remote: what is missing is missing, where git would go and fetch it. */
async function makeLooking(folder: string, { mirror, commit }: Checkout): Promise<Record<string, string>> {
  const gitDir = join(folder, 'looking');
  await mkdir(join(gitDir, 'refs'), { recursive: true, mode: 0o700 });
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
  if (commit.length === 64) {
    const format = '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n';
    await writeFile(join(gitDir, 'config'), format);
  }
  return { GIT_DIR: gitDir, GIT_OBJECT_DIRECTORY: join(mirror.gitDir, 'objects') };
}

function placesFor(folder: string, { mirror, signal }: Checkout) {
  return { environment: placesOf(folder, mirror), timeoutMs: checkoutTimeoutMs, signal };
}

function placesOf(folder: string, mirror: Mirror): Record<string, string> {
  return {
    GIT_DIR: mirror.gitDir,
    GIT_WORK_TREE: join(folder, 'tree'),
    GIT_INDEX_FILE: join(folder, 'index'),
  };
}
