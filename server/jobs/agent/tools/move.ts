import { z } from 'zod';
import type { KnownSite } from '../../site/known-site.ts';
import { type Moves, type Relinked, relinkNavigation, relinkPage } from '../../site/relink.ts';
import { wordsInLinks } from '../../site/routes.ts';
import { isPage } from '../../site/site.ts';
import { SiteState } from '../../site/site-state.ts';
import type { Folder } from './folder.ts';
import type { Grep } from './grep.ts';
import { parsePath, shown } from './path.ts';
import { decodeText } from './text.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

/** Pages that are looked through for links. */
const maxPages = 1_000;
/** A navigation that people write is smaller. */
const maxNavigationLength = 300_000;

/** What is needed to find the links to a file. */
interface Surroundings {
  knownSite: KnownSite;
  grep: Grep;
}

/** Of these, the result lists each new address. */
const maxAddresses = 20;

const path = z.string().describe('A file or a folder, from the top of the repository, such as docs/index.md');

/** Without surroundings, links stay as they are. */
export function createMoveTool(folder: Folder, surroundings: Surroundings | undefined): Tool {
  return defineTool({
    name: 'move',
    description:
      'Moves or renames a file, or a folder with all that is in it, and corrects the links to what moved, its own links, and the navigation where it is data. Answers what it corrected; redirects are left to you.',
    input: z.object({ from: path, to: path }),
    run: async ({ from, to }, signal) => {
      const { moves, left } = await planMoves(folder, parsePath(from), parsePath(to));
      // Looked for while the files are where links lead.
      const repairs = surroundings && (await planRepairs(folder, surroundings, moves, signal));
      for (const [old, next] of moves) await folder.move(old, next, parsePath(from));
      const said = [
        `${shown(from)} is now ${shown(to)}${moves.size > 1 ? `: ${moves.size} files` : ''}.`,
        ...left,
      ];
      for (const repair of repairs ?? []) said.push(await apply(folder, repair));
      return [...said, ...(await describeAddresses(surroundings, moves))].join('\n');
    },
  });
}

/** @returns which files go where, and what of a folder stays, in sentences @throws ToolError where nothing can be moved */
async function planMoves(
  folder: Folder,
  from: string,
  to: string,
): Promise<{ moves: Moves; left: string[] }> {
  if ((await folder.findKind(from)) !== 'folder') return { moves: new Map([[from, to]]), left: [] };
  if (`${to}/`.startsWith(`${from}/`))
    throw new ToolError(`${shown(from)} cannot be moved into itself. Choose a folder outside of it.`);
  const files = await listAll(folder, from);
  folder.checkRoom(files.length * 2);
  const moves = new Map<string, string>();
  const left: string[] = [];
  for (const file of files) {
    const next = to + file.slice(from.length);
    try {
      await folder.checkMove(file, next, from);
      moves.set(file, next);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      left.push(`Not moved: ${error.message}`);
    }
  }
  // A folder that changes its capitals alone goes as a whole: the rest would be the same folder to some systems.
  const isSameToSome = from.toLowerCase() === to.toLowerCase();
  if (moves.size === 0 || (isSameToSome && left.length > 0)) throw new ToolError(left.join('\n'));
  return { moves, left };
}

async function listAll(folder: Folder, path: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await folder.list(path)) {
    if (entry.kind === 'folder') files.push(...(await listAll(folder, entry.path)));
    else files.push(entry.path);
  }
  return files;
}

interface Repair extends Relinked {
  /** Where the file is once all is done. */
  path: string;
}

async function planRepairs(
  folder: Folder,
  { knownSite, grep }: Surroundings,
  moves: Moves,
  signal: AbortSignal,
): Promise<Repair[]> {
  const { site } = knownSite;
  const find = (texts: readonly string[]) => findPages(grep, texts, signal);
  const state = new SiteState(site, {
    paths: await listPaths(folder, knownSite),
    bring: () => undefined,
    read: (file) => readText(folder, file),
    find,
  });
  const pages = await find([...moves.keys()].flatMap((from) => wordsInLinks(site, from)));
  const paths = new Set(
    [...moves.keys(), ...site.navigation, ...pages].filter((file) => state.paths.has(file)),
  );
  const repairs: Repair[] = [];
  for (const file of paths) {
    signal.throwIfAborted();
    const { text, count } = await relink(state, file, moves);
    if (count > 0) repairs.push({ path: moves.get(file) ?? file, text, count });
  }
  return repairs;
}

async function relink(state: SiteState, path: string, moves: Moves): Promise<Relinked> {
  const text = await state.read(path);
  if (text === undefined) return { text: '', count: 0 };
  const page = isPage(path) ? await relinkPage(state, path, text, moves) : { text, count: 0 };
  if (text.length > maxNavigationLength) return page;
  const listed = await relinkNavigation(state, path, page.text, moves);
  return { text: listed.text, count: page.count + listed.count };
}

async function findPages(grep: Grep, texts: readonly string[], signal: AbortSignal): Promise<string[]> {
  if (texts.length === 0) return [];
  const what = ['-F', ...texts.flatMap((text) => ['-e', text])];
  const found = await grep.findFiles({ what, files: { paths: [] } }, signal);
  return found.filter(isPage).slice(0, maxPages);
}

/** What is there now: as the turn began, and as the agent changed it. */
async function listPaths(folder: Folder, { paths }: KnownSite): Promise<string[]> {
  const touched = new Set(folder.touched);
  const kinds = await Promise.all(
    [...touched].map(async (file) => ({ file, kind: await folder.findKind(file) })),
  );
  const there = kinds.filter(({ kind }) => kind === 'file').map(({ file }) => file);
  return [...paths.filter((file) => !touched.has(file)), ...there];
}

async function readText(folder: Folder, path: string): Promise<string | undefined> {
  try {
    return decodeText(await folder.read(path), path);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

async function apply(folder: Folder, { path, text, count }: Repair): Promise<string> {
  try {
    await folder.write(path, text);
    return `Corrected in ${shown(path)}: ${count}`;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `Not corrected in ${shown(path)}: ${error.message}`;
  }
}

/** Who has the old address should still get there. */
async function describeAddresses(surroundings: Surroundings | undefined, moves: Moves): Promise<string[]> {
  const lines: string[] = [];
  for (const [from, to] of moves) {
    const [old, next] = await Promise.all(
      [from, to].map((file) => surroundings?.knownSite.addressOf(file, from)),
    );
    if (old === undefined || old === next) continue;
    const now = next === undefined ? 'is no longer a page' : `is now at ${JSON.stringify(next)}`;
    lines.push(`What visitors saw at ${JSON.stringify(old)} ${now}: add a redirect if the site has them.`);
  }
  const more = lines.length - maxAddresses;
  return more > 0 ? [...lines.slice(0, maxAddresses), `${more} more pages have new addresses.`] : lines;
}
