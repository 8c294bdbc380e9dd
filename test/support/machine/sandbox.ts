import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';
import { leaveOut, needProgram } from './left-out.ts';

/** Leaves a test out where outside agents cannot be shut in. */
export function needSandbox(context: TestContext): void {
  needProgram(context, 'bwrap');
  const args = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--', 'true'];
  const { status } = spawnSync('bwrap', args, { stdio: 'ignore' });
  if (status !== 0) leaveOut(context, 'bubblewrap can make no sandbox here');
}
