import { excerpt } from '../excerpt.ts';
import { Refusal } from './refusal.ts';

const maxPathBytes = 1_000;
const maxNameBytes = 255;

/**
 * A path that a model wrote, as `docs/index.md`: relative to the top of the repository, `/` between names, no `.` or
 * `..`. The top itself is the empty string. This looks at the text only; Folder looks at what lies on the disk.
 *
 * @throws Refusal
 */
export function parsePath(text: string): string {
  if (!text.isWellFormed() || /[\p{Cc}\u2028\u2029]/u.test(text)) {
    throw new Refusal('The path holds control characters. Give it as the list tool shows it.');
  }
  if (text.includes('\\')) throw new Refusal('Separate the names of a path with "/", not with a backslash.');
  if (text.startsWith('/') || /^[a-z]:/i.test(text)) {
    throw new Refusal(
      `${shown(text)} is absolute. Give the path from the top of the repository: docs/index.md.`,
    );
  }
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  for (const name of names) checkName(name, text);
  const path = names.join('/');
  if (Buffer.byteLength(path) > maxPathBytes)
    throw new Refusal('The path is too long. Choose a shorter one.');
  return path;
}

function checkName(name: string, text: string): void {
  if (name === '..') {
    throw new Refusal(
      `${shown(text)} uses "..". Give the path from the top of the repository: docs/index.md.`,
    );
  }
  if (isGitName(name))
    throw new Refusal("Git's own files can be neither read nor changed. Leave them alone.");
  if (Buffer.byteLength(name) > maxNameBytes)
    throw new Refusal('A name in the path is too long. Choose a shorter one.');
}

/** Cut, so that an answer cannot be flooded with the question. */
export function shown(path: string): string {
  return JSON.stringify(excerpt(path, 200));
}

/**
 * Whether some file system takes the name for `.git`: without regard to case, with code points that HFS+ ignores, or
 * as NTFS reads it (trailing dots and spaces, stream names, and short names such as GIT~1 and GI7EBA~1).
 * https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectNTFS
 */
export function isGitName(name: string): boolean {
  const folded = foldName(name);
  return folded === '.git' || /^\.?gi[^~]{0,4}~\d/.test(folded);
}

function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
}

/** Files that make some machine run something: whoever may write one runs code with other people's rights. */
const protectedPaths: readonly RegExp[] = [
  // What git itself obeys, and hooks.
  /(^|\/)\.git(attributes|modules|config|hooks)(\/|$)/,
  /(^|\/)\.(husky|lefthook)(\/|$)/,
  /(^|\/)\.?lefthook(-local)?\.(ya?ml|toml|json)$/,
  /(^|\/)\.pre-commit-(config|hooks)\.ya?ml$/,
  // Pipelines of code hosts and of build services, and who must approve what.
  /(^|\/)\.(github|gitea|forgejo)\/(workflows|actions)(\/|$)/,
  /(^|\/)\.github\/dependabot\.ya?ml$/,
  /(^|\/)codeowners$/,
  /(^|\/)\.gitlab(\/ci|-ci[^/]*)(\/|$)/,
  /(^|\/)\.(circleci|buildkite|semaphore|teamcity|tekton|builds|woodpecker|azure-pipelines|ci)(\/|$)/,
  /(^|\/)\.(travis|appveyor|drone|woodpecker|cirrus|build)\.ya?ml$/,
  /(^|\/)(appveyor|wercker|azure-pipelines[^/]*|bitbucket-pipelines|cloudbuild)\.ya?ml$/,
  /(^|\/)jenkinsfile[^/]*$/,
  // What an editor, a shell or another agent runs when somebody opens the folder.
  /(^|\/)\.(vscode|idea|devcontainer|claude|cursor)(\/|$)/,
  /(^|\/)\.(envrc|mcp\.json|devcontainer\.json)$/,
  // Short names under which NTFS would find any of the above.
  /(^|\/)[^./~]{1,6}~\d(\.[^./]{0,3})?(\/|$)/,
];

/** Whether an agent may read the file but not write, move or delete it. */
export function isProtected(path: string): boolean {
  const folded = path
    .split('/')
    .map(foldName)
    .filter((name) => name !== '')
    .join('/');
  return protectedPaths.some((pattern) => pattern.test(folded));
}
