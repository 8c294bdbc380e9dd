import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GitClient } from '../../git/git-client.ts';
import type { Tag } from '../../git/remote/tags.ts';
import { parseRepository } from '../../git/repository.ts';
import type { AutomationServices } from '../services.ts';
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

/** In the order in which they are looked for, at the top of a repository. */
const names = ['changelog', 'changes', 'history', 'release-notes', 'releases', 'news'];
const maxLetters = 12_000;
const maxHeadingLetters = 1_000;
const headingsPerTurn = 5_000;

/** The path of the changelog; undefined: there is none. */
function findChangelog(paths: readonly string[]): string | undefined {
  const nameOf = (path: string) =>
    /^([a-z_-]+)(?:\.(?:md|mdx|rst|txt|adoc))?$/i.exec(path)?.[1]?.toLowerCase();
  return names.flatMap((name) => paths.filter((path) => nameOf(path)?.replaceAll('_', '-') === name)).at(0);
}

/** What it says of a version: from its heading to the next one like it. Undefined: it has no such heading. */
export async function sectionOf(changelog: string, tag: string): Promise<string | undefined> {
  const version = tag.replace(/^[^\d]*/, '');
  let start: Heading | undefined;
  let end = changelog.length;
  for await (const found of headingsOf(changelog)) {
    if (start === undefined) {
      if (namesVersion(found.line, version)) start = found;
    } else if (found.level <= start.level) {
      end = found.at;
      break;
    }
  }
  return start && cutSection(changelog.slice(start.at, end).trim());
}

interface Heading {
  at: number;
  level: number;
  line: string;
}

/** Of Markdown and AsciiDoc; in others, a line that is a version. Hits are answered in between. */
async function* headingsOf(text: string): AsyncGenerator<Heading> {
  let found = 0;
  for (const match of text.matchAll(/(?:^|\n)(?:(#{1,6}|={1,6})[^\S\n]+\S|\[?v?\d+\.\d+)/g)) {
    if (++found % headingsPerTurn === 0) await nextTurn();
    const at = match.index + (match[0].startsWith('\n') ? 1 : 0);
    const [line = ''] = text.slice(at, at + maxHeadingLetters).split('\n', 1);
    yield { at, level: match[1]?.length ?? 1, line };
  }
}

/** 1.2 is not in 1.20 or 11.2. */
function namesVersion(line: string, version: string): boolean {
  return line.split(/[^\d.]+/).some((word) => word.replace(/\.+$/, '') === version);
}

function cutSection(section: string): string {
  // Two code units each, at most: the rest is not looked at.
  const letters = Array.from(
    section
      .slice(0, 2 * (maxLetters + 1))
      .toWellFormed()
      .replaceAll('\r\n', '\n'),
  );
  return letters.length > maxLetters ? `${letters.slice(0, maxLetters).join('')}\n…` : letters.join('');
}
