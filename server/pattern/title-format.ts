import { LinearRegExp } from './linear-regexp.ts';

/** What the titles of commits and pull requests have to look like. */
export interface TitleFormat {
  /** In words, for agents and people. */
  description: string;
  fits(title: string): boolean;
}

/** The setting that stands for the format of conventionalcommits.org. */
const conventional = 'conventional';
const isConventional = (setting: string) => setting.toLowerCase() === conventional;
const conventionalTitle =
  /^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([\w./ -]{1,50}\))?!?: \S/;

/** Titles have 70 characters, so that a few groups that are gone through one by one cost nothing. */
const maxRepeats = 4;

/** @param setting "conventional", or a regular expression; null: any title */
export function titleFormatOf(setting: string | null): TitleFormat | undefined {
  if (setting === null) return undefined;
  if (isConventional(setting)) {
    const description =
      'Conventional Commits: a type such as docs, fix, feat or chore, a scope in brackets where it helps, a colon, a space, and what the change does, such as "docs: explain how to rotate keys" or "fix(api): correct the example"';
    return { description, fits: (title) => conventionalTitle.test(title) };
  }
  const pattern = compile(setting);
  // One that an older version took: what cannot be checked holds nothing up.
  return (
    pattern && { description: `the regular expression ${setting}`, fits: (title) => pattern.test(title) }
  );
}

/** Why a format is not accepted, as the end of a sentence that begins with its name; undefined where it is. */
export function findFormatFault(setting: string): string | undefined {
  if (isConventional(setting)) return undefined;
  if (/^\/.*\/[a-z]*$/.test(setting)) return 'must be a regular expression without slashes around it';
  const pattern = compile(setting);
  if (pattern === undefined) {
    return `must be "${conventional}", or a regular expression without references back, such as ^(docs|fix): `;
  }
  return pattern.repeats > maxRepeats ? 'repeats groups too often' : undefined;
}

function compile(source: string): LinearRegExp | undefined {
  try {
    return new LinearRegExp(new RegExp(source));
  } catch {
    return undefined;
  }
}

/** Before titles that no agent wrote, the most specific first. */
const prefixes = ['docs: ', 'revert: ', 'chore: ', 'fix: ', '[docs] '];

/** A title that no agent wrote, with what the format wants before it, as far as that can be guessed. */
export function fitTitle(title: string, format: TitleFormat | undefined): string {
  if (format === undefined) return title;
  const ordered = /^revert\b/i.test(title) ? ['revert: ', ...prefixes] : prefixes;
  const lower = `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  return [title, ...ordered.map((prefix) => prefix + lower)].find((each) => format.fits(each)) ?? title;
}
