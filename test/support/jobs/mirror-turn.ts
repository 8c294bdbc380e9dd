import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { accessTo, runTurn, startGitClient, type TestGitClient } from './git-client.ts';

/** What the branch of a turn is called. */
export const names = { prefix: 'headcount/', name: 'job_1' };
export const edit = (tree: { root: string }) => appendFile(join(tree.root, 'page.md'), 'more\n');
export const hours = (count: number) => count * 3_600_000;

/** With a git client of its own, which is removed at the end. */
export async function withGitClient<T>(
  work: (gitClient: TestGitClient) => Promise<T>,
  options: Parameters<typeof startGitClient>[0] = {},
): Promise<T> {
  const gitClient = await startGitClient(options);
  try {
    return await work(gitClient);
  } finally {
    await gitClient.remove();
  }
}

/** A turn from its base to its push. */
export async function fullTurn(gitClient: TestGitClient, url: string, name?: string): Promise<void> {
  const access = accessTo(url);
  const { plan } = await runTurn(gitClient, access, edit, name ? { name } : {});
  expect(await gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
}
