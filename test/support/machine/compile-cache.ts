import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The folder that headcount.js takes, too. */
export const compileCache = join(root, 'node_modules', '.cache', 'headcount');

/** What tests kill writes no cache: without this every process and every thread of a store would strip all types anew. */
export function setup(): void {
  execFileSync(process.execPath, [join(root, 'headcount.js'), 'warm-up']);
}
