import { ToolError } from './tool-error.ts';

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
