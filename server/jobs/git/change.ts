import { isUtf8 } from 'node:buffer';
import { lstat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { JobFailure } from '../failure.ts';
import type { Builds } from '../site/directives/new-directives.ts';
import { findBuilds } from '../site/site.ts';
import type { Conflict } from './conflict.ts';
import { findWrongContent, isJudgedByContent } from './content/content-check.ts';
import type { BoundGit } from './git.ts';
import { type ListedChange, listChanges } from './listing.ts';
import { createPathRules, type PathRules } from './path-rules.ts';
import { listFiles } from './tree.ts';
import { readBlobs } from './workspace/blobs.ts';
import type { Workspace } from './workspace/workspace.ts';

export interface ChangedFile
  extends Pick<ListedChange, 'path' | 'status' | 'from' | 'additions' | 'deletions'> {
  /** The new mode when it differs from the old one, such as 100755. */
  mode: string | undefined;
}

/** What a turn did to the files. Without files there is nothing to commit. */
export interface Change {
  files: ChangedFile[];
  /** A binary patch from which `makeCommit` makes the same tree anywhere; never text, as files may be in any encoding. */
  patch: Buffer;
  bytes: number;
  tree: string;
}

export interface CollectedChange extends Change {
  /** New files that are left out because the repository ignores them; folders end in a slash; at most 20. */
  ignored: string[];
}

export interface ChangeLimits {
  maxFiles: number;
  /** Size of the patch. */
  maxBytes: number;
  /** The project's globs of files that agents may change besides content. */
  paths: readonly string[];
  /** Files whose contents are no one's until somebody brings both sides together. */
  conflicts?: readonly Conflict[];
}

/** More than a patch may have, as a small change to a large file is a small patch; it bounds what is read. */
const maxStagedBytes = 512_000_000;

/**
 * Compares a workspace with its commit. @throws JobFailure too_large; forbidden_change for links, submodules and what the
 * project keeps from agents
 */
export async function collectChange(
  workspace: Workspace,
  limits: ChangeLimits,
  signal?: AbortSignal,
): Promise<CollectedChange> {
  const paths = await listTouched(workspace, signal);
  checkCount(paths.length, limits);
  await stage(workspace, paths, createPathRules(limits.paths), signal);
  const written = await workspace.git({ args: ['write-tree', '--missing-ok'], staged: true, signal });
  const tree = written.stdout.toString().trim();
  // Files of a workspace that was taken away under us would look deleted.
  await checkThere(workspace);
  const [change, ignored] = await Promise.all([
    readChange(workspace.git, workspace.commit, tree, { ...limits, conflicts: workspace.conflicts }, signal),
    listIgnored(workspace, signal),
  ]);
  return { ...change, ignored };
}

/** The difference of two trees, checked like any other. */
export async function readChange(
  git: BoundGit,
  from: string,
  tree: string,
  limits: ChangeLimits,
  signal?: AbortSignal,
): Promise<Change> {
  const [listed, patch] = await Promise.all([
    listChanges(git, from, tree, signal),
    readPatch(git, from, tree, limits, signal),
  ]);
  const rules = createPathRules(limits.paths);
  for (const change of listed) checkFile(change, rules);
  checkExecutables(listed, rules);
  checkCount(listed.length, limits);
  const sides = new Map(limits.conflicts?.map(({ path, ours, theirs }) => [path, { ours, theirs }]));
  const blobs = listed.map((change) => ({ ...change, sides: sides.get(change.from ?? change.path) }));
  const wrong = await findWrongContents(git, { blobs, tree }, rules, signal);
  if (wrong) throw forbidden(wrong.path, wrong.why);
  return { files: listed.map(toFile), patch, bytes: patch.length, tree };
}

async function readPatch(
  git: BoundGit,
  from: string,
  tree: string,
  { maxBytes }: ChangeLimits,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const format = ['--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color'];
  try {
    const result = await git({
      args: ['diff-tree', '-p', '-M', ...format, '--src-prefix=a/', '--dst-prefix=b/', from, tree],
      maxBytes,
      signal,
    });
    return result.stdout;
  } catch (error) {
    if (!(error instanceof JobFailure) || error.code !== 'too_large') throw error;
    throw new JobFailure(
      'too_large',
      `The change has more than the ${maxBytes} bytes that a turn may change.`,
    );
  }
}

/** Paths that are new, gone or different, without what the repository ignores. */
async function listTouched(workspace: Workspace, signal: AbortSignal | undefined): Promise<string[]> {
  const result = await workspace.git({
    args: ['ls-files', '-z', '--modified', '--others', '--exclude-standard'],
    signal,
  });
  const names = result.stdout.toString('latin1').split('\0').slice(0, -1);
  // To git a file that was not brought is one that was deleted.
  const touched = new Set(names.filter((name) => !workspace.commitFiles?.isWaiting(decode(name))));
  if (!isUtf8(Buffer.from([...touched].join(), 'latin1'))) {
    throw new JobFailure(
      'forbidden_change',
      'The turn changed a file whose name is not UTF-8: rename it first.',
    );
  }
  return [...touched].map(decode);
}

const decode = (bytes: string) => Buffer.from(bytes, 'latin1').toString();

async function listIgnored(workspace: Workspace, signal: AbortSignal | undefined): Promise<string[]> {
  const result = await workspace.git({
    args: ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'],
    signal,
  });
  return result.stdout.toString().split('\0').slice(0, -1).slice(0, 20);
}

function checkCount(count: number, { maxFiles }: ChangeLimits): void {
  if (count > maxFiles) {
    throw new JobFailure('too_large', `The turn changed ${count} files; it may change at most ${maxFiles}.`);
  }
}

async function checkThere(workspace: Workspace): Promise<void> {
  const stats = await lstat(workspace.root).catch(() => undefined);
  if (!stats?.isDirectory())
    throw new JobFailure('worktree_lost', 'The workspace of this turn was removed from the disk.');
}

/** Hands git the plain files only, after a look at each: it would also take links, and repositories as submodules. */
async function stage(
  workspace: Workspace,
  paths: readonly string[],
  rules: PathRules,
  signal: AbortSignal | undefined,
): Promise<void> {
  const gone: string[] = [];
  const there: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    if (path.endsWith('/')) throw forbidden(path, 'it is a repository of its own inside the repository');
    checkPath(path, rules);
    const stats = await lstat(join(workspace.root, path)).catch(() => undefined);
    if (stats?.isFile()) there.push(path);
    else if (!stats || stats.isDirectory()) gone.push(path);
    else throw forbidden(path, stats.isSymbolicLink() ? 'it is a link' : 'it is not a plain file');
    bytes += stats?.isFile() ? stats.size : 0;
  }
  if (bytes > maxStagedBytes) {
    throw new JobFailure(
      'too_large',
      `The changed files have ${bytes} bytes; at most ${maxStagedBytes} can be read.`,
    );
  }
  // The index of the checkout knows times of files, and git would look at all of them again before it writes it.
  await workspace.git({ args: ['read-tree', workspace.commit], staged: true, signal });
  await updateIndex(workspace, '--force-remove', gone, signal);
  await updateIndex(workspace, '--add', there, signal);
}

