import {
  type Builds,
  findNewDirective,
  markup,
  mayMatter,
  type PageEdit,
  plainBuilds,
} from '../../site/directives/new-directives.ts';
import { isMkdocs, isNavigation } from '../path-rules.ts';
import { findWrongNavigation } from './navigation-check.ts';

/** Undefined: there was no such file, or there is none any more. */
export interface Edit {
  path: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
}

/**
 * Why a file that an agent may change must not be changed in this way, as a part of a sentence: also what looks like
 * content can make a build run something.
 * @param isNamed whether the project itself named the file for agents
 * @param findBuilds what the repository is built with; asked only where it matters
 */
export async function findWrongContent(
  { path, before, after }: Edit,
  isNamed: boolean,
  findBuilds: () => Promise<Builds>,
): Promise<string | undefined> {
  if (before && after && before.equals(after)) return undefined;
  if (isPointer(after) || (after && isPointer(before))) {
    return 'its content is kept in Git LFS, and only a pointer to it is here';
  }
  if (isNamed) return undefined;
  if (isMkdocs(path)) return isNavigationOnly(before, after) ? undefined : navigationOnly;
  const wrong = findWrongNavigation(path, before?.toString(), after?.toString());
  if (wrong !== undefined || !after || !markup.test(path)) return wrong;
  const edit = { path, before: before?.toString() ?? '', after: after.toString() };
  return findCode(edit, mayMatter(edit) ? await findBuilds() : plainBuilds);
}

/** Whether a file of this name can only be judged by its content. */
export function isJudgedByContent(path: string): boolean {
  return isMkdocs(path) || isNavigation(path) || markup.test(path);
}

const navigationOnly =
  'in this file, only the entries below "nav:" may be changed, each of them on a line of its own';

function findCode({ path, before, after }: PageEdit, builds: Builds): string | undefined {
  if (runsFrontMatter(after) && !runsFrontMatter(before)) {
    return 'its front matter is in a language that builds run, or names one for the page: write it in YAML, without that';
  }
  const found = findNewDirective({ path, before, after }, builds);
  if (found === undefined) return undefined;
  const start = JSON.stringify(found.text.slice(0, 80));
  return found.isCode
    ? `a build would run what begins with ${start}: an agent adds no import, no export and no expression to MDX but plain values`
    : `a build with ${found.build} would run, or read a file for, what begins with ${start}: an agent adds to a page nothing that runs, and reads only files that are there below the folder of the pages`;
}

/** https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const pointerStart = 'version https://git-lfs.github.com/spec/';
const maxPointerBytes = 1024;

function isPointer(content: Buffer | undefined): boolean {
  if (!content || content.length > maxPointerBytes) return false;
  return content.subarray(0, pointerStart.length).toString('latin1') === pointerStart;
}

/** What gray-matter does with `---js`: https://github.com/jonschlinkert/gray-matter#optionslanguage */
function runsFrontMatter(text: string): boolean {
  const [, language = 'yaml'] = /^\uFEFF?(?:---|;;;|\+\+\+)[ \t]*([^\s-]\S*)/.exec(text) ?? [];
  // https://www.11ty.dev/docs/languages/#templateengineoverride-examples and https://lume.land/docs/core/multiple-template-engines/
  const isOther =
    /^\uFEFF?---\r?\n(?:(?!---)[^\n]{0,500}\n){0,100}?["']?templateEngine(?:Override)?["']?[ \t]*:/.test(
      text,
    );
  return isOther || !/^(ya?ml|toml|json)$/i.test(language);
}

/** Other settings of MkDocs name plugins and hooks, which are programs. */
function isNavigationOnly(before: Buffer | undefined, after: Buffer | undefined): boolean {
  const was = splitNavigation(before?.toString());
  const is = splitNavigation(after?.toString());
  return was !== undefined && is !== undefined && was.rest === is.rest && is.entries.every(isPlainEntry);
}

/** Undefined where there is not exactly one navigation in the form that everybody writes. */
function splitNavigation(text = ''): { entries: string[]; rest: string } | undefined {
  const lines = text.split(/\r?\n/);
  const starts = lines.flatMap((line, index) => (/^["']?nav["']?\s*:/.test(line) ? [index] : []));
  const [start = -1] = starts;
  if (starts.length !== 1 || !/^nav:\s*$/.test(lines[start] ?? '')) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => /^[^\s#-]/.test(line));
  const end = length < 0 ? lines.length : start + 1 + length;
  const rest = [...lines.slice(0, start + 1), ...lines.slice(end)].join('\n');
  return { entries: lines.slice(start + 1, end), rest };
}

/** `- Title: page.md`, `- page.md` or `- Title:`, without tags, anchors and texts over several lines. */
function isPlainEntry(line: string): boolean {
  if (/^\s*(#.*)?$/.test(line)) return true;
  const [, body] = /^ *- +(.*?) *$/.exec(line) ?? [];
  if (body === undefined) return false;
  if (isPlainText(body)) return true;
  const [, key = '', value = ''] = /^("[^"\\]*"|'[^']*'|.*?):(?: +(.*))?$/.exec(body) ?? [];
  return isPlainText(key) && (value === '' || isPlainText(value));
}

function isPlainText(text: string): boolean {
  if (/\p{Cc}/u.test(text)) return false;
  return /^(?:"[^"\\]*"|'[^']*')$/.test(text) || /^[\p{L}\p{N}._/(](?!.*(?:: | #|:$))/u.test(text);
}
