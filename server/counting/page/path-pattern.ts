import { globMatcher, isGlob } from '../../pattern/glob.ts';
import { normalizeEscapes, parsePage } from './page.ts';

/** Tells whether a path, as it counts, is one that an owner means, however they wrote paths and globs. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const literals = new Set(patterns.map(countedForm));
  const globs = new Set(patterns.filter(isGlob).flatMap((glob) => [glob, countedGlob(glob)]));
  const matchesGlob = globMatcher([...globs]);
  return (path) => literals.has(path) || matchesGlob(path);
}

/** A path as it counts; what follows `?` or `#` may be a part of it, as the project has it. */
export function countedForm(path: string): string {
  if (!path.startsWith('/') || /[?#\\]/.test(path)) return path;
  return parsePage(`https://site.example${path}`, [], false)?.path ?? path;
}

/** A glob of paths as they count: encoded, but for sets such as `[a-z]`, and without a slash at the end or before a query. */
function countedGlob(glob: string): string {
  const encoded = glob
    .toWellFormed()
    .replace(/\[[^\]]*\]|[^!-~]+|["<>^`]/g, (part) =>
      part.startsWith('[') ? part : encodeURIComponent(part),
    );
  return normalizeEscapes(encoded.replace(/(?<=[^/])\/+(?=$|\?[^/]*=)/, ''));
}
