import { z } from 'zod';
import type { Folder } from './folder.ts';
import type { Grep } from './grep.ts';
import { parseGlob } from './path.ts';
import { decodeText, replaceEvery } from './text.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

/** As many as a turn may change. */
const maxFiles = 300;

/** One renaming over a whole site, in one call. */
export function createReplaceTool(folder: Folder, grep: Grep): Tool {
  return defineTool({
    name: 'replace',
    description:
      'Replaces a text in many files at once, wherever it stands in them. Answers how often in which file. Search before, so that you know what it touches.',
    input: z.object({
      files: z.string().max(500).describe('A glob from the top of the repository, such as docs/**/*.mdx'),
      old: z.string().min(1).max(10_000).describe('The text to replace, character for character'),
      new: z.string().max(10_000).describe('The text to put in its place; may be empty'),
      word: z.boolean().default(false).describe('Only where no letter, digit, "_" or "-" stands beside it'),
    }),
    run: async ({ files, old, new: next, word }, signal) => {
      if (/\0/.test(old + next))
        throw new ToolError('Only text can be written: take the NUL characters out.');
      const glob = parseGlob(files);
      const paths = await grep.findFiles({ what: ['-F', '-e', longestLine(old)], files: { glob } }, signal);
      if (paths.length > maxFiles)
        throw new ToolError(
          `It stands in ${paths.length} files, and ${maxFiles} can be changed. Name fewer.`,
        );
      const lines: string[] = [];
      for (const path of paths) lines.push(...(await replaceIn(folder, path, { old, next, word })));
      if (lines.length > 0) return lines.join('\n');
      throw new ToolError(`"old" stands in no file that ${JSON.stringify(files)} names. Search for it.`);
    },
  });
}

/** A file that may not be changed keeps none of the others from it. */
async function replaceIn(
  folder: Folder,
  path: string,
  { old, next, word }: { old: string; next: string; word: boolean },
): Promise<string[]> {
  try {
    const { text, count } = replaceEvery(decodeText(await folder.read(path), path), old, next, { word });
    if (count === 0) return [];
    await folder.write(path, text);
    return [`${JSON.stringify(path)}: ${count}`];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return [`${JSON.stringify(path)}: left as it is. ${error.message}`];
  }
}

/** Files are searched line by line. */
function longestLine(text: string): string {
  return text.split(/\r?\n/).reduce((longest, line) => (line.length > longest.length ? line : longest), '');
}
