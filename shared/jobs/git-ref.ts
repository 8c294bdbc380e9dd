/** What a project's base may be. */
export type Ref =
  | { kind: 'branch_or_tag'; name: string }
  | { kind: 'branch'; name: string }
  | { kind: 'tag'; name: string }
  | { kind: 'commit'; hash: string }
  | { kind: 'default' };

/** Why a text cannot be used, to be put behind "cannot be used: ". */
export interface Fault {
  fault: string;
}

/** Full hashes only: a short one may mean another commit tomorrow. */
const hash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function isCommitHash(text: string): boolean {
  return hash.test(text);
}

/**
 * Reads the base of a project: a branch, a tag, either of them in full (`refs/tags/v1`), a full commit hash, or nothing
 * for the default branch.
 */
export function readRef(text: string): Ref | Fault {
  if (text === '') return { kind: 'default' };
  if (isCommitHash(text)) return { kind: 'commit', hash: text };
  const [, folder, full] = /^refs\/(heads|tags)\/(.+)$/s.exec(text) ?? [];
  if (full === undefined && text.startsWith('refs/'))
    return { fault: 'only branches and tags can be a base' };
  const name = full ?? text;
  const fault = findNameFault(name);
  if (fault !== undefined) return { fault };
  const kind = folder === undefined ? 'branch_or_tag' : folder === 'heads' ? 'branch' : 'tag';
  return { kind, name };
}

/** The placeholder in a prefix for the first words of the prompt. */
export const wordsMark = '{words}';
const maxWords = 6;
const maxWordsLength = 40;

/** The prefix of a branch, with words of the prompt where it has room for them: `headcount/explain-the-keys-`. */
export function fillPrefix(prefix: string, prompt: string): string {
  const [before = '', after] = prefix.split(wordsMark, 2);
  if (after === undefined) return prefix;
  const words = prompt
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .match(/[a-z0-9]+/g);
  const text = (words ?? []).slice(0, maxWords).join('-').slice(0, maxWordsLength).replace(/-$/, '');
  // A prompt in another script has none.
  return text === '' ? before + after.replace(/^[-_./]/, '') : before + text + after;
}

/** The branch of a job: the project's prefix and a name of ours, such as `headcount/` and `job_1`. */
export function readBranch(prefix: string, name: string): { branch: string } | Fault {
  if (prefix.startsWith('refs/')) return { fault: 'it must not begin with "refs/"' };
  const branch = prefix + name;
  const fault = findNameFault(branch);
  return fault === undefined ? { branch } : { fault };
}

/**
 * The rules of https://git-scm.com/docs/git-check-ref-format, and stricter: no `@` alone, which git reads as HEAD, no
 * leading dash or plus, which git reads as an option or as force, and no name that looks like a hash or like HEAD.
 */
function findNameFault(name: string): string | undefined {
  if (name.length === 0 || new TextEncoder().encode(name).length > 200) return 'it must have 1 to 200 bytes';
  if (!name.isWellFormed()) return 'it is not valid Unicode';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\u0000-\u0020\u007f-\u009f~^:?*[\\\u2028\u2029\ufffe\uffff]|\p{Cf}/u.test(name)) {
    return 'it has white space, an invisible character or one of ~ ^ : ? * [ \\ in it';
  }
  if (name.startsWith('-') || name.startsWith('+')) return 'it must not begin with a dash or a plus';
  if (name === '@' || name.includes('@{')) return 'git reads "@" as something else';
  if (name.includes('..') || name.endsWith('.')) return 'it must not hold ".." or end in a dot';
  if (name.split('/').some(isBadPart)) {
    return 'no part of it may be empty, begin with a dot or end in ".lock"';
  }
  if (isCommitHash(name)) return 'it looks like a commit hash';
  if (/^(?:HEAD|FETCH_HEAD|ORIG_HEAD|MERGE_HEAD)$/i.test(name)) return 'git uses this name itself';
  return undefined;
}

function isBadPart(part: string): boolean {
  return part === '' || part.startsWith('.') || part.toLowerCase().endsWith('.lock');
}
