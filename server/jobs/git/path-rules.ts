import { globMatcher } from '../../pattern/glob.ts';
import {
  agentFiles,
  buildFiles,
  contentExtensions,
  mkdocsNames,
  namedLikeContent,
  navigationNames,
} from './content/content-files.ts';
import { findProtection, foldPath } from './path.ts';

/** What an agent may change in the repository of one project. It may always read it. */
export interface PathRules {
  /** Why it may not write, move or delete this file, as a part of a sentence; undefined where it may. */
  findRefusal(path: string): string | undefined;
  /** Whether the project itself named the file for agents: then whatever is in it is the project's business. */
  isNamed(path: string): boolean;
}

const notContent =
  'it is neither a page nor an image nor navigation, and the project has not named it for agents (--agent-paths)';
const runByBuilds =
  'it decides what a build service or a host runs or installs, which no project can leave to agents';
const takenAway = 'the project keeps it from agents (--agent-paths)';

/** @param globs the project's own: files to allow, and after a "!" files to keep from agents. */
export function createPathRules(globs: readonly string[]): PathRules {
  const allowed = globs.filter((glob) => !glob.startsWith('!'));
  const matchesAllowed = globMatcher(allowed);
  const matchesExact = globMatcher(
    allowed.filter((glob) => !/[*?[\]{}()!+@]/.test(glob.replace(/^.*\//, ''))),
  );
  const matchesKept = globMatcher(globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1)));
  return {
    findRefusal(path) {
      const protection = findProtection(path);
      if (protection !== undefined) return protection;
      if (matchesKept(path)) return takenAway;
      if (isAgentFile(path)) return matchesExact(path) ? undefined : 'other agents take orders from it';
      if (isContent(path)) return undefined;
      if (!matchesAllowed(path)) return notContent;
      return isBuildFile(path) ? runByBuilds : undefined;
    },
    isNamed: (path) => matchesAllowed(path) && !matchesKept(path),
  };
}

export function isMkdocs(path: string): boolean {
  return mkdocsNames.includes(nameOf(foldPath(path)));
}

export function isNavigation(path: string): boolean {
  return navigationNames.includes(nameOf(foldPath(path)));
}

/** Both as it is written and as a file system that folds names would take it. */
function isContent(path: string): boolean {
  return [path.toLowerCase(), foldPath(path)].every((spelling) => {
    // What is hidden is there for tools, and ".well-known" for programs.
    if (/(^|\/)\./.test(spelling)) return false;
    if (namedLikeContent.some((pattern) => pattern.test(spelling))) return false;
    const name = nameOf(spelling);
    if (navigationNames.includes(name) || mkdocsNames.includes(name)) return true;
    return contentExtensions.includes(/.\.([^.]+)$/.exec(name)?.[1] ?? '');
  });
}

function isBuildFile(path: string): boolean {
  const folded = foldPath(path);
  // Bazel and others look for BUILD; a folder's own `build` is anything.
  const isBuild = nameOf(folded) === 'build' && nameOf(path) !== 'build';
  return isBuild || buildFiles.some((pattern) => pattern.test(folded));
}

function isAgentFile(path: string): boolean {
  return agentFiles.some((pattern) => pattern.test(foldPath(path)));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
