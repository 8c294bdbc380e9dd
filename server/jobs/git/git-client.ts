import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ref, readBranch, readRef } from '../../../shared/jobs/git-ref.ts';
import type { MayReach } from '../../net/reach.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';
import type { Call, Look, RepositoryAccess } from './access.ts';
import type { ChangeLimits } from './change.ts';
import {
  type CommitPlan,
  compareCommits,
  type MadeCommit,
  makeCommit,
  type Reapplied,
  readCommitted,
  reapplyChange,
} from './commit.ts';
import { FolderLocks } from './folder-lock.ts';
import { createGit, type Git } from './git.ts';
import { Launcher } from './launcher/launcher.ts';
import type { ListedChange } from './listing.ts';
import { plainStart, startMerge } from './merge.ts';
import { type Mirror, Mirrors } from './mirror.ts';
import { type PushPlan, type PushResult, pushCommit } from './remote/push.ts';
import { ensureCommit, hasCommit, listRefs, type RemoteRefs } from './remote/remote.ts';
import { listTags, type Tag } from './remote/tags.ts';
import { plainFiles, readTree } from './tree.ts';
import { objectToGit } from './version.ts';
import { type Workspace, Workspaces } from './workspace/workspace.ts';

export interface GitClientOptions {
  /** Mirrors, workspaces and scratch files go here; it must be on one file system. */
  root: string;
  /** Where git is searched for. */
  path: string;
  /** HEADCOUNT_GIT_PROTOCOLS. */
  protocols: readonly string[];
  /** HEADCOUNT_PRIVATE_NETWORKS. */
  mayReach: MayReach;
  /** For all mirrors together. */
  maxMirrorBytes: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Proxy and certificate settings for git. */
  network?: Readonly<Record<string, string>>;
  /** For a root of its own, whose commits are only read: they come without those before them. */
  isShallow?: boolean;
}

export interface Pinned {
  commit: string;
  /** What a pull request goes to: the base itself, or the default branch when the base is a tag or a commit. */
  baseBranch: string;
  /** The job's branch. */
  branch: string;
  /** Where the job's branch is now; null: it does not exist. */
  tip: string | null;
}

/**
 * Everything that jobs do with git. Each method may be repeated after a kill at any moment and on any machine: it brings
 * what it needs, and finds what an earlier attempt has done.
 */
export class GitClient {
  readonly #launcher = new Launcher();
  readonly #git: Git;
  readonly #scratch: string;
  readonly #locks: FolderLocks;
  readonly #mirrors: Mirrors;
  readonly #workspaces: Workspaces;
  readonly #now: () => number;
  readonly #isShallow: boolean;

