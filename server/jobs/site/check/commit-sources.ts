import { isUtf8 } from 'node:buffer';
import { readBlobs } from '../../git/blobs.ts';
import { readablePathspecs } from '../../git/content/readable.ts';
import { listFiles } from '../../git/tree.ts';
import type { Workspace } from '../../git/workspace.ts';
import type { Sources } from './checks.ts';
import type { Side } from './task.ts';

const maxFileBytes = 1_000_000;
/** All that one round of checks may read. */
const maxBytes = 64_000_000;
/** Files that a search names. */
const maxFound = 2_000;

interface Trees {
  paths: Record<Side, string[]>;
  sources: Sources;
}

/** What the checks look at: the commit of a workspace, and the tree that was made of it. */
export async function openTrees(workspace: Workspace, tree: string, signal: AbortSignal): Promise<Trees> {
  const trees = { before: workspace.commit, after: tree };
  const [before, after] = await Promise.all([
    hashesOf(workspace, trees.before),
    hashesOf(workspace, trees.after),
  ]);
  const hashes = { before, after };
  let left = maxBytes;
  return {
    paths: { before: [...before.keys()], after: [...after.keys()] },
    sources: {
      read: async (side, paths) => {
        await workspace.contents.bring(paths);
        const wanted = paths.map((path) => hashes[side].get(path));
        const there = [...new Set(wanted)].filter((hash) => hash !== undefined);
        const contents = await readBlobs(workspace.git, there, {
          maxBytes: maxFileBytes,
          maxTotalBytes: left,
          signal,
        });
        for (const { length } of contents.values()) left = Math.max(left - length, 0);
        return wanted.map((hash) => toText(contents.get(hash ?? '')));
      },
      find: async (side, texts) => await findFiles(workspace, trees[side], texts, signal),
    },
  };
}

async function hashesOf({ git }: Workspace, tree: string): Promise<Map<string, string>> {
  const files = await listFiles(git, tree);
  return new Map(files.map(({ path, hash }) => [path, hash]));
}

function toText(content: Buffer | undefined): string | undefined {
  return content && isUtf8(content) && !content.includes(0) ? content.toString() : undefined;
}

async function findFiles(
  { git, contents }: Workspace,
  tree: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const patterns = texts.filter((text) => !/[\n\0]/.test(text)).flatMap((text) => ['-e', text]);
  if (patterns.length === 0) return [];
  await contents.bringReadable('');
  const how = ['--name-only', '-z', '-I', '--fixed-strings', '--threads=1'];
  const found = await git({
    args: ['--no-literal-pathspecs', 'grep', ...how, ...patterns, tree, '--', ...readablePathspecs],
    accept: [0, 1],
    signal,
  });
  // Each path comes with the tree and a colon before it.
  const paths = found.stdout.toString().split('\0').slice(0, -1);
  return paths.slice(0, maxFound).map((path) => path.slice(tree.length + 1));
}
