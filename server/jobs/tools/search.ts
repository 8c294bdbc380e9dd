import { z } from 'zod';
import { excerpt } from '../excerpt.ts';
import { runInGroup } from '../process-group.ts';
import type { Folder } from './folder.ts';
import { parsePath, shown } from './path.ts';
import { Refusal } from './refusal.ts';
import { defineTool, type Tool } from './tool.ts';

const maxHits = 200;
const maxLineLength = 300;
const maxOutputBytes = 256 * 1024;
const timeoutMs = 20_000;

/**
 * Searches with git's own grep, outside of any repository, so that nothing in the folder can configure it.
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
      if (/[\n\r\0]/.test(text)) throw new Refusal('Search for text on one line only.');
      const kind = await folder.findKind(path);
      if (kind !== 'file' && kind !== 'folder') {
        throw new Refusal(`There is no file or folder ${shown(path)}. Use the list tool to find it.`);
      }
      const options = [regex ? '-E' : '-F', ...(ignoreCase ? ['-i'] : [])];
      const output = await grep(
        folder.root,
        searchPath,
        [...options, '-e', text, '--', parsePath(path) || '.'],
        signal,
      );
      return formatHits(output, folder);
    },
  });
}

async function grep(root: string, searchPath: string, args: string[], signal: AbortSignal): Promise<Buffer> {
  const enough = new AbortController();
  const tooLong = AbortSignal.timeout(timeoutMs);
  const chunks: Buffer[] = [];
  let size = 0;
  const code = await runInGroup({
    argv: [
      'git',
      '--literal-pathspecs',
      'grep',
      '--no-index',
      '--no-color',
      '-I',
      '-n',
      '-z',
      '--threads=1',
      ...args,
    ],
    directory: root,
    env: gitEnvironment(searchPath),
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
    throw new Refusal('The search took too long. Search a folder below, or for plain text.');
  if (code === 128)
    throw new Refusal('That is not a regular expression. Search for plain text, with "regex": false.');
  if (code !== 0 && code !== 1 && !enough.signal.aborted) {
    throw new Refusal('The search failed. Use the list and read tools.');
  }
  return Buffer.concat(chunks);
}

function gitEnvironment(searchPath: string): Record<string, string> {
  return {
    PATH: searchPath,
    LC_ALL: 'C.UTF-8',
    GIT_DIR: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** With -z a hit is `path NUL number NUL line LF`. Where a link leads is no text of the site. */
function formatHits(output: Buffer, folder: Folder): string {
  const hits = output
    .toString('utf8')
    .split('\n')
    .filter((hit) => hit !== '' && !folder.isLink(hit.slice(0, hit.indexOf('\0'))));
  if (hits.length === 0) return 'Nothing found.';
  const lines = hits.slice(0, maxHits).map((hit) => {
    const [path = '', number = '', ...rest] = hit.split('\0');
    return `${path}:${number}: ${excerpt(rest.join(' ').trimEnd(), maxLineLength)}`;
  });
  if (hits.length > maxHits) lines.push(`(only the first ${maxHits}: search for more text, or in a folder)`);
  return lines.join('\n');
}
