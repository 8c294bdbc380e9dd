import { createAnalyticsTools, type ProjectAnalytics } from './analytics.ts';
import { createFileTools } from './files.ts';
import type { Folder } from './folder.ts';
import { createSearchTool } from './search.ts';
import type { Tool } from './tool.ts';

/**
 * All that an agent can do. There is no shell and no network among it.
 *
 * @param searchPath the PATH on which git is found.
 */
export function createToolbox(folder: Folder, searchPath: string, analytics?: ProjectAnalytics): Tool[] {
  const tools = [...createFileTools(folder), createSearchTool(folder, searchPath)];
  return analytics === undefined ? tools : [...tools, ...createAnalyticsTools(analytics)];
}
