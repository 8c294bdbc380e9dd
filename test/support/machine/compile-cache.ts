import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runServer, useServer } from '../../../binary/short-life.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The folder that headcount.js takes, too. */
export const compileCache = join(root, 'node_modules', '.cache', 'headcount');

/** Before `headcount.js` on the command line: from the bundle, which starts in two thirds of the time. */
export const fromBundle = ['--import', join(import.meta.dirname, 'from-bundle.mjs')];

/**
 * What tests kill writes no cache: without this every process and every thread of a store would strip all types anew, and
 * compile anew what is in the bundle.
 */
export async function setup(): Promise<void> {
  const program = join(root, 'headcount.js');
  execFileSync(process.execPath, [join(root, 'build.mjs'), '--bundled']);
  const { mtimeMs } = statSync(join(root, 'dist', 'bundled', 'main.cjs'));
  const stamp = join(compileCache, 'bundle');
  // Whatever is new in the sources is new in the bundle.
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === String(mtimeMs)) return;
  // First, as what a process writes when it ends holds the functions that it ran, and is written once.
  await serveOnce([...fromBundle, program]);
  for (const before of [[], fromBundle]) execFileSync(process.execPath, [...before, program, 'warm-up']);
  writeFileSync(stamp, String(mtimeMs));
}

async function serveOnce(args: string[]): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'headcount-warm-'));
  const env = { NODE_COMPILE_CACHE: compileCache, HEADCOUNT_DATA_DIR: dataDir };
  await runServer(args, env, useServer);
  rmSync(dataDir, { recursive: true });
}
