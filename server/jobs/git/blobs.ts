import type { BoundGit } from './git.ts';

export interface ReadLimits {
  /** Of one file. */
  maxBytes: number;
  /** Of all together. */
  maxTotalBytes?: number;
  signal: AbortSignal | undefined;
}

/** The contents of files by their hashes, without those that are too large, and what comes after too much. */
export async function readBlobs(
  git: BoundGit,
  hashes: readonly string[],
  { maxBytes, maxTotalBytes = 512_000_000, signal }: ReadLimits,
): Promise<Map<string, Buffer>> {
  if (hashes.length === 0) return new Map();
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
  const small = sizes.flatMap(([hash = '', , size]) => {
    total += Number(size);
    return total <= maxTotalBytes ? [hash] : [];
  });
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
