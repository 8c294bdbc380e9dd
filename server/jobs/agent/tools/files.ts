import { z } from 'zod';
import type { Folder } from './folder.ts';
import { shown } from './path.ts';
import { decodeText, findLineEnd, replaceEvery, replaceOnce, withLineEnd } from './text.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const maxListed = 500;
const maxLines = 1_000;
const maxLineLength = 2_000;
/** Below the limit of every tool, so that the result can name the lines that are left out. */
const maxReadLength = 36_000;

const path = z.string().describe('From the top of the repository, such as docs/index.md');

const changing: ReadonlySet<string> = new Set(['edit', 'replace', 'write', 'move', 'delete', 'place']);

/** Whether calls of the tool change files. */
export function isChange(tool: string): boolean {
  return changing.has(tool);
}

/** Tools that work on the files of one folder. */
export function createFileTools(folder: Folder): Tool[] {
  return [listTool(folder), readTool(folder), editTool(folder), writeTool(folder), deleteTool(folder)];
}

export const listInput = z.object({
  path: path.default('').describe('The folder; leave it out for the top of the repository'),
  recursive: z.boolean().default(false).describe('Also list what lies in folders below'),
});

function listTool(folder: Folder): Tool {
  return defineTool({
    name: 'list',
    description: 'Lists the files and folders in a folder. Folders end in "/".',
    input: listInput,
    run: (input) => listFolder(folder, input),
  });
}

export async function listFolder(
  folder: Folder,
  { path, recursive }: z.output<typeof listInput>,
): Promise<string> {
  const lines: string[] = [];
  const folders = [path];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    for (const entry of await folder.list(next)) {
      lines.push(describeEntry(entry.path, entry.kind));
      if (recursive && entry.kind === 'folder') folders.push(entry.path);
    }
    if (lines.length > maxListed) return cutList(lines);
  }
  return lines.length === 0 ? 'The folder is empty.' : lines.join('\n');
}

function describeEntry(name: string, kind: 'file' | 'folder' | 'link' | 'other'): string {
  // Names may hold anything but "/": as JSON where one could be taken for something else than a name.
  const text = /^[\p{L}\p{N}\p{M}\p{P}\p{S} ]+$/u.test(name) ? name : JSON.stringify(name);
  const suffix = { file: '', folder: '/', link: ' (link, not followed)', other: ' (not an ordinary file)' };
  return `${text}${suffix[kind]}`;
}

function cutList(lines: string[]): string {
  return `${lines.slice(0, maxListed).join('\n')}\n(only the first ${maxListed}: list a folder below, or search)`;
}

export const readInput = z.object({
  path,
  from: z.int().min(1).default(1).describe('The first line'),
  lines: z.int().min(1).max(maxLines).default(400).describe('How many lines at most'),
});

function readTool(folder: Folder): Tool {
  return defineTool({
    name: 'read',
    description:
      'Reads lines of a text file. Each line is shown with its number and a tab, which are not part of it.',
    input: readInput,
    run: (input) => readLines(folder, input),
  });
}

export async function readLines(
  folder: Folder,
  { path, from, lines }: z.output<typeof readInput>,
): Promise<string> {
  const text = decodeText(await folder.read(path), path);
  if (text === '') return `${shown(path)} is empty.`;
  const all = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (all.at(-1) === '') all.pop();
  if (from > all.length)
    throw new ToolError(`${shown(path)} ends at line ${all.length}. Read from an earlier one.`);
  const numbered = numberLines(all.slice(from - 1, from - 1 + lines), from);
  const last = from + numbered.length - 1;
  return `${shown(path)}, lines ${from} to ${last} of ${all.length}:\n${numbered.join('\n')}`;
}

function numberLines(lines: string[], first: number): string[] {
  const numbered: string[] = [];
  let length = 0;
  for (const [index, line] of lines.entries()) {
    const cut = line.length > maxLineLength;
    const shownLine = cut
      ? `${line.slice(0, maxLineLength).toWellFormed()} (cut: ${line.length} characters)`
      : line;
    length += shownLine.length + 8;
    if (length > maxReadLength) break;
    numbered.push(`${first + index}\t${shownLine}`);
  }
  return numbered;
}

function editTool(folder: Folder): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces one piece of text in a file. "old" must stand in the file exactly once, character for character: add lines around it until it does, or replace "all" of them. For many files, use replace.',
    input: z.object({
      path,
      old: z.string().describe('The text to replace, without line numbers'),
      new: z.string().describe('The text to put in its place; may be empty'),
      all: z.boolean().default(false).describe('Whether to replace it wherever it stands in the file'),
    }),
    run: async ({ path, old, new: next, all }) => {
      const text = decodeText(await folder.read(path), path);
      // Once finds out what is wrong with the input, too.
      const isMany = all && old !== '' && replaceEvery(text, old, '', { word: false }).count > 1;
      if (!isMany) {
        await folder.write(path, replaceOnce(text, old, textOnly(next)));
        return `${shown(path)} was edited.`;
      }
      const edited = replaceEvery(text, old, textOnly(next), { word: false });
      await folder.write(path, edited.text);
      return `${shown(path)} was edited in ${edited.count} places.`;
    },
  });
}

function writeTool(folder: Folder): Tool {
  return defineTool({
    name: 'write',
    description: 'Writes a whole file, new or in place of an old one. To change a part of a file, use edit.',
    input: z.object({ path, content: z.string() }),
    run: async ({ path, content }) => {
      const existed = (await folder.findKind(path)) !== undefined;
      const old = existed ? decodeText(await folder.read(path), path) : undefined;
      const text = textOnly(content);
      await folder.write(path, old === undefined ? text : likeOld(text, old));
      return `${shown(path)} was ${existed ? 'replaced' : 'created'}.`;
    },
  });
}

/** With the line ends of the text that it replaces, and the byte order mark, which no model sees. */
function likeOld(text: string, old: string): string {
  const mark = old.startsWith('\uFEFF') && !text.startsWith('\uFEFF') ? '\uFEFF' : '';
  return mark + withLineEnd(text, findLineEnd(old));
}

function textOnly(text: string): string {
  if (text.includes('\0')) throw new ToolError('Only text can be written: take the NUL characters out.');
  return text;
}

function deleteTool(folder: Folder): Tool {
  return defineTool({
    name: 'delete',
    description: 'Deletes a file. Links to it in other files stay as they are: edit them too.',
    input: z.object({ path }),
    run: async ({ path }) => {
      await folder.remove(path);
      return `${shown(path)} was deleted.`;
    },
  });
}
