import { isUtf8 } from 'node:buffer';
import { JobFailure } from '../../failure.ts';
import type { Look } from '../../git/access.ts';
import { readFirst } from '../../git/commit.ts';

/** The first text of some paths in a commit; one that cannot be read is as good as none. */
export async function readFirstText(
  call: Look,
  commit: string,
  paths: readonly string[],
  maxBytes: number,
): Promise<string | undefined> {
  try {
    const bytes = await readFirst(call, commit, paths, maxBytes);
    return bytes && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
  } catch (error) {
    if (error instanceof JobFailure && error.code === 'too_large') return undefined;
    throw error;
  }
}
