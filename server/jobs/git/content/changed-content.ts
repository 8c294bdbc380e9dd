import { extname } from 'node:path';
import { readBlobs } from '../blobs.ts';
import type { BoundGit } from '../git.ts';
import type { PathRules } from '../path-rules.ts';
import { findWrongContent, isJudgedByContent } from './content-check.ts';

/** A changed file and the hashes of what it was and is, as git lists them: zeros where there was or is none. */
export interface Blob {
  path: string;
  /** The old path of a renamed file. */
  from: string | undefined;
  before: string;
  after: string;
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
  const hashes = blobs.flatMap(({ before, after }) => [before, after]);
  const contents = await readBlobs(git, [...new Set(hashes)].filter(isThere), {
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
  { path, from, before, after }: Blob,
  contents: ReadonlyMap<string, Buffer>,
  rules: PathRules,
): string | undefined {
  // By another extension, other programs read it.
  const isSameKind = from === undefined || extname(from) === extname(path);
  const isNamed = rules.isNamed(path);
  const isUnread = isThere(after) && !contents.has(after);
  if (isUnread && isJudgedByContent(path) && !isNamed) return 'it is too large to be checked';
  const edit = { path, before: isSameKind ? contents.get(before) : undefined, after: contents.get(after) };
  return findWrongContent(edit, isNamed);
}

function isThere(hash: string): boolean {
  return !/^0+$/.test(hash);
}
