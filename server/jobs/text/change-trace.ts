import { hash } from 'node:crypto';
import type { ChangeTrace } from '../../store/jobs/job.ts';

const maxLines = 60;
const maxWords = 12;
const maxPaths = 300;

/** A diff as far as it shows what is left of a change in it. */
export interface DiffTrace {
  paths: ReadonlySet<string>;
  words: ReadonlySet<string>;
}

/** Lines of a patch that stand together. */
interface Hunk {
  added: string[];
  removed: string[];
}

/** @param paths of the changed files */
export function traceOf(patch: string, paths: readonly string[]): ChangeTrace {
  const hunks = readHunks(patch);
  const added = hunks.flatMap(({ added, removed }) => newWords(added, removed));
  const all = added.length > 0 ? added : hunks.flatMap((hunk) => newWords(hunk.removed, hunk.added, '-'));
  const step = Math.max(1, all.length / maxLines);
  // Spread over the whole change, as a part of it may be taken back.
  const picked = Array.from(
    { length: Math.min(all.length, maxLines) },
    (_, i) => all[Math.floor(i * step)] ?? [],
  );
  return {
    paths: paths.slice(0, maxPaths),
    lines: picked.map((words) => words.slice(0, maxWords).join(' ')),
  };
}

export function readTrace(patch: string, paths: readonly string[]): DiffTrace {
  const hunks = readHunks(patch);
  const words = hunks.flatMap(({ added, removed }) => [
    ...newWords(added, removed).flat(),
    ...newWords(removed, added, '-').flat(),
  ]);
  return { paths: new Set(paths), words: new Set(words) };
}

/** Whether something of a change is still there: half of the words of any of its lines, or a file without such. */
export function isLeft(trace: ChangeTrace | undefined, branch: DiffTrace | undefined): boolean {
  if (trace === undefined || branch === undefined) return true;
  if (trace.lines.length === 0) return trace.paths.some((path) => branch.paths.has(path));
  return trace.lines.some((line) => {
    const words = line.split(' ');
    return words.filter((word) => branch.words.has(word)).length * 2 >= words.length;
  });
}

/** In time that grows with the length of the patch alone. */
function readHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  for (const line of patch.split('\n')) {
    if (line.startsWith('@@ ')) {
      hunk = { added: [], removed: [] };
      hunks.push(hunk);
    } else if (line.startsWith('diff --git ')) hunk = undefined;
    else if (line.startsWith('+')) hunk?.added.push(line.slice(1));
    else if (line.startsWith('-')) hunk?.removed.push(line.slice(1));
  }
  return hunks;
}

/** As Markdown, MDX, reStructuredText, AsciiDoc and HTML write them. */
const link = /\]\(|\]\[|\]: |\[\[|\b(?:href|src|to)=|https?:\/\/|:(?:doc|ref):`|\b(?:xref|link):|`_|\.\. _/;

/** Whether an added or removed line holds a link. */
export function changesLinks(patch: string): boolean {
  return readHunks(patch).some(({ added, removed }) =>
    [...added, ...removed].some((line) => link.test(line)),
  );
}

/** Hashes of the words of each line that the others lack, without lines that have none. */
function newWords(lines: readonly string[], others: readonly string[], sign = ''): string[][] {
  const known = new Set(others.flatMap(wordsOf));
  return lines
    .map((line) => wordsOf(line).filter((word) => !known.has(word)))
    .filter(({ length }) => length > 0)
    .map((words) => words.map((word) => sign + hash('sha256', word).slice(0, 8)));
}

function wordsOf(line: string): string[] {
  return line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
