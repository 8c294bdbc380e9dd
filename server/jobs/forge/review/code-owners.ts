import { compilePattern, type PathPattern } from './path-pattern.ts';

interface Rule {
  matches: PathPattern;
  /** As they are written, such as `@ada`, `@acme/docs` or `ada@example.com`; none: the files belong to nobody. */
  owners: readonly string[];
  /** Of GitLab: what matches is out of the section for good. */
  excludes: boolean;
}

/** In each of these, the last rule that matches holds. */
export type OwnerSections = readonly (readonly Rule[])[];

/** How a kind of code host reads CODEOWNERS. */
export interface OwnerFile {
  /** Where it looks, the first one counts. */
  paths: readonly string[];
  parse(text: string): OwnerSections;
}

/** https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners */
export const githubOwners: OwnerFile = {
  paths: ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'],
  parse: (text) => [linesOf(text).flatMap(readGithubRule)],
};

/** https://docs.gitlab.com/user/project/codeowners/reference/ */
export const gitlabOwners: OwnerFile = {
  paths: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
  parse: readGitlabSections,
};

/** Who owns some files, those of most files first. */
export function listOwners(sections: OwnerSections, paths: readonly string[]): string[] {
  const owned = new Map<string, number>();
  for (const path of paths) {
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

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
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
  const isBelow = compilePattern(`${anchored}/*/**`);
  if (isFolder) return isBelow;
  // "docs/*" means what is in that folder, and not what is in folders of it.
  if (inner.endsWith('*')) return isIt;
  return (path) => isIt(path) || isBelow(path);
}

const header = /^\^?\[([^\]]+)\](?:\[\d+\])?\s*(.*)$/;

function readGitlabSections(text: string): OwnerSections {
  const sections = new Map<string, Rule[]>();
  let name = '';
  let usual: string[] = [];
  for (const line of linesOf(text)) {
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