async function updateIndex(
  workspace: Workspace,
  how: '--add' | '--force-remove',
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (paths.length === 0) return;
  const input = paths.map((path) => `${path}\0`).join('');
  await workspace.git({ args: ['update-index', how, '-z', '--stdin'], staged: true, input, signal });
}

function checkPath(path: string, rules: PathRules): void {
  const refusal = rules.findRefusal(path);
  if (refusal !== undefined) throw forbidden(path, refusal);
}

function forbidden(path: string, wrong: string): JobFailure {
  return new JobFailure(
    'forbidden_change',
    `The turn changed ${JSON.stringify(path)}, which an agent may not do: ${wrong}.`,
  );
}

const link = '120000';
const submodule = '160000';
const executable = '100755';

/** @throws JobFailure forbidden_change */
function checkFile({ path, from, oldMode, mode }: ListedChange, rules: PathRules): void {
  checkModes(path, oldMode, mode);
  for (const name of [path, ...(from === undefined ? [] : [from])]) checkPath(name, rules);
}

/** An executable page that was moved and rewritten is, to git, one that is gone and a new one. */
function checkExecutables(listed: readonly ListedChange[], rules: PathRules): void {
  const gone = listed.filter(({ status, oldMode }) => status === 'deleted' && oldMode === executable);
  const fresh = listed.filter(
    ({ path, oldMode, mode, status }) =>
      status !== 'deleted' && mode === executable && oldMode !== executable && !rules.isNamed(path),
  );
  const moved = fresh.filter(({ status }) => status === 'added').slice(0, gone.length);
  const made = fresh.find((change) => !moved.includes(change));
  if (made) throw forbidden(made.path, 'it was made executable');
}

