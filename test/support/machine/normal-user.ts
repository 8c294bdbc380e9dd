import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { chownSync, globSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { Start } from '../child.ts';
import { leaveOut, needProgram } from './left-out.ts';

const program = join(import.meta.dirname, '../../../headcount.js');
const nobody = 65534;
export const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
/** The started processes can have no namespaces of their own, whatever their user. */
const withoutNamespaces = ['bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/', '--'];

const startBehind =
  (words: readonly string[]): Start =>
  (args, env) => {
    const [file = '', ...rest] = [...words, process.execPath, program, ...args];
    return spawn(file, rest, { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' });
  };

const isRoot = () => process.getuid?.() === 0;

/** How Headcount is started by a user without special rights, to whom this folder is given. */
export function asNormalUser(context: TestContext, folder: string): Start {
  if (!isRoot()) return startBehind([]);
  needProgram(context, 'setpriv');
  const [file = '', ...args] = [...asNobody, process.execPath, '--check', program];
  const { status }: SpawnSyncReturns<Buffer> = spawnSync(file, args, { stdio: 'ignore' });
  if (status !== 0) leaveOut(context, 'other users than root cannot read this checkout');
  for (const path of [folder, ...globSync('**', { cwd: folder }).map((name) => join(folder, name))]) {
    chownSync(path, nobody, nobody);
  }
  return startBehind(asNobody);
}

/** How Headcount is started where nobody is given namespaces, as in many containers. */
export const whereNamespacesAreOff: Start = startBehind(withoutNamespaces);
