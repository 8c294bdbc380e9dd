import { spawnSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder, where it can be had on a disk of its own that is small enough to be filled. */
export interface SmallVolume extends AsyncDisposable {
  folder: string;
  /** Left out where this user may not mount. */
  disk?: { fill(): Promise<void>; free(): Promise<void> };
}

const size = '512m';
const block = Buffer.alloc(1024 * 1024);

export async function openSmallVolume(folder: string): Promise<SmallVolume> {
  await mkdir(folder, { recursive: true });
  const mounted = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${size},mode=0700`,
    'headcount-soak',
    folder,
  ]);
  if (mounted.status !== 0) return { folder, [Symbol.asyncDispose]: async () => undefined };
  const ballast = join(folder, 'ballast');
  return {
    folder,
    disk: { fill: () => fill(ballast), free: () => rm(ballast, { force: true }) },
    // Lazily, as a killed server may still be going.
    [Symbol.asyncDispose]: async () => {
      spawnSync('umount', ['--lazy', folder]);
    },
  };
}

/** Writes until nothing more fits, to the last page. */
async function fill(file: string): Promise<void> {
  await using ballast = await open(file, 'w');
  for (let length = block.length; length >= 1024; ) {
    try {
      const { bytesWritten } = await ballast.write(block, 0, length);
      if (bytesWritten < length) length >>= 1;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      length >>= 1;
    }
  }
}
