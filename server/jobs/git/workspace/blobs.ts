import { JobFailure } from '../../failure.ts';
import type { BoundGit } from '../git.ts';

interface ReadLimits {
  /** Of one file. */
  maxBytes: number;
  /** Of all together. */
  maxTotalBytes?: number;
  signal: AbortSignal | undefined;
}

/** What is read without asking for sizes first: of a usual change, all. */
const maxUnaskedBytes = 8_000_000;
const maxAnswerBytes = 512_000_000;

/** The contents of files by their hashes, without those that are too large, and what comes after too much. */
export async function readBlobs(
  git: BoundGit,
  hashes: readonly string[],
  { maxBytes, maxTotalBytes = maxAnswerBytes, signal }: ReadLimits,
): Promise<Map<string, Buffer>> {
  if (hashes.length === 0) return new Map();
  const limits = { maxBytes, maxTotalBytes, signal };
  const found = await readAll(git, hashes, Math.min(maxUnaskedBytes, maxTotalBytes), signal);
  if (found) return new Map([...found].filter(([, { length }]) => length <= maxBytes));
  const small = await findSmall(git, hashes, limits);
  return (small.length > 0 && (await readAll(git, small, maxAnswerBytes, signal))) || new Map();
}

/** Undefined: it is more than that. */
async function readAll(
  git: BoundGit,
  hashes: readonly string[],
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Map<string, Buffer> | undefined> {
  try {
    const read = await git({ args: ['cat-file', '--batch'], input: lines(hashes), maxBytes, signal });
    return parseBatch(read.stdout);
  } catch (error) {
    if (error instanceof JobFailure && error.code === 'too_large') return undefined;
    throw error;
  }
}

async function findSmall(
  git: BoundGit,
  hashes: readonly string[],
  { maxBytes, maxTotalBytes, signal }: Required<ReadLimits>,
): Promise<string[]> {
  const asked = await git({
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'],
    input: lines(hashes),
    signal,
  });
  const sizes = asked.stdout
    .toString()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, type, size]) => type === 'blob' && Number(size) <= maxBytes);
  let total = 0;
  return sizes.flatMap(([hash = '', , size]) => {
    total += Number(size);
    return total <= maxTotalBytes ? [hash] : [];
  });
}

function lines(hashes: readonly string[]): string {
  return hashes.map((hash) => `${hash}\n`).join('');
}

/** `hash SP type SP size LF content LF`, or `hash SP missing LF`: https://git-scm.com/docs/git-cat-file#_batch_output */
function parseBatch(output: Buffer): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(10, at);
    const [hash = '', type, size] = output.subarray(at, lineEnd).toString('latin1').split(' ');
    if (size === undefined) {
      at = lineEnd + 1;
      continue;
    }
    const end = lineEnd + 1 + Number(size);
    if (type === 'blob') contents.set(hash, output.subarray(lineEnd + 1, end));
    at = end + 1;
  }
  return contents;
}
