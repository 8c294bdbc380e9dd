/** In the order in which they are looked for, at the top of a repository. */
const names = ['changelog', 'changes', 'history', 'release-notes', 'releases', 'news'];
const maxLetters = 12_000;

/** The path of the changelog; undefined: there is none. */
export function findChangelog(paths: readonly string[]): string | undefined {
  const nameOf = (path: string) =>
    /^([a-z_-]+)(?:\.(?:md|mdx|rst|txt|adoc))?$/i.exec(path)?.[1]?.toLowerCase();
  return names.flatMap((name) => paths.filter((path) => nameOf(path)?.replaceAll('_', '-') === name)).at(0);
}

/** What it says of a version: from its heading to the next one like it. Undefined: it has no such heading. */
export function sectionOf(changelog: string, tag: string): string | undefined {
  const version = tag.replace(/^[^\d]*/, '');
  const lines = changelog.toWellFormed().replaceAll('\r\n', '\n').split('\n');
  const start = lines.findIndex((line) => isHeading(line) && namesVersion(line, version));
  if (start === -1) return undefined;
  const level = levelOf(lines[start] ?? '');
  const length = lines.slice(start + 1).findIndex((line) => isHeading(line) && levelOf(line) <= level);
  const section = lines
    .slice(start, length === -1 ? undefined : start + 1 + length)
    .join('\n')
    .trim();
  const letters = Array.from(section);
  return letters.length > maxLetters ? `${letters.slice(0, maxLetters).join('')}\n…` : section;
}

/** Of Markdown and AsciiDoc; in others, a line that is a version. */
const heading = /^(?:(#{1,6}|={1,6})\s+\S|\[?v?\d+\.\d+)/;

function isHeading(line: string): boolean {
  return heading.test(line);
}

function levelOf(line: string): number {
  return heading.exec(line)?.[1]?.length ?? 1;
}

/** 1.2 is not in 1.20 or 11.2. */
function namesVersion(line: string, version: string): boolean {
  return line.split(/[^\d.]+/).some((word) => word.replace(/\.+$/, '') === version);
}
