import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { folderVariable } from './record.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Fails the run where an answer of a server was not as the API's description has it, and, where all tests ran, where one
 * of the described statuses was never seen.
 */
export function setup({ vitest }: TestProject): () => void {
  const folder = process.env[folderVariable] as string;
  mkdirSync(folder, { recursive: true });
  return () => {
    const extent = ranWhole(vitest) ? 'whole' : 'part';
    const args = [join(import.meta.dirname, 'check.ts'), folder, extent];
    if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) process.exitCode = 1;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** All files, and all that is in them. After a failure a status may be missing for that reason; others are named with it. */
function ranWhole({ config, state }: TestProject['vitest']): boolean {
  if (config.testNamePattern !== undefined) return false;
  const ran = new Set(state.getFiles().map(({ filepath }) => filepath));
  // What is tested on Citus alone sees no answer that nothing else sees.
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/store/citus/**'] });
  return files.every((file) => ran.has(join(root, file)));
}
