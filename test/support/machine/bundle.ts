import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const root = join(import.meta.dirname, '..', '..', '..');

/** Set for the workers of a run that has made the bundle before them. */
const madeVariable = 'TEST_BUNDLE_MADE';

/** Before `headcount.js` on the command line: from the bundle, which starts in two thirds of the time. */
export const fromBundle = ['--import', join(import.meta.dirname, 'from-bundle.mjs')];

/** Records what a server from the bundle answers. */
export const recorder = join(root, 'dist', 'bundled', 'recorder.cjs');

/** For runs in which it is needed for sure. Others make it with the first process that they start. */
export function setup(): void {
  makeBundle();
}

/** Makes what processes of tests start from, unless it is there. One process does, and others wait. */
export function makeBundle(): void {
  if (process.env[madeVariable] !== undefined) return;
  const lock = new Database(join(root, 'node_modules', '.cache', 'bundle.lock'), { timeout: 600_000 });
  lock.exec('begin exclusive');
  try {
    execFileSync(process.execPath, [join(import.meta.dirname, 'make-bundle.ts')]);
    process.env[madeVariable] = '1';
  } finally {
    lock.close();
  }
}
