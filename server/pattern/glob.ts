import { setImmediate as nextTurn } from 'node:timers/promises';
import picomatch from 'picomatch';
import { memoize } from '../memo.ts';
import { LinearRegExp } from './linear-regexp.ts';

/** Of globs that are compiled in one turn of the event loop: the worst take 1 µs each, and 4 before their code is warm. */
const lettersPerTurn = 2_000;

/** Of brackets: for more, it takes long to find out what is meant. */
const maxDepth = 30;
/** What people write has one or two; some cost 0.3 ms at the worst. */
const maxAcceptedDepth = 5;
const maxAcceptedRepeats = 2;

/** Whether it stands for more than one path, or says with a backslash that a character stands for itself. */
export function isGlob(text: string): boolean {
  return text.includes('\\') || picomatch.scan(text).isGlob === true;
}

/** Whether a path matches one of the globs, in picomatch's language; names that begin with a dot are as others. */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  const literals = new Set(globs);
  // Made when it is first asked, as most projects are not.
  let patterns: LinearRegExp[] | undefined;
  return (path) => {
    if (path === '') return false;
    if (literals.has(path)) return true;
    patterns ??= globs.map(compile).filter((pattern) => pattern !== null);
    return patterns.some((pattern) => pattern.test(path));
  };
}

/** Why a new glob is not accepted, as the end of a sentence that begins with it; undefined where it is. */
export function findGlobFault(glob: string): string | undefined {
  if (depthOf(glob) > maxAcceptedDepth) return `has more than ${maxAcceptedDepth} brackets in one another`;
  const pattern = compile(glob);
  if (pattern === null) return 'refers back to or looks behind a part of itself, which no glob can';
  if (pattern.repeats > maxAcceptedRepeats) {
    return 'repeats too much: leave out +(…) and *(…) within each other, with a * in them, or more than twice';
  }
  return undefined;
}

/** Compiles globs before they are asked for, which takes up to 1 ms for each. Hits are answered in between. */
export async function prepareGlobs(globs: readonly string[]): Promise<void> {
  let letters = 0;
  for (const glob of globs) {
    letters += glob.length;
    if (letters > lettersPerTurn) {
      letters = glob.length;
      await nextTurn();
    }
    compile(glob);
  }
}

/** As long as one may be, and encoded; the worst take 130 KB. */
const maxLetters = 4_096;
const maxCompiled = 1_000;

/** Null: it means the path that it is alone. */
const compile = memoize(compileAnew, maxCompiled, maxLetters);

function compileAnew(glob: string): LinearRegExp | null {
  if (depthOf(glob) > maxDepth) return null;
  try {
    return new LinearRegExp(picomatch.makeRe(glob, { dot: true }));
  } catch {
    return null;
  }
}

/** How many brackets are open at most, closed or not. */
function depthOf(glob: string): number {
  let depth = 0;
  let most = 0;
  for (const [letter] of glob.matchAll(/[()[\]{}]/g)) {
    depth += '([{'.includes(letter) ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}
