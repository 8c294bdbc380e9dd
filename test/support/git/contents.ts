import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from './git-server.ts';

/** Hashes of the contents of files that any mirror of a data folder has. */
export async function listContents(dataDir: string): Promise<string[]> {
  const mirrors = join(dataDir, 'jobs', 'mirrors');
  const found = (await readdir(mirrors)).map(async (name) => {
    const listing = ['cat-file', '--batch-all-objects', '--batch-check'];
    const objects = await runGit(mirrors, ['--git-dir', join(mirrors, name), ...listing]);
    return [...objects.toString().matchAll(/^(\w+) blob /gm)].map(([, hash = '']) => hash);
  });
  return (await Promise.all(found)).flat();
}
