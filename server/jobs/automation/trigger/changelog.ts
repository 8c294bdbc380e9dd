import { setImmediate as nextTurn } from 'node:timers/promises';

/** In the order in which they are looked for, at the top of a repository. */
const names = ['changelog', 'changes', 'history', 'release-notes', 'releases', 'news'];
const maxLetters = 12_000;
const maxHeadingLetters = 1_000;
const headingsPerTurn = 5_000;

/** The path of the changelog; undefined: there is none. */
export function findChangelog(paths: readonly string[]): string | undefined {
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
