import { z } from 'zod';
import type { CommitFiles, SearchIndex } from '../../git/commit-files.ts';
import { isReadable } from '../../git/content/readable.ts';
import { excerpt } from '../../text/excerpt.ts';
import { runInGroup } from '../process-group.ts';
import { endRun, type Folder } from './folder.ts';
import { parsePath, shown } from './path.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const maxHits = 200;
const maxLineLength = 300;
const maxOutputBytes = 256 * 1024;
const timeoutMs = 20_000;

/**
 * Searches with git's own grep: what is on the disk outside of any repository, so that nothing in the folder can configure
 * it, and the rest in the commit.
 *
 * @param searchPath the PATH on which git is found.
 */
export function createSearchTool(folder: Folder, searchPath: string): Tool {
  return defineTool({
    name: 'search',
    description: 'Finds text in the files of a folder. Answers with path, line number and line.',
    input: z.object({
      text: z.string().min(1).max(1_000).describe('What to find, on one line'),
      path: z.string().default('').describe('The folder or file to search; leave it out for all files'),
      regex: z.boolean().default(false).describe('Whether "text" is a POSIX extended regular expression'),
      ignoreCase: z.boolean().default(false),
    }),
    run: async ({ text, path, regex, ignoreCase }, signal) => {
      if (/[\n\r\0]/.test(text)) throw new ToolError('Search for text on one line only.');
      const kind = await folder.findKind(path);
      if (kind !== 'file' && kind !== 'folder') {
        throw new ToolError(`There is no file or folder ${shown(path)}. Use the list tool to find it.`);
      }
      const what = [regex ? '-E' : '-F', ...(ignoreCase ? ['-i'] : []), '-e', text];
      const inside = parsePath(path);
      const search = { searchPath, directory: folder.root, signal };
      const onDisk = await grep(['--no-index', ...what, '--', inside || '.'], search);
      const inCommit = await grepCommit(folder.commitFiles, what, inside, search);
      return formatHits(folder, parseHits(onDisk), inCommit);
    },
  });
}

interface Search {
  /** The PATH on which git is found. */
  searchPath: string;
  directory: string;
  signal: AbortSignal;
  /** Left out: files of the folder are searched, and no repository. */
  index?: SearchIndex;
}

interface Hit {
  path: string;
  number: string;
  line: string;
}

/** What is not on the disk yet. */
async function grepCommit(
  files: CommitFiles | undefined,
  what: string[],
  path: string,
  search: Search,
): Promise<Hit[]> {
  if (!files) return [];
  const index = await files.makeSearchable(path).catch(endRun);
  const found = await grep(['--cached', ...what, '--', ...(path === '' ? [] : [path])], { ...search, index });
  return parseHits(found).filter((hit) => files.isWaiting(hit.path));
}

async function grep(args: string[], { searchPath, directory, signal, index }: Search): Promise<Buffer> {
  const enough = new AbortController();
  const tooLong = AbortSignal.timeout(timeoutMs);
  const chunks: Buffer[] = [];
  let size = 0;
  const code = await runInGroup({
    argv: ['git', '--literal-pathspecs', 'grep', '--no-color', '-I', '-n', '-z', '--threads=1', ...args],
    directory,
    env: { ...gitEnvironment(searchPath), ...(index ?? { GIT_DIR: '/dev/null' }) },
    signal: AbortSignal.any([signal, tooLong, enough.signal]),
    graceMs: 0,
    onOutput: (stream, chunk) => {
      if (stream === 'stderr' || size > maxOutputBytes) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxOutputBytes) enough.abort();
    },
  });
  if (tooLong.aborted)
    throw new ToolError('The search took too long. Search a folder below, or for plain text.');
  if (code === 128 && index === undefined)
    throw new ToolError('That is not a regular expression. Search for plain text, with "regex": false.');
  if (code !== 0 && code !== 1 && !enough.signal.aborted) {
    throw new ToolError('The search failed. Use the list and read tools.');
  }
  return Buffer.concat(chunks);
}

function gitEnvironment(searchPath: string): Record<string, string> {
  return {
    PATH: searchPath,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // What is searched is there: nothing is ever fetched.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** With -z a hit is `path NUL number NUL line LF`. */
function parseHits(output: Buffer): Hit[] {
  const hits = output.toString('utf8').split('\n');
  return hits
    .filter((hit) => hit !== '')
    .map((hit) => {
      const [path = '', number = '', ...rest] = hit.split('\0');
      return { path, number, line: rest.join(' ') };
    });
}

/** Where a link leads is no text of the site. */
function formatHits(folder: Folder, onDisk: Hit[], inCommit: Hit[]): string {
  const readable = onDisk.filter(({ path }) => !folder.isLink(path) && isReadable(path));
  const hits = [...readable, ...inCommit];
  if (hits.length === 0) return 'Nothing found.';
  const sorted = hits.sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1));
  const lines = sorted
    .slice(0, maxHits)
    .map(({ path, number, line }) => `${path}:${number}: ${excerpt(line.trimEnd(), maxLineLength)}`);
  if (hits.length > maxHits) lines.push(`(only the first ${maxHits}: search for more text, or in a folder)`);
  return lines.join('\n');
}
