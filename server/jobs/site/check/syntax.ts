import { parse as parseToml, TomlError } from 'smol-toml';
import { isMap, parseAllDocuments, parseDocument } from 'yaml';
import { type MarkdownParts, readMarkdown } from '../markdown.ts';
import { isPage, type Site } from '../site.ts';
import { type Flaw, quoted } from './finding.ts';
import { compileMdx } from './mdx.ts';

/** More than any page has that people read. */
const maxLength = 400_000;

export async function findFlaws(site: Site, path: string, text: string): Promise<Flaw[]> {
  if (text.length > maxLength) return [];
  if (/\.json$/i.test(path)) return findJsonFlaws(text);
  if (/\.ya?ml$/i.test(path)) return findYamlFlaws(text);
  if (/\.toml$/i.test(path)) return findTomlFlaws(text);
  if (/\.rst$/i.test(path)) return findTitleFlaws(text);
  if (!isPage(path)) return [];
  const parts = readMarkdown(path, text);
  const flaws = [...findFrontMatterFlaws(parts), ...findFenceFlaws(parts)];
  // After a fence without an end, what the compiler says leads astray.
  if (flaws.length > 0 || !site.mdx.test(path)) return flaws;
  return await compileMdx(site, text, parts);
}

function findFrontMatterFlaws({ frontMatter }: MarkdownParts): Flaw[] {
  if (frontMatter === undefined) return [];
  const flaw = (problem: string, line = 1): Flaw[] => [{ kind: 'front matter', line, problem }];
  if (!frontMatter.isClosed) return flaw('the front matter has no end: put a line with its mark below it.');
  if (frontMatter.kind === 'toml') {
    const fault = findTomlFault(frontMatter.text);
    return fault ? flaw(`the front matter is not TOML: ${fault.says}`, 1 + fault.line) : [];
  }
  const document = parseDocument(frontMatter.text, { prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    return flaw(
      `the front matter is not YAML: ${quoted(error.message)}`,
      2 + linesBefore(frontMatter.text, error.pos[0]),
    );
  }
  const { contents } = document;
  const isMapping = contents === null || isMap(contents);
  return isMapping ? [] : flaw('the front matter is not a list of keys and values.');
}

function findFenceFlaws({ openFence }: MarkdownParts): Flaw[] {
  if (openFence === undefined) return [];
  return [{ kind: 'fence', line: openFence, problem: 'the code fence that begins here is never closed.' }];
}

function findJsonFlaws(text: string): Flaw[] {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return [];
  } catch (error) {
    return [
      { kind: 'json', line: undefined, problem: `it is not JSON: ${quoted((error as Error).message)}` },
    ];
  }
}

function findYamlFlaws(text: string): Flaw[] {
  const documents = parseAllDocuments(text, { prettyErrors: false });
  const errors = 'empty' in documents ? [] : documents.flatMap((document) => document.errors);
  return errors.slice(0, 1).map((error) => ({
    kind: 'yaml',
    line: 1 + linesBefore(text, error.pos[0]),
    problem: `it is not YAML: ${quoted(error.message)}`,
  }));
}

function findTomlFlaws(text: string): Flaw[] {
  const fault = findTomlFault(text);
  return fault ? [{ kind: 'toml', line: fault.line, problem: `it is not TOML: ${fault.says}` }] : [];
}

function findTomlFault(text: string): { line: number; says: string } | undefined {
  try {
    parseToml(text.replace(/^\uFEFF/, ''));
    return undefined;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Its message goes on with the lines around it.
    const [says = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return { line: error.line, says: quoted(says) };
  }
}

function linesBefore(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length - 1;
}

/** Shorter lines are text: https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections */
const underline = /^([!-/:-@[-`{-~])\1{3,}$/;
const wideLetter =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Titles of reStructuredText that are longer than the line below or above them, which its builder warns of. */
function findTitleFlaws(text: string): Flaw[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? '';
    const after = lines[index + 1] ?? '';
    if (!isTitle(line, { before, after })) return [];
    const width = widthOf(line.trimStart());
    const isShort = [before, after].some((mark) => underline.test(mark) && mark.length < width);
    const problem = `the line that marks the title ${quoted(line)} is shorter than it.`;
    return isShort ? [{ kind: 'title', of: line, line: index + 1, problem }] : [];
  });
}

/** One line with nothing above it, or with the same mark above and below. */
function isTitle(line: string, { before, after }: { before: string; after: string }): boolean {
  if (line === '' || underline.test(line) || !underline.test(after)) return false;
  const isBetween = underline.test(before) && before[0] === after[0];
  return isBetween || (before === '' && /^\S/.test(line) && !line.startsWith('.. '));
}

/** In columns: letters of Chinese, Japanese and Korean take two, and marks above others none. */
function widthOf(line: string): number {
  const letters = Array.from(line.replace(/\p{Mn}/gu, ''));
  return letters.reduce((width, letter) => width + (wideLetter.test(letter) ? 2 : 1), 0);
}
