import { extname } from 'node:path';
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
  const contents = await readBlobs(git, [...new Set(hashes)].filter(isThere), signal);
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

/** Without those that are too large. */
async function readBlobs(
  git: BoundGit,
  hashes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Buffer>> {
  if (hashes.length === 0) return new Map();
  const asked = await git({
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'],
    input: lines(hashes),
    signal,
  });
  const small = asked.stdout
    .toString()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, type, size]) => type === 'blob' && Number(size) <= maxReadBytes)
    .map(([hash = '']) => hash);
  if (small.length === 0) return new Map();
  const read = await git({
    args: ['cat-file', '--batch'],
    input: lines(small),
    maxBytes: 512_000_000,
    signal,
  });
  return parseBatch(read.stdout);
}

function lines(hashes: readonly string[]): string {
  return hashes.map((hash) => `${hash}\n`).join('');
}

/** `hash SP type SP size LF content LF`: https://git-scm.com/docs/git-cat-file#_batch_output */
function parseBatch(output: Buffer): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(10, at);
    const [hash = '', , size = ''] = output.subarray(at, lineEnd).toString('latin1').split(' ');
    const end = lineEnd + 1 + Number(size);
    contents.set(hash, output.subarray(lineEnd + 1, end));
    at = end + 1;
  }
  return contents;
}
