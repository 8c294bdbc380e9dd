import { posix } from 'node:path';
import { excerpt } from '../text/excerpt.ts';

/** A commit's files that may hold instructions for agents. */
export interface GuidanceSource {
  /** All plain files. */
  paths: readonly string[];
  /** Undefined for what is no text, or too large. */
  read: (path: string) => Promise<string | undefined>;
}

export interface GuidanceFile {
  path: string;
  text: string;
}

const names = ['AGENTS.md', 'CLAUDE.md'];
const maxFiles = 8;
const maxStyleGuides = 3;
/** About 4,000 tokens; what a project has to say to an agent fits, and a whole handbook does not. */
const maxFileLength = 16_000;
const maxLength = 40_000;

/**
 * The instructions of a repository for agents: at its top, for Mintlify's, in the folders above the documentation and inside it, and the
 * style guides that these name.
 *
 * @param root the folder of the documentation
 */
export async function findGuidance(source: GuidanceSource, root: string): Promise<GuidanceFile[]> {
  const there = new Set(source.paths);
  const own = listFolders(source.paths, root).flatMap((folder) => {
    const general = names.map((name) => posix.join(folder, name)).find((path) => there.has(path));
    return [general ?? '', posix.join(folder, '.mintlify/AGENTS.md')].filter((path) => there.has(path));
  });
  const files = await readAll(source, own.slice(0, maxFiles));
  const guides = files.flatMap((file) => namedGuides(file, there)).filter((path) => !own.includes(path));
  return withinLength([...files, ...(await readAll(source, [...new Set(guides)].slice(0, maxStyleGuides)))]);
}

/** Those above the documentation from the top down, then those inside it that have such a file. */
function listFolders(paths: readonly string[], root: string): string[] {
  const above = root.split('/').map((_name, index, all) => all.slice(0, index).join('/'));
  const inside = paths
    .filter((path) => names.includes(posix.basename(path)))
    .map((path) => path.slice(0, Math.max(path.lastIndexOf('/'), 0)).replace(/(^|\/)\.mintlify$/, ''))
    .filter((folder) => root === '' || folder.startsWith(`${root}/`))
    .sort((one, other) => one.length - other.length);
  return [...new Set([...above, root, ...inside])];
}

/** Files about how to write that a text names, from its folder or from the top. */
function namedGuides({ path, text }: GuidanceFile, there: ReadonlySet<string>): string[] {
  const mentioned = text.match(/[\w./-]{1,200}\.(?:mdx?|rst|txt)\b/g) ?? [];
  const guides = mentioned.filter((name) =>
    /style|voice|tone|writing|terminolog|glossary|conventions/i.test(name),
  );
  return guides.flatMap((name) => {
    const bare = name.replace(/^\/+/, '');
    const found = [posix.join(posix.dirname(path), bare), posix.normalize(bare)].find((each) =>
      there.has(each),
    );
    return found === undefined ? [] : [found];
  });
}

async function readAll({ read }: GuidanceSource, paths: readonly string[]): Promise<GuidanceFile[]> {
  const texts = await Promise.all(paths.map(read));
  return paths.flatMap((path, index) => {
    const text = texts[index]?.trim();
    return text ? [{ path, text: excerpt(text, maxFileLength, '\n(cut here)') }] : [];
  });
}

function withinLength(files: readonly GuidanceFile[]): GuidanceFile[] {
  let length = 0;
  return files.filter(({ text }) => {
    if (length + text.length > maxLength) return false;
    length += text.length;
    return true;
  });
}
