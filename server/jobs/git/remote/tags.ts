import { isCommitHash } from '../../../../shared/jobs/git-ref.ts';
import type { Git, Remote } from '../git.ts';

export interface Tag {
  tag: string;
  commit: string;
}

const folder = 'refs/tags/';
/** What stands behind the name of a tag that is an object of its own, at what it is a tag of. */
const peeled = '^{}';
/** Some 100,000 tags. */
const maxBytes = 8_000_000;

/** Asks a remote for all its tags, and for the commits that they stand for. @throws JobFailure */
export async function listTags({
  git,
  remote,
  signal,
}: {
  git: Git;
  remote: Remote;
  signal?: AbortSignal | undefined;
}): Promise<Tag[]> {
  const args = ['ls-remote', '--tags', '--', remote.url];
  const { stdout } = await git({ args, remote, signal, maxBytes });
  const commits = new Map<string, string>();
  for (const line of stdout.toString().split('\n')) {
    const [hash = '', ref = ''] = line.split('\t');
    if (!isCommitHash(hash) || !ref.startsWith(folder)) continue;
    const name = ref.slice(folder.length);
    // The one that is peeled comes behind the other.
    commits.set(name.endsWith(peeled) ? name.slice(0, -peeled.length) : name, hash);
  }
  return Array.from(commits, ([tag, commit]) => ({ tag, commit }));
}
