import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder like a workspace, next to a secret file that nothing may touch. */
export interface AgentSite {
  directory: string;
  /** Outside of the directory. */
  canary: string;
  read: (path: string) => Promise<string>;
}

export const canaryText = 'Nobody reads this, and nobody writes it.\n';

/** @param files path -> content. Removed when the test is over. */
export async function makeSite(files: Record<string, string | Buffer> = {}): Promise<AgentSite> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'headcount-agent-')));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const directory = join(parent, 'site');
  const canary = join(parent, 'canary.txt');
  await mkdir(directory);
  await writeFile(canary, canaryText);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  return { directory, canary, read: (path) => readFile(join(directory, path), 'utf8') };
}
