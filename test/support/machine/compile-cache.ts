import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The folder that headcount.js takes, too. */
export const compileCache = join(root, 'node_modules', '.cache', 'headcount');

/** What tests load of `dist/` is that of the sources. */
export function setup(): void {
  execFileSync(process.execPath, [join(root, 'build.mjs')]);
}
