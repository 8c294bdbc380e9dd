import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The folder that headcount.js takes, too. */
export const compileCache = join(root, 'node_modules', '.cache', 'headcount');

/** Before `headcount.js` on the command line: from the bundle, which starts in two thirds of the time. */
export const fromBundle = ['--import', join(import.meta.dirname, 'from-bundle.ts')];

/**
 * What tests kill writes no cache: without this every process and every thread of a store would strip all types anew, and
 * compile anew what is in the bundle.
 */
export function setup(): void {
  execFileSync(process.execPath, [join(root, 'build.mjs'), '--bundled']);
  const program = [join(root, 'headcount.js'), 'warm-up'];
  for (const args of [program, [...fromBundle, ...program]]) execFileSync(process.execPath, args);
}
