import { JobFailure } from './failure.ts';
import { isProtected } from './tools/path.ts';

/** Longest path, in bytes, that every file system we run on takes. */
const maxPathBytes = 1024;
const maxPartBytes = 255;

/** Code points that HFS+ ignores when it compares names: `.g\u200cit` is `.git` there. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Names under which Windows knows `.git`, `.gitmodules` and their like: `GIT~1`, `GITMOD~1`, `GI7EBA~1`. */
const shortName = /^(?:git~\d+|gi[0-9a-z]{0,6}~\d+|github~\d+)(?:\.[^.]{0,3})?$/;

/**
 * A path inside a repository, as the agent may name it: relative, with slashes, without `.` or `..` parts. Returns it
 * without a leading "./" or a trailing slash; the root is the empty string. @throws JobFailure bad_path
 */
export function parsePath(path: string): string {
  const trimmed = path.replace(/^(?:\.\/)+/, '').replace(/\/$/, '');
  if (trimmed === '' || trimmed === '.') return '';
  const wrong = faultOf(trimmed);
  if (wrong) throw badPath(path, wrong);
  return trimmed;
}

export function badPath(path: string, wrong: string): JobFailure {
  return new JobFailure('bad_path', `The path ${JSON.stringify(path.slice(0, 200))} is refused: ${wrong}.`);
}

function faultOf(path: string): string | undefined {
  if (Buffer.byteLength(path) > maxPathBytes) return `it has more than ${maxPathBytes} bytes`;
  if (!path.isWellFormed()) return 'it is not valid Unicode';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'it has a control character in it';
  if (path.includes('\\')) return 'folders are separated by "/"';
  if (path.startsWith('/') || path.startsWith('~') || /^[a-z]:/i.test(path)) {
    return 'it must be relative to the root of the repository';
  }
  for (const part of path.split('/')) {
    if (part === '') return 'it has an empty part';
    if (part === '.' || part === '..') return '"." and ".." are not allowed in it';
    if (Buffer.byteLength(part) > maxPartBytes) return `a part of it has more than ${maxPartBytes} bytes`;
    if (isGitFolder(part)) return 'the folder ".git" belongs to git, in every spelling';
  }
  return undefined;
}

/** What file systems that fold case or drop characters would take this name for. */
function fold(part: string): string {
  const [base = ''] = part.replace(ignoredByHfs, '').normalize('NFC').toLowerCase().split(':');
  return base.replace(/[. ]+$/, '');
}

/** Whether a part of a path is `.git`, or would be on a file system that folds case or shortens names. */
export function isGitFolder(part: string): boolean {
  const folded = fold(part);
  return folded === '.git' || shortName.test(folded);
}

/** Where instructions to machines live: whoever writes there runs programs with other people's rights. */
const protectedFolders = [
  '.github/workflows',
  '.github/actions',
  '.gitlab/ci',
  '.gitea/workflows',
  '.gitea/actions',
  '.forgejo/workflows',
  '.forgejo/actions',
  '.circleci',
  '.buildkite',
  '.woodpecker',
  '.semaphore',
  '.teamcity',
  '.tekton',
  '.builds',
  '.ci',
  '.husky',
  '.githooks',
  '.git-hooks',
];

/** Protected wherever they stand, as git and some CI services read them in every folder. */
const protectedNames =
  /^(?:\.gitattributes|\.gitmodules|\.gitconfig|\.lfsconfig|codeowners|jenkinsfile.*|\.gitlab-ci.*\.ya?ml|\.travis\.ya?ml|\.drone\.(?:ya?ml|jsonnet|star)|\.woodpecker\.ya?ml|\.?appveyor\.ya?ml|\.cirrus\.(?:ya?ml|star)|\.build\.ya?ml|azure-pipelines.*\.ya?ml|bitbucket-pipelines\.ya?ml|cloudbuild\.(?:ya?ml|json)|buildspec.*\.ya?ml|codefresh\.ya?ml|wercker\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.pre-commit-(?:config|hooks)\.ya?ml)$/;

/** Why an agent may not write here; undefined where it may. Reading is not affected. */
export function findProtection(path: string): string | undefined {
  const parts = path.split('/').map(fold);
  const folded = parts.join('/');
  if (parts.some(isGitFolder)) return 'it is a folder of git itself';
  const folder = protectedFolders.find((name) => folded === name || folded.startsWith(`${name}/`));
  if (folder) return `files in ${folder} start programs on other machines or on the machines of developers`;
  if (parts.some((part) => protectedNames.test(part))) {
    return 'this file steers git or a CI service';
  }
  if (isProtected(path)) return 'a file there makes some machine run something';
  return undefined;
}
