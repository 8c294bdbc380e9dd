import { z } from 'zod';
import type { KnownSite } from '../../site/known-site.ts';
import { type Relinked, relinkNavigation, relinkPage } from '../../site/relink.ts';
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

const path = z.string().describe('From the top of the repository, such as docs/index.md');

/** Without surroundings, links stay as they are. */
export function createMoveTool(folder: Folder, surroundings: Surroundings | undefined): Tool {
  return defineTool({
    name: 'move',
    description:
      'Moves or renames a file, and corrects the links to it, its own links, and the navigation where it is data. Answers what it corrected; redirects are left to you.',
    input: z.object({ from: path, to: path }),
    run: async ({ from, to }, signal) => {
      const move = { from: parsePath(from), to: parsePath(to) };
      // Looked for while the file is where links lead.
      const repairs = surroundings && (await planRepairs(folder, surroundings, move, signal));
      await folder.move(from, to);
      const said = [`${shown(from)} is now ${shown(to)}.`];
      for (const repair of repairs ?? []) said.push(await apply(folder, repair));
      return [...said, ...(await describeAddress(surroundings, move))].join('\n');
    },
  });
}

interface Move {
  from: string;
  to: string;
}

interface Repair extends Relinked {
  /** Where the file is once all is done. */
  path: string;
}

async function planRepairs(
  folder: Folder,
  { knownSite, grep }: Surroundings,
  move: Move,
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
  const pages = await find(wordsInLinks(site, move.from));
  const paths = new Set([move.from, ...site.navigation, ...pages].filter((file) => state.paths.has(file)));
  const repairs: Repair[] = [];
  for (const file of paths) {
    signal.throwIfAborted();
    const { text, count } = await relink(state, file, move);
    if (count > 0) repairs.push({ path: file === move.from ? move.to : file, text, count });
  }
  return repairs;
}

async function relink(state: SiteState, path: string, move: Move): Promise<Relinked> {
  const text = await state.read(path);
  if (text === undefined) return { text: '', count: 0 };
  const page = isPage(path) ? await relinkPage(state, path, text, move) : { text, count: 0 };
  if (text.length > maxNavigationLength) return page;
  const listed = await relinkNavigation(state, path, page.text, move);
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
async function describeAddress(
  surroundings: Surroundings | undefined,
  { from, to }: Move,
): Promise<string[]> {
  const [old, next] = await Promise.all(
    [from, to].map((file) => surroundings?.knownSite.addressOf(file, from)),
  );
  if (old === undefined || old === next) return [];
  const now = next === undefined ? 'is no longer a page' : `is now at ${JSON.stringify(next)}`;
  return [`What visitors saw at ${JSON.stringify(old)} ${now}: add a redirect if the site has them.`];
}
