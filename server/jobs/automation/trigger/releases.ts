import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { GitClient } from '../../git/git-client.ts';
import type { Tag } from '../../git/remote/tags.ts';
import { parseRepository } from '../../git/repository.ts';
import type { AutomationServices } from '../services.ts';
import { findChangelog, sectionOf } from './changelog.ts';
import type { Version } from './version.ts';

const maxChangelogBytes = 2_000_000;
/** For the copies of all watched repositories, which are apart from those that jobs work with. */
const maxMirrorBytes = 1_000_000_000;
const callMs = 300_000;

/** What is asked of another repository. It is asked without a token: that of the project is for its own. */
interface Releases {
  listTags(): Promise<Tag[]>;
  /** What the changelog at that version says of it; undefined: nothing. */
  readChangelog(version: Version): Promise<string | undefined>;
}

/** @throws JobFailure */
export async function withReleases<T>(
  { config, now }: AutomationServices,
  address: string,
  ask: (releases: Releases) => Promise<T>,
): Promise<T> {
  const { path, protocols, network } = config.jobs.git;
  const root = join(config.dataDir, 'jobs', 'watched');
  const options = { path, protocols, mayReach: config.jobs.mayReach, ...(network && { network }) };
  const repository = parseRepository(address, protocols);
  const gitClient = new GitClient({ ...options, root, maxMirrorBytes, now });
  const access = { repository, credential: undefined, signal: AbortSignal.timeout(callMs) };
  await gitClient.start();
  try {
    return await ask({
      listTags: () => gitClient.listTags(access),
      readChangelog: async ({ tag, commit }) => {
        const file = findChangelog(await gitClient.listFiles(access, commit));
        if (file === undefined) return undefined;
        const bytes = await gitClient.readFile(access, commit, file, maxChangelogBytes);
        return bytes && isUtf8(bytes) ? sectionOf(bytes.toString(), tag) : undefined;
      },
    });
  } finally {
    await gitClient.close();
  }
}
