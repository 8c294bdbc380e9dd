import type { KnownSite } from '../../site/known-site.ts';
import { createAnalyticsTools, type ProjectAnalytics } from './analytics.ts';
import { createFileTools } from './files.ts';
import type { Folder } from './folder.ts';
import { Grep } from './grep.ts';
import { createHistoryTools, type History } from './history.ts';
import { createMoveTool } from './move.ts';
import { createPagesTool } from './pages.ts';
import { createReplaceTool } from './replace.ts';
import { createSearchTool } from './search.ts';
import type { Tool } from './tool.ts';
import { createWebTool, type Web } from './web.ts';

/** What is known besides the files. */
interface Knowledge {
  knownSite?: KnownSite | undefined;
  analytics?: ProjectAnalytics | undefined;
  commitHistory?: History | undefined;
  web?: Web | undefined;
}

/**
 * All that an agent can do. There is no shell among it, and no network but the hosts that a project lists.
 *
 * @param searchPath the PATH on which git is found.
 */
export function createToolbox(
  folder: Folder,
  searchPath: string,
  { knownSite, analytics, commitHistory, web }: Knowledge = {},
): Tool[] {
  const grep = new Grep(folder, searchPath);
  return [
    ...createFileTools(folder),
    createReplaceTool(folder, grep),
    createMoveTool(folder, knownSite && { knownSite, grep }),
    createSearchTool(folder, grep),
    ...(knownSite === undefined ? [] : [createPagesTool(folder, knownSite)]),
    ...(commitHistory === undefined ? [] : createHistoryTools(commitHistory)),
    ...(analytics === undefined ? [] : createAnalyticsTools(analytics, knownSite)),
    ...(web === undefined ? [] : [createWebTool(web)]),
  ];
}
