import { globMatcher, isGlob } from '../../pattern/glob.ts';
import { otherName } from '../names/name-cap.ts';
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

/**
 * The name that a page counts under, of its path as somebody writes it, or of its whole address. A query that is written
 * with a path stays, as the project may have kept it once; of an address only what the project keeps.
 */
export function countedName(written: string, keptParameters: readonly string[]): string {
  if (written === otherName) return written;
  if (/^https?:\/\//i.test(written)) {
    return parsePage(written, keptParameters, /#[/!]/.test(written))?.path ?? written;
  }
  const address = `https://site.example${written.startsWith('/') ? '' : '/'}${written}`;
  const names = URL.parse(address)?.searchParams.keys() ?? [];
  const path = parsePage(address, [...new Set([...keptParameters, ...names])], true)?.path;
  // What is masked in a query was masked after it was encoded.
  return path?.replace(/%3A(email|id|token)\b/g, ':$1') ?? written;
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
