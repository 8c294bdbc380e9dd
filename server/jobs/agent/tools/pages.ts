import { z } from 'zod';
import type { KnownSite } from '../../site/known-site.ts';
import type { Folder } from './folder.ts';
import { parsePath, shown } from './path.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const maxListed = 500;

/** Leads from what visitors see to the files, and back. */
export function createPagesTool(folder: Folder, known: KnownSite): Tool {
  return defineTool({
    name: 'pages',
    description:
      'Finds the file of a page of the site, and the address at which visitors see a file. Without input it lists all pages as the turn began.',
    input: z.object({
      address: z.string().max(2_000).optional().describe('As the analytics have it, such as /docs/api'),
      file: z.string().optional().describe('From the top of the repository, such as docs/api.md'),
    }),
    run: async ({ address, file }) => {
      if (file !== undefined) return await describePage(known, parsePath(file));
      if (address === undefined) return await listPages(known);
      const found = await known.fileAt(address);
      const isThere = found !== undefined && (await folder.findKind(found)) === 'file';
      if (isThere) return await describePage(known, found);
      throw new ToolError(
        `No file is known for ${shown(address)}: it may be made by a program, or say its address itself. Search for its last part.`,
      );
    },
  });
}

async function describePage(known: KnownSite, path: string): Promise<string> {
  return sayPage(path, await known.addressOf(path));
}

function sayPage(path: string, address: string | undefined): string {
  return `${JSON.stringify(path)} is ${address === undefined ? 'no page' : `at ${JSON.stringify(address)}`}`;
}

async function listPages(known: KnownSite): Promise<string> {
  const paths = known.pagePaths.slice(0, maxListed);
  const addresses = await known.addressesOf(paths);
  const lines = paths.map((path, index) => sayPage(path, addresses[index]));
  if (lines.length === 0) return 'The site has no pages.';
  const left = known.pagePaths.length - lines.length;
  return [...lines, ...(left > 0 ? [`(and ${left} more: ask for one, or use the list tool)`] : [])].join(
    '\n',
  );
}
