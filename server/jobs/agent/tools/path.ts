import { isGitName } from '../../git/path.ts';
import { excerpt } from '../../text/excerpt.ts';
import { ToolError } from './tool-error.ts';

const maxPathBytes = 1_000;
const maxNameBytes = 255;

/**
 * A path that a model wrote, as `docs/index.md`: relative to the top of the repository, `/` between names, no `.` or
 * `..`. The top itself is the empty string. This looks at the text only; Folder looks at what lies on the disk.
 *
 * @throws ToolError
 */
export function parsePath(text: string): string {
  if (!text.isWellFormed() || /[\p{Cc}\u2028\u2029]/u.test(text)) {
    throw new ToolError('The path holds control characters. Give it as the list tool shows it.');
  }
  if (text.includes('\\'))
    throw new ToolError('Separate the names of a path with "/", not with a backslash.');
  if (text.startsWith('/') || /^[a-z]:/i.test(text)) {
    throw new ToolError(
      `${shown(text)} is absolute. Give the path from the top of the repository: docs/index.md.`,
    );
  }
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  for (const name of names) checkName(name, text);
  const path = names.join('/');
  if (Buffer.byteLength(path) > maxPathBytes)
    throw new ToolError('The path is too long. Choose a shorter one.');
  return path;
}

function checkName(name: string, text: string): void {
  if (name === '..') {
    throw new ToolError(
      `${shown(text)} uses "..". Give the path from the top of the repository: docs/index.md.`,
    );
  }
  if (isGitName(name))
    throw new ToolError("Git's own files can be neither read nor changed. Leave them alone.");
  if (Buffer.byteLength(name) > maxNameBytes)
    throw new ToolError('A name in the path is too long. Choose a shorter one.');
}

/** Cut, so that an answer cannot be flooded with the question. */
export function shown(path: string): string {
  return JSON.stringify(excerpt(path, 200));
}

/**
 * A glob of files as git takes it with `--glob-pathspecs`: https://git-scm.com/docs/gitglossary#def_pathspec. Its other
 * magic, which begins with a colon, stays out.
 *
 * @throws ToolError
 */
export function parseGlob(text: string): string {
  const names = text.split('/');
  const isPlain = text.isWellFormed() && !/[\p{Cc}\\]|^[:!/]/u.test(text);
  if (isPlain && text !== '' && !names.includes('..') && !names.includes('')) return text;
  throw new ToolError(
    `${JSON.stringify(text.slice(0, 200))} is not a glob. Give one from the top of the repository, such as docs/**/*.mdx.`,
  );
}