function toFile({ path, status, from, oldMode, mode, additions, deletions }: ListedChange): ChangedFile {
  const isSame = mode === oldMode || status === 'deleted';
  return { path, status, from, mode: isSame ? undefined : mode, additions, deletions };
}

function checkModes(path: string, oldMode: string, mode: string): void {
  if (mode === link) throw forbidden(path, 'it is a link');
  if (mode === submodule || oldMode === submodule) throw forbidden(path, 'it is a submodule');
}

/** A changed file and the hashes of what it was and is, as git lists them: zeros where there was or is none. */
export interface Blob {
  path: string;
  /** The old path of a renamed file. */
  from: string | undefined;
  before: string;
  after: string;
  /** Of a conflict, what two branches have: then what it was holds marks, and says nothing. */
  sides?: { ours: string | undefined; theirs: string | undefined } | undefined;
}

/** Pages are smaller, and so are all pointers of Git LFS. */
const maxReadBytes = 1_000_000;

/** The first file whose content an agent may not have changed so. @param git reads both trees @param tree what was made */
async function findWrongContents(
  git: BoundGit,
  { blobs, tree }: { blobs: readonly Blob[]; tree: string },
  rules: PathRules,
  signal: AbortSignal | undefined,
): Promise<{ path: string; why: string } | undefined> {
  let builds: Promise<Builds> | undefined;
  const findBuilds = () => {
    builds ??= findBuildsOf(git, tree, signal);
    return builds;
  };
  const hashes = blobs.flatMap(({ before, after, sides }) => [before, after, sides?.ours, sides?.theirs]);
  const there = [...new Set(hashes)].filter((hash) => hash !== undefined).filter(isThere);
  const contents = await readBlobs(git, there, {
    maxBytes: maxReadBytes,
    signal,
  });
  for (const blob of blobs) {
    const why = await judge(blob, { contents, rules, findBuilds });
    if (why !== undefined) return { path: blob.path, why };
  }
  return undefined;
}

/** What the files of a tree are built with. */
async function findBuildsOf(git: BoundGit, tree: string, signal: AbortSignal | undefined): Promise<Builds> {
  const files = await listFiles(git, tree);
  const hashes = new Map(files.map(({ path, hash }) => [path, hash]));
  const read = async (path: string) => {
    const hash = hashes.get(path) ?? '';
    return (await readBlobs(git, [hash], { maxBytes: maxReadBytes, signal })).get(hash)?.toString();
  };
  const builds = await findBuilds({ paths: [...hashes.keys()], read });
  return { builds, has: (path) => hashes.has(path) };
}

interface Known {
  contents: ReadonlyMap<string, Buffer>;
  rules: PathRules;
  findBuilds: () => Promise<Builds>;
}

async function judge(
  { path, from, before, after, sides }: Blob,
  { contents, rules, findBuilds }: Known,
): Promise<string | undefined> {
  // By another extension, other programs read it.
  const isSameKind = from === undefined || extname(from) === extname(path);
  const isNamed = rules.isNamed(path);
  const isUnread = isThere(after) && !contents.has(after);
  if (isUnread && isJudgedByContent(path) && !isNamed) return 'it is too large to be checked';
  const edit = (was: Buffer | undefined) => ({
    path,
    before: isSameKind ? was : undefined,
    after: contents.get(after),
  });
  if (sides === undefined) return await findWrongContent(edit(contents.get(before)), isNamed, findBuilds);
  const [ours, theirs] = [sides.ours, sides.theirs].map((hash) => contents.get(hash ?? ''));
  // Whatever is in either of them somebody else has put there.
  const both = ours && theirs && Buffer.concat([ours, Buffer.from('\n\n'), theirs]);
  const faults = await Promise.all(
    [theirs, ours, both].map((was) => findWrongContent(edit(was), isNamed, findBuilds)),
  );
  return faults.includes(undefined) ? undefined : faults[0];
}

function isThere(hash: string): boolean {
  return !/^0+$/.test(hash);
}
