import { z } from 'zod';
import { excerpt } from '../../text/excerpt.ts';
import type { Folder } from './folder.ts';
import type { Grep, GrepQuery, Match } from './grep.ts';
import { parseGlob, parsePath, shown } from './path.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const maxMatches = 200;
const maxLineLength = 300;

export const searchInput = z.object({
  text: z.string().min(1).max(1_000).describe('What to find, on one line'),
  path: z.string().default('').describe('The folder or file to search; leave it out for all files'),
  files: z
    .string()
    .max(500)
    .optional()
    .describe('A glob of the files to search, from the top of the repository, such as docs/**/*.mdx'),
  regex: z.boolean().default(false).describe('Whether "text" is a POSIX extended regular expression'),
  ignoreCase: z.boolean().default(false),
});

/** A folder, and what searches in it. */
export interface Searched {
  folder: Folder;
  grep: Grep;
}

/** @param scope the folder that is searched unless another one is named; '' is all */
export function createSearchTool(folder: Folder, grep: Grep, scope = ''): Tool {
  const where = scope === '' ? '' : ` Without "path" it is ${shown(scope)}; "." is the whole repository.`;
  return defineTool({
    name: 'search',
    description: `Finds text in the files of a folder. Answers with path, line number and line.${where}`,
    input: searchInput,
    run: (input, signal) => searchFiles({ folder, grep }, input, signal),
  });
}

export async function searchFiles(
  { folder, grep }: Searched,
  { text, path, files, regex, ignoreCase }: z.output<typeof searchInput>,
  signal: AbortSignal,
): Promise<string> {
  if (/[\n\r\0]/.test(text)) throw new ToolError('Search for text on one line only.');
  const where = files === undefined ? await findPlace(folder, path) : findGlob(files, path);
  const what = [regex ? '-E' : '-F', ...(ignoreCase ? ['-i'] : []), '-e', text];
  return formatMatches(await grep.findLines({ what, files: where }, signal));
}

async function findPlace(folder: Folder, path: string): Promise<GrepQuery['files']> {
  const kind = await folder.findKind(path);
  if (kind !== 'file' && kind !== 'folder') {
    throw new ToolError(`There is no file or folder ${shown(path)}. Use the list tool to find it.`);
  }
  const inside = parsePath(path);
  if (inside === '' && path !== '') return { glob: '**' };
  return { paths: inside === '' ? [] : [inside] };
}

function findGlob(files: string, path: string): GrepQuery['files'] {
  if (path !== '') throw new ToolError('Give either "path" or "files".');
  return { glob: parseGlob(files) };
}

function formatMatches(matches: readonly Match[]): string {
  if (matches.length === 0) return 'Nothing found.';
  const lines = matches
    .slice(0, maxMatches)
    .map(({ path, number, line }) => `${path}:${number}: ${excerpt(line.trimEnd(), maxLineLength)}`);
  if (matches.length > maxMatches)
    lines.push(`(only the first ${maxMatches}: search for more text, or in a folder)`);
  return lines.join('\n');
}
