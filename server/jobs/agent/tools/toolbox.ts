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

/** What is known besides the files. */
interface Knowledge {
  knownSite?: KnownSite | undefined;
  analytics?: ProjectAnalytics | undefined;
  commitHistory?: History | undefined;
}

/**
 * All that an agent can do. There is no shell and no network among it.
 *
 * @param searchPath the PATH on which git is found.
 */
export function createToolbox(
  folder: Folder,
  searchPath: string,
  { knownSite, analytics, commitHistory }: Knowledge = {},
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
  ];
}
