import { isUtf8 } from 'node:buffer';
import { readablePathspecs } from '../git/content/readable.ts';
import { listFiles } from '../git/tree.ts';
import { readBlobs } from '../git/workspace/blobs.ts';
import type { Workspace } from '../git/workspace/workspace.ts';
import type { SiteFiles } from './site.ts';

const maxFileBytes = 1_000_000;
/** All that is read through one of these. */
const maxBytes = 64_000_000;
/** Files that a search names. */
const maxFound = 2_000;

/** The plain files of a commit, or of what was made of it. */
export interface TreeFiles extends SiteFiles {
  /** In the same order; undefined for what is no text, or too much of it. */
  readAll: (paths: readonly string[]) => Promise<(string | undefined)[]>;
  /** Files that hold one of these texts, in a folder; '' is all. */
  find: (texts: readonly string[], inside?: string) => Promise<string[]>;
}

export async function openTree(workspace: Workspace, tree: string, signal: AbortSignal): Promise<TreeFiles> {
  const { git, contents: commitContents } = workspace;
  const files = tree === workspace.commit ? workspace.files : await listFiles(git, tree);
  const hashes = new Map(files.map(({ path, hash }) => [path, hash]));
  let left = maxBytes;
  const readAll = async (paths: readonly string[]) => {
    await commitContents.bring(paths);
    const wanted = paths.map((path) => hashes.get(path));
    const there = [...new Set(wanted)].filter((hash) => hash !== undefined);
    const contents = await readBlobs(git, there, { maxBytes: maxFileBytes, maxTotalBytes: left, signal });
    for (const { length } of contents.values()) left -= length;
    return wanted.map((hash) => toText(contents.get(hash ?? '')));
  };
  return {
    paths: [...hashes.keys()],
    readAll,
    read: async (path) => (await readAll([path]))[0],
    find: async (texts, inside = '') => await findFiles(workspace, tree, { texts, inside }, signal),
  };
}

function toText(content: Buffer | undefined): string | undefined {
  return content && isUtf8(content) && !content.includes(0) ? content.toString() : undefined;
}

async function findFiles(
  { git, contents }: Workspace,
  tree: string,
  { texts, inside }: { texts: readonly string[]; inside: string },
  signal: AbortSignal,
): Promise<string[]> {
  const patterns = texts.filter((text) => !/[\n\0]/.test(text)).flatMap((text) => ['-e', text]);
  if (patterns.length === 0) return [];
  await contents.bringReadable(inside);
  const how = ['--name-only', '-z', '-I', '--fixed-strings', '--threads=1'];
  const where = inside === '' ? [] : [`:(literal)${inside}`];
  const found = await git({
    args: ['--no-literal-pathspecs', 'grep', ...how, ...patterns, tree, '--', ...where, ...readablePathspecs],
    accept: [0, 1],
    signal,
  });
  // Each path comes with the tree and a colon before it.
  const paths = found.stdout.toString().split('\0').slice(0, -1);
  return paths.slice(0, maxFound).map((path) => path.slice(tree.length + 1));
}
