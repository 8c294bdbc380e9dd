import { extname } from 'node:path';
import type { Builds } from '../../site/directives/new-directives.ts';
import { findBuilds } from '../../site/site.ts';
import type { BoundGit } from '../git.ts';
import type { PathRules } from '../path-rules.ts';
import { listFiles } from '../tree.ts';
import { readBlobs } from '../workspace/blobs.ts';
import { findWrongContent, isJudgedByContent } from './content-check.ts';

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
export async function findWrongContents(
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
