import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runServer, useServer } from '../../../binary/short-life.ts';
import { fromBundle } from './bundle.ts';
import { compileCache } from './compile-cache.ts';

// Makes the bundle, and its compile cache. What tests kill writes none: without this every process and every thread of a store
// would strip all types anew, and compile anew what is in the bundle.

const root = join(import.meta.dirname, '..', '..', '..');
const program = join(root, 'headcount.js');
execFileSync(process.execPath, [join(root, 'build.mjs'), '--bundled']);
const { mtimeMs } = statSync(join(root, 'dist', 'bundled', 'main.cjs'));
const stamp = join(compileCache, 'bundle');
// Whatever is new in the sources is new in the bundle.
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== String(mtimeMs)) {
  // First, as what a process writes when it ends holds the functions that it ran, and is written once.
  const dataDir = mkdtempSync(join(tmpdir(), 'headcount-warm-'));
  const env = { NODE_COMPILE_CACHE: compileCache, HEADCOUNT_DATA_DIR: dataDir };
  await runServer([...fromBundle, program], env, useServer);
  rmSync(dataDir, { recursive: true });
  for (const before of [[], fromBundle]) execFileSync(process.execPath, [...before, program, 'warm-up']);
  writeFileSync(stamp, String(mtimeMs));
}