  constructor(options: GitClientOptions) {
    const { root, path, protocols, mayReach, maxMirrorBytes, now, network, isShallow = false } = options;
    this.#isShallow = isShallow;
    this.#scratch = join(root, 'scratch');
    this.#now = now;
    this.#git = createGit({
      launcher: this.#launcher,
      path,
      scratch: this.#scratch,
      protocols,
      mayReach,
      ...(network ? { network } : {}),
    });
    this.#locks = new FolderLocks(now);
    const shared = { git: this.#git, locks: this.#locks };
    this.#mirrors = new Mirrors({ ...shared, root: join(root, 'mirrors'), maxBytes: maxMirrorBytes, now });
    this.#workspaces = new Workspaces({
      ...shared,
      launcher: this.#launcher,
      path,
      root: join(root, 'worktrees'),
      mirrors: this.#mirrors,
    });
  }

  /** Must be called before anything else. @throws JobFailure when git is missing or too old to be made safe */
  async start(): Promise<void> {
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 });
    const { stdout } = await this.#git({ args: ['version'] });
    const objection = objectToGit(stdout.toString());
    if (objection !== undefined) throw new JobFailure('unknown', objection);
    await this.tidy();
  }

  /** Removes what dead processes left, and the least recently used mirrors beyond the limit. Call it now and then. */
  async tidy(): Promise<void> {
    await this.#workspaces.tidy();
    await this.#mirrors.tidy();
    await removeOld(this.#scratch, this.#now() - 3_600_000);
  }

  /** Workspaces must be closed before. */
  async close(): Promise<void> {
    await this.#workspaces.drain();
    this.#locks.close();
    this.#launcher.close();
  }

  /**
   * Finds the commit that a job starts from and the name of its branch. Where a branch such as "headcount" forbids
   * "headcount/job_1", the name becomes "headcount-job_1".
   * @param ref a branch, tag or full hash; '' for the default branch
   * @throws JobFailure bad_ref, missing_base, empty_repository
   */
  async pinBase(
    access: RepositoryAccess,
    ref: string,
    { prefix, name }: { prefix: string; name: string },
  ): Promise<Pinned> {
    const wanted = parseBranch(prefix, name);
    const { refs, ...found } = await this.#findBase(access, ref, [wanted, ...blockersOf(wanted)]);
    await this.#mirrors.use(access.repository, found.commit, (mirror) =>
      ensureCommit(this.#call(access), mirror, found.commit, this.#mirrors.maxBytes),
    );
    return { ...found, ...(await this.#chooseBranch(access, wanted, refs)) };
  }

  async #chooseBranch(
    access: RepositoryAccess,
    wanted: string,
    refs: RemoteRefs,
  ): Promise<Pick<Pinned, 'branch' | 'tip'>> {
    const tipOf = (branch: string, known: RemoteRefs) => known.hashes.get(`refs/heads/${branch}`) ?? null;
    if (blockersOf(wanted).every((blocker) => tipOf(blocker, refs) === null)) {
      return { branch: wanted, tip: tipOf(wanted, refs) };
    }
    const branch = wanted.replaceAll('/', '-');
    return { branch, tip: tipOf(branch, await listRefs(this.#call(access), [`refs/heads/${branch}`])) };
  }

  /** What a pull request of a job that begins at this ref would go to. @throws JobFailure like `pinBase` */
  async findBaseBranch(access: RepositoryAccess, ref: string): Promise<string> {
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 });
    return (await this.#findBase(access, ref)).baseBranch;
  }

  /** Of a branch or tag, or '' for the default branch. @throws JobFailure like `pinBase` */
  async findCommit(access: RepositoryAccess, ref: string): Promise<string> {
    return (await this.#findBase(access, ref)).commit;
  }

  async #findBase(access: RepositoryAccess, ref: string, branches: readonly string[] = []) {
    const base = parseRef(ref);
    const names = [...branches, ...('name' in base ? [base.name] : [])];
    const full = names.map((branch) => `refs/heads/${branch}`);
    if ('name' in base) full.push(`refs/tags/${base.name}`, `refs/tags/${base.name}^{}`);
    const refs = await listRefs(this.#call(access), full);
    return { ...findBase(base, refs, access.repository.url), refs };
  }

  listTags(access: RepositoryAccess): Promise<Tag[]> {
    return listTags(this.#call(access));
  }

  /** Where a branch, or the default branch, is now, with what people pushed to it; null when it is gone. */
  async findTip(access: RepositoryAccess, branch?: string): Promise<string | null> {
    const [tip = null] = await this.findTips(access, [branch]);
    return tip;
  }

  /** The same for several at once, in the same order. */
  async findTips(
    access: RepositoryAccess,
    branches: readonly (string | undefined)[],
  ): Promise<(string | null)[]> {
    const refs = branches.map((branch) => (branch === undefined ? 'HEAD' : `refs/heads/${branch}`));
    const { hashes } = await listRefs(this.#call(access), refs);
    return refs.map((ref) => hashes.get(ref) ?? null);
  }

  /**
   * Checks a commit out, for one turn. Close it, whatever happens.
   * @param onDemand for who brings the files it wants to see, most of them `near` a folder
   * @param merged a commit that is merged into it first, as far as git can
   */
  async openWorkspace(
    access: RepositoryAccess,
    commit: string,
    {
      onDemand = false,
      near = '',
      merged = null,
    }: { onDemand?: boolean; near?: string; merged?: string | null } = {},
  ): Promise<Workspace> {
    return await this.look(access, commit, async (call) => {
      const { mirror, remote, signal } = call;
      const start = merged === null ? plainStart(commit) : await startMerge(call, commit, merged);
      const use = <T>(action: () => Promise<T>) => this.#mirrors.use(access.repository, commit, action);
      return await this.#workspaces.open({ mirror, ...start, remote, signal, onDemand, near, use });
    });
  }

  /**
   * Reads one plain file of a commit; undefined when there is none. Links are not followed.
   * @throws JobFailure too_large
   */
  async readFile(
    access: RepositoryAccess,
    commit: string,
    path: string,
    maxBytes: number,
  ): Promise<Buffer | undefined> {
    return await this.look(access, commit, (call) => readCommitted(call, commit, path, maxBytes));
  }

  /** Works on a commit with what commit.ts and merge.ts have for that. */
  async look<T>(access: RepositoryAccess, commit: string, action: (call: Look) => Promise<T>): Promise<T> {
    return await this.#mirrors.use(access.repository, commit, async (mirror) => {
      const look = this.#lookAt(access, mirror);
      await look.ensure(commit);
      return await action(look);
    });
  }

  #lookAt(access: RepositoryAccess, mirror: Mirror): Look {
    const call = this.#call(access);
    const ensure = (commit: string) => ensureCommit(call, mirror, commit, this.#mirrors.maxBytes);
    return { ...call, mirror, scratch: this.#scratch, ensure };
  }

  /** What a pull request of this commit changes in a branch as it is now; nothing where the branch is gone. */
  async compare(access: RepositoryAccess, branch: string, commit: string): Promise<ListedChange[]> {
    const base = await this.findTip(access, branch);
    if (base === null) return [];
    return await this.look(access, commit, async (call) => {
      await call.ensure(base);
      return await compareCommits(call, base, commit);
    });
  }

  /** The paths of the plain files of a commit. */
  async listFiles(access: RepositoryAccess, commit: string): Promise<string[]> {
    const entries = await this.look(access, commit, ({ git, mirror }) => readTree(git, mirror, commit));
    return plainFiles(entries).map(({ path }) => path);
  }

  /** Makes a turn's commit from its patch alone. @returns the same hash for the same plan, wherever it runs */
  async makeCommit(access: RepositoryAccess, plan: CommitPlan): Promise<MadeCommit> {
    return await this.look(access, plan.base, (call) => makePlanned(call, plan));
  }

  /** Moves a turn's patch to a newer commit, such as the tip that `push` reported. */
  async reapply(
    access: RepositoryAccess,
    moving: { patch: Buffer; onto: string; limits: ChangeLimits },
  ): Promise<Reapplied> {
    return await this.look(access, moving.onto, (call) => reapplyChange(call, moving));
  }

  /**
   * Puts a turn's commit on its branch, made again from the plan where this machine does not have it. Never overwrites
   * what `expected` does not name. @throws JobFailure, passing for anything that may go away by itself
   */
  async push(access: RepositoryAccess, plan: CommitPlan & PushPlan): Promise<PushResult> {
    return await this.#mirrors.use(access.repository, plan.base, async (mirror) => {
      const call = this.#lookAt(access, mirror);
      if (!(await hasCommit(call.git, mirror, plan.commit))) await remake(call, plan);
      return await pushCommit({ ...call, maxBytes: this.#mirrors.maxBytes }, plan);
    });
  }

  #call({ repository, credential, signal }: RepositoryAccess): Call {
    const remote = { url: repository.url, origin: repository.origin, credential };
    return { git: this.#git, remote, signal, isShallow: this.#isShallow };
  }
}

async function remake(call: Look, plan: CommitPlan & PushPlan): Promise<void> {
  await call.ensure(plan.base);
  const { commit } = await makePlanned(call, plan);
  if (commit === plan.commit) return;
  throw new JobFailure('conflict', `The recorded change gives commit ${commit}, not ${plan.commit}.`);
}

async function makePlanned(call: Look, plan: CommitPlan): Promise<MadeCommit> {
  if (plan.merged) await call.ensure(plan.merged);
  return await makeCommit(call, plan);
}

async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const age = await stat(path).then(
      (stats) => stats.mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (age < before) await rm(path, { recursive: true, force: true });
  }
}

/** The base of a project. @throws JobFailure bad_ref */
export function parseRef(text: string): Ref {
  const ref = readRef(text);
  if ('fault' in ref) throw badRef(text, 'base', ref.fault);
  return ref;
}

/** The branch of a job: the project's prefix and a name of ours. @throws JobFailure bad_ref */
export function parseBranch(prefix: string, name: string): string {
  const read = readBranch(prefix, name);
  if ('fault' in read) throw badRef(`${prefix}${name}`, 'branch', read.fault);
  return read.branch;
}

/** Branches whose existence forbids this one, as git keeps `a` and `a/b` in one place. */
export function blockersOf(branch: string): string[] {
  const parts = branch.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}

function badRef(name: string, what: string, wrong: string): JobFailure {
  return new JobFailure(
    'bad_ref',
    `The ${what} ${JSON.stringify(name.slice(0, 100))} cannot be used: ${wrong}.`,
  );
}

/** What a job begins with, and the branch that its pull request goes to. @throws JobFailure missing_base, empty_repository */
export function findBase(
  base: ReturnType<typeof parseRef>,
  { hashes, head }: RemoteRefs,
  url: string,
): { commit: string; baseBranch: string } {
  const defaultBranch = head?.replace(/^refs\/heads\//, '');
  if (base.kind === 'commit' && defaultBranch) return { commit: base.hash, baseBranch: defaultBranch };
  const name = 'name' in base ? base.name : (defaultBranch ?? '');
  const branch =
    base.kind === 'tag' ? undefined : hashes.get(base.kind === 'default' ? 'HEAD' : `refs/heads/${name}`);
  if (branch) return { commit: branch, baseBranch: name };
  const tag = hashes.get(`refs/tags/${name}^{}`) ?? hashes.get(`refs/tags/${name}`);
  if (tag && base.kind !== 'branch' && defaultBranch) return { commit: tag, baseBranch: defaultBranch };
  const needsHead = base.kind === 'commit' || base.kind === 'default';
  if (hashes.size === 0 || (needsHead && !defaultBranch)) throw missingHead(url);
  throw new JobFailure(
    'missing_base',
    `${url} has no branch or tag "${name}": set what jobs begin at ${inSettings('--ref')}.`,
  );
}

function missingHead(url: string): JobFailure {
  return new JobFailure(
    'empty_repository',
    `${url} has no commits, or no default branch: push a first commit, as a job needs something to start from.`,
  );
}
