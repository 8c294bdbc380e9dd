import type { KnownSite } from '../../site/known-site.ts';
import type { Picture } from '../message.ts';
import { createAnalyticsTools, type ProjectAnalytics } from './analytics.ts';
import { createFileTools } from './files.ts';
import type { Folder } from './folder.ts';
import { Grep } from './grep.ts';
import { createHistoryTools, type History } from './history.ts';
import { createImageTool } from './image.ts';
import { createMoveTool } from './move.ts';
import { createOtherTools, type OtherRepositories } from './others.ts';
import { createPagesTool } from './pages.ts';
import { createReplaceTool } from './replace.ts';
import { createSearchTool } from './search.ts';
import type { Tool } from './tool.ts';
import { createWebTool, type Web } from './web.ts';

/** What an agent may know besides the files. Without one of these it has no tools for it. */
export interface Knowledge {
  /** The folder that is searched unless another one is named; without one, all. */
  scope?: string | undefined;
  /** Leads from addresses to files. */
  knownSite?: KnownSite | undefined;
  analytics?: ProjectAnalytics | undefined;
  /** To look back. */
  commitHistory?: History | undefined;
  web?: Web | undefined;
  others?: OtherRepositories | undefined;
  /** What came with the prompts of the job. */
  images?: readonly Picture[] | undefined;
}

/**
 * All that an agent can do. There is no shell among it, and no network but the hosts that a project lists.
 *
 * @param searchPath the PATH on which git is found.
 */
export function createToolbox(
  folder: Folder,
  searchPath: string,
  { scope, knownSite, analytics, commitHistory, web, others, images = [] }: Knowledge = {},
): Tool[] {
  const grep = new Grep(folder, searchPath, scope);
  return [
    ...createFileTools(folder),
    createReplaceTool(folder, grep),
    createMoveTool(folder, knownSite && { knownSite, grep }),
    createSearchTool(folder, grep, scope),
    ...(images.length === 0 ? [] : [createImageTool(folder, images)]),
    ...(knownSite === undefined ? [] : [createPagesTool(folder, knownSite)]),
    ...(commitHistory === undefined ? [] : createHistoryTools(commitHistory)),
    ...(analytics === undefined ? [] : createAnalyticsTools(analytics, knownSite)),
    ...(web === undefined ? [] : [createWebTool(web)]),
    ...(others === undefined ? [] : createOtherTools(others, searchPath)),
  ];
}
