import { setImmediate as nextTurn } from 'node:timers/promises';
import picomatch from 'picomatch';
import { LinearRegExp } from '../../pattern/linear-regexp.ts';

/** Whether a path from the top of the repository, without a slash before it, is meant. */
type PathPattern = (path: string) => boolean;

/** Large companies have some thousands. */
const maxRules = 10_000;
/** In letters: hits are answered in between. */
const workPerTurn = 5_000;
const ruleWork = 200;
const matchesPerTurn = 1_000;

interface Rule {
  matches: PathPattern;
  /** As they are written, such as `@ada`, `@acme/docs` or `ada@example.com`; none: the files belong to nobody. */
  owners: readonly string[];
  /** Of GitLab: what matches is out of the section for good. */
  excludes: boolean;
}

/** In each of these, the last rule that matches holds. */
type OwnerSections = readonly (readonly Rule[])[];

/** How a kind of code host reads CODEOWNERS. */
interface OwnerFile {
  /** Where it looks, the first one counts. */
  paths: readonly string[];
  /** @throws Error where it is too large */
  parse(text: string): Promise<OwnerSections>;
}

/** https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners */
export const githubOwners: OwnerFile = {
  paths: ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'],
  parse: async (text) => {
    const rules: Rule[] = [];
    for await (const line of linesOf(text)) rules.push(...readGithubRule(line));
    return [rules];
  },
};

/** https://docs.gitlab.com/user/project/codeowners/reference/ */
export const gitlabOwners: OwnerFile = {
  paths: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
  parse: readGitlabSections,
};

/** Who owns some files, those of most files first. */
export async function listOwners(sections: OwnerSections, paths: readonly string[]): Promise<string[]> {
  const owned = new Map<string, number>();
  let work = 0;
  for (const path of paths) {
    work += sections.reduce((sum, rules) => sum + rules.length, 0);
    if (work > matchesPerTurn) {
      work = 0;
      await nextTurn();
    }
    for (const owner of new Set(sections.flatMap((rules) => findOwners(rules, path)))) {
      owned.set(owner, (owned.get(owner) ?? 0) + 1);
    }
  }
  return [...owned].toSorted(([, one], [, other]) => other - one).map(([owner]) => owner);
}

function findOwners(rules: readonly Rule[], path: string): readonly string[] {
  const matching = rules.filter(({ matches }) => matches(path));
  if (matching.some(({ excludes }) => excludes)) return [];
  return matching.at(-1)?.owners ?? [];
}

async function* linesOf(text: string): AsyncGenerator<string> {
  let lines = 0;
  let work = 0;
  // White space before a line and empty lines are passed over by the expression.
  for (const [full] of text.matchAll(/\S[^\n]*/g)) {
    const isRule = !full.startsWith('#');
    if (isRule && ++lines > maxRules) throw new Error(`CODEOWNERS has more than ${maxRules} rules.`);
    work += full.length + (isRule ? ruleWork : 0);
    if (work > workPerTurn) {
      work = 0;
      await nextTurn();
    }
    if (isRule) yield full.trimEnd();
  }
}

/** The pattern, in which white space may stand after a backslash, and what stands behind it. */
function splitRule(line: string): { pattern: string; owners: string[] } {
  const [, pattern = '', rest = ''] = /^((?:\\.|[^\s\\])+)\s*(.*)$/.exec(line) ?? [];
  return { pattern, owners: rest.split(/\s+/).filter((word) => /^@|.@./.test(word)) };
}

/** As in .gitignore, but for negation, classes and an escaped "#", which GitHub does not know: it passes over such lines. */
function readGithubRule(line: string): Rule[] {
  const { pattern, owners } = splitRule(line.replace(/\s#.*$/, ''));
  if (/^!|^\\#|\[/.test(pattern)) return [];
  return [{ matches: compileGithub(pattern), owners, excludes: false }];
}

function compileGithub(pattern: string): PathPattern {
  const isFolder = pattern.endsWith('/');
  const inner = pattern.replace(/^\/|\/$/g, '');
  const anchored = pattern.startsWith('/') || inner.includes('/') ? inner : `**/${inner}`;
  const isIt = compilePattern(anchored);
  const isBelow = compilePattern(`${anchored}/**/*`);
  if (isFolder) return isBelow;
  // "docs/*" means what is in that folder, and not what is in folders of it.
  if (inner.endsWith('*')) return isIt;
  return (path) => isIt(path) || isBelow(path);
}

const header = /^\^?\[([^\]]+)\](?:\[\d+\])?\s*(.*)$/;

async function readGitlabSections(text: string): Promise<OwnerSections> {
  const sections = new Map<string, Rule[]>();
  let name = '';
  let usual: string[] = [];
  for await (const line of linesOf(text)) {
    const [, title, after = ''] = header.exec(line) ?? [];
    if (title !== undefined) {
      name = title.toLowerCase();
      usual = splitRule(`. ${after}`).owners;
      continue;
    }
    const rules = sections.get(name) ?? [];
    sections.set(name, rules);
    rules.push(readGitlabRule(line, usual));
  }
  return [...sections.values()];
}

function readGitlabRule(line: string, usual: readonly string[]): Rule {
  const { pattern, owners } = splitRule(line);
  const excludes = pattern.startsWith('!');
  const meant = excludes ? pattern.slice(1) : pattern;
  const anchored = meant.startsWith('/') ? meant.slice(1) : `**/${meant}`;
  const whole = anchored.endsWith('/') ? `${anchored}**/*` : anchored;
  const matches = compilePattern(whole, { classes: true });
  return { matches, owners: owners.length > 0 ? owners : usual, excludes };
}

const maxLength = 5_000;
const options = { dot: true, nobrace: true, noextglob: true, keepQuotes: true, literalBrackets: false };

/**
 * `*` and `?` within a name, `**` for any number of folders, `\` before a letter that is meant as it is, and `[a-z]` where
 * `classes` are known: in picomatch's language, which has more. Takes linear time in the path, as strangers may write both.
 */
export function compilePattern(pattern: string, { classes = false } = {}): PathPattern {
  if (pattern.length > maxLength) throw new Error(`A path pattern has more than ${maxLength} letters.`);
  const glob = pattern.replace(
    /\\(.)|([*?/])|\[([!^]?)([^/][^\]/]*)\]|./gs,
    (letter: string, escaped?: string, mark?: string, not?: string, members?: string) => {
      if (mark !== undefined) return letter;
      if (members !== undefined && classes)
        return `[${not ? '^' : ''}${members.replace(/[\\[\]^]/g, '\\$&')}]`;
      return Array.from(escaped ?? letter, (one) =>
        /[\w\s/\u0080-\uffff]/.test(one) ? one : `\\${one}`,
      ).join('');
    },
  );
  // Some letters have two units of UTF-16, of which picomatch takes each for a letter.
  const { source } = picomatch.makeRe(glob, options);
  const expression = new LinearRegExp(new RegExp(source.replace(/\[\^([^\]]*)\](?![*+?])/g, anyLetterBut)));
  return (path) => expression.test(path);
}

const anyLetterBut = '(?:[\\ud800-\\udbff][\\udc00-\\udfff]|[^$1\\ud800-\\udbff])';
