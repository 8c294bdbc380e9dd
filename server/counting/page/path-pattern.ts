import { globMatcher, isGlob, prepareGlobs } from '../../pattern/glob.ts';
import { otherName } from '../names/name-cap.ts';
import { normalizeEscapes, parsePage } from './page.ts';

/** Whether a path, as it is counted, matches the paths and globs of an owner, however they are written. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const literals = new Set(patterns.map(countedForm));
  const matchesGlob = globMatcher(globsOf(patterns));
  return (path) => literals.has(path) || matchesGlob(path);
}

/** Compiled by `pathMatcher` on first use, from patterns of the longest allowed length. */
export function preparePaths(patterns: readonly string[]): Promise<void> {
  return prepareGlobs(globsOf(patterns));
}

function globsOf(patterns: readonly string[]): string[] {
  return [...new Set(patterns.filter(isGlob).flatMap((glob) => [glob, countedGlob(glob)]))];
}

/** A path as it counts; what follows `?` or `#` may be a part of it, as the project has it. */
export function countedForm(path: string): string {
  if (!path.startsWith('/') || /[?#\\]/.test(path)) return path;
  return parsePage(`https://site.example${path}`, [], false)?.path ?? path;
}

/**
 * The names that a page may count under, of its path or whole address as somebody writes it: with all of its query and
 * fragment, as the project may have kept them once, and last what it keeps now.
 */
export function countedNames(written: string, keptParameters: readonly string[]): string[] {
  const text = written.trim();
  if (text === otherName) return [text];
  const names = namesOf(text, keptParameters);
  // A row of an earlier version may have another form.
  return names.includes(text) ? names : [text, ...names];
}

function namesOf(text: string, keptParameters: readonly string[]): string[] {
  if (/^https?:\/\//i.test(text)) return namesOfAddress(text, keptParameters);
  const names = namesOfAddress(
    `https://site.example${text.startsWith('/') ? '' : '/'}${text}`,
    keptParameters,
  );
  // Addresses without a scheme, `example.com/docs`.
  const [, address] = /^(?:\/\/)?([^/?#\s]+\.[^/?#\s]+(?:[/?#].*)?)$/s.exec(text) ?? [];
  return address ? [...namesOfAddress(`https://${address}`, keptParameters), ...names] : names;
}

function namesOfAddress(address: string, keptParameters: readonly string[]): string[] {
  const all = [...new Set([...keptParameters, ...(URL.parse(address)?.searchParams.keys() ?? [])])];
  const forms = [
    parsePage(address, all, true),
    parsePage(address, all, false),
    parsePage(address, keptParameters, true),
    parsePage(address, keptParameters, /#[/!]/.test(address)),
  ];
  // Masks in a query were applied after encoding.
  const paths = forms.map((form) => form?.path.replace(/%3A(email|id|token)\b/g, ':$1') ?? address);
  return [...new Set(paths.toReversed())].toReversed();
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
