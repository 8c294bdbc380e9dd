import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { leaveOut } from './left-out.ts';

/**
 * A file system of its own with so much room, which ends with the test; mounting one takes an administrator.
 *
 * @param options such as `noexec`: https://man7.org/linux/man-pages/man8/mount.8.html
 */
export function mountSmallDisk(context: TestContext, bytes: number, options = 'rw'): string {
  const folder = mkdtempSync(join(tmpdir(), 'headcount-disk-'));
  const mounted = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${bytes},mode=700,${options}`,
    'headcount',
    folder,
  ]);
  if (mounted.status !== 0) {
    rmdirSync(folder);
    leaveOut(context, 'nothing can be mounted here, which takes an administrator');
  }
  context.onTestFinished(() => {
    spawnSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  return folder;
}
