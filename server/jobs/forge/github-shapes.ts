import { z } from 'zod';
import { type Host, parseReply } from './call.ts';
import type { Merge, PullRequest } from './forge.ts';

// What GitHub answers about a pull request, and Gitea in the same shape.

export const changedFiles = z
  .array(z.object({ filename: z.string() }))
  .transform((files) => files.map(({ filename }) => filename));

export const commitMessages = z
  .array(z.object({ commit: z.object({ message: z.string() }) }))
  .transform((commits) => commits.map(({ commit }) => commit.message));

const titled = z.object({
  title: z.string(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
});

/** @param data the answer that tells the state, too */
export async function mergeOf(
  state: PullRequest['state'],
  data: unknown,
  host: Host,
  listFiles: () => Promise<string[]>,
): Promise<Merge> {
  const { title, merged_at: mergedAt = null, merge_commit_sha: commit } = parseReply(titled, data, host);
  // Of an open one the commit is what merging would make.
  if (state !== 'merged') return { state, title, mergedAt, commit: null, files: [] };
  return { state, title, mergedAt, commit: commit || null, files: await listFiles() };
}
