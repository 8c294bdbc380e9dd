import { extname } from 'node:path';
import type { BoundGit } from '../git.ts';
import type { PathRules } from '../path-rules.ts';
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

/** The first file whose content an agent may not have changed so. @param git reads both trees */
export async function findWrongContents(
  git: BoundGit,
  blobs: readonly Blob[],
  rules: PathRules,
  signal: AbortSignal | undefined,
): Promise<{ path: string; why: string } | undefined> {
  const hashes = blobs.flatMap(({ before, after, sides }) => [before, after, sides?.ours, sides?.theirs]);
  const there = [...new Set(hashes)].filter((hash) => hash !== undefined).filter(isThere);
  const contents = await readBlobs(git, there, {
    maxBytes: maxReadBytes,
    signal,
  });
  for (const blob of blobs) {
    const why = judge(blob, contents, rules);
    if (why !== undefined) return { path: blob.path, why };
  }
  return undefined;
}

function judge(
  { path, from, before, after, sides }: Blob,
  contents: ReadonlyMap<string, Buffer>,
  rules: PathRules,
): string | undefined {
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
  if (sides === undefined) return findWrongContent(edit(contents.get(before)), isNamed);
  const [ours, theirs] = [sides.ours, sides.theirs].map((hash) => contents.get(hash ?? ''));
  // Whatever is in either of them somebody else has put there.
  const both = ours && theirs && Buffer.concat([ours, Buffer.from('\n\n'), theirs]);
  const faults = [theirs, ours, both].map((was) => findWrongContent(edit(was), isNamed));
  return faults.includes(undefined) ? undefined : faults[0];
}

function isThere(hash: string): boolean {
  return !/^0+$/.test(hash);
}
