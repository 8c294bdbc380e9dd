import { parse as parseToml, TomlError } from 'smol-toml';
import { isMap, parseAllDocuments, parseDocument } from 'yaml';
import { blank } from '../../text/blank.ts';
import { type MarkdownParts, readMarkdown } from '../markdown.ts';
import { isPage, type Site } from '../site.ts';
import { type Flaw, quoted } from './finding.ts';

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

/** Parses a page as a build would before it compiles and runs it. Here nobody runs it. */
async function compileMdx(site: Site, text: string, parts: MarkdownParts): Promise<Flaw[]> {
  // Most changes touch no such page.
  const { fromMarkdown } = await import('mdast-util-from-markdown');
  const { mdxFromMarkdown } = await import('mdast-util-mdx');
  const { mdxjs } = await import('micromark-extension-mdxjs');
  const extensions = [mdxjs({ addResult: true })];
  const mdastExtensions = [mdxFromMarkdown()];
  try {
    refuseUncompilable(fromMarkdown(prepare(site, text, parts), { extensions, mdastExtensions }));
    return [];
  } catch (error) {
    const { reason, line, message } = error as { reason?: string; line?: number; message: string };
    // What it says of a tag without an end has the line in its words.
    const [, found] = /\((\d+):\d+-/.exec(message) ?? [];
    const at = line ?? (found === undefined ? undefined : Number(found));
    return [{ kind: 'mdx', line: at, problem: `it does not compile as MDX: ${quoted(reason ?? message)}` }];
  }
}

/** As the compiler gets it of the framework: without front matter, and every line stays where it is. */
function prepare({ framework }: Site, text: string, { frontMatter, comments }: MarkdownParts): string {
  const page = blank(text, [{ start: 0, end: frontMatter?.end ?? 0 }]);
  if (framework !== 'Docusaurus') return page;
  // https://docusaurus.io/docs/api/docusaurus-config#markdown: it takes these out before, as old pages have them.
  const old = comments.filter(({ start }) => text.startsWith('<!--', start));
  return blank(page, old).replace(/^(#{1,6}[ \t][^\n]*)\{#[\w-]{1,200}\}(?=[ \t]*\r?$)/gm, '$1');
}

/** A node of Markdown, of JSX in it, or of JavaScript in that. */
interface Node {
  type: string;
  name?: unknown;
  source?: unknown;
  specifiers?: { exported?: { name?: string } }[];
  attributes?: Node[];
  comments?: { value: string }[];
  position?: { start: { line: number } };
  loc?: { start: { line: number } };
}

/** What can be parsed, and yet is refused by MDX's compiler, in its words: https://mdxjs.com/packages/mdx/ */
function refuseUncompilable(root: object): void {
  const nodes = [...everyNode(root)];
  const layouts = nodes.filter(isLayout);
  if (layouts[1]) refuse('Unexpected duplicate layout, expected a single layout', layouts[1]);
  const comments = nodes.flatMap(({ comments = [] }) => comments.map(({ value }) => value));
  const [pragma] = comments.map((comment) => unknownPragma.exec(comment)?.[0]).filter(Boolean);
  if (pragma) refuse(`Unexpected \`${pragma}\` pragma w/ automatic runtime`);
  const late = nodes.map(findLateKey).find(Boolean);
  if (late) refuse('Expected `key` to come before any spread expressions', late);
}

/** Comments that choose another runtime of JSX than the compiler's own. */
const unknownPragma = /@(?:jsx|jsxFrag)(?=\s+\S)|@jsxRuntime(?=\s+(?!automatic(?!\S))\S)/;

function refuse(reason: string, { position, loc }: Partial<Node> = {}): never {
  throw Object.assign(new Error(reason), { line: (position ?? loc)?.start.line });
}

function isLayout({ type, source, specifiers = [] }: Node): boolean {
  if (type === 'ExportDefaultDeclaration') return true;
  return Boolean(source) && specifiers.some(({ exported }) => exported?.name === 'default');
}

function findLateKey({ attributes = [] }: Node): Node | undefined {
  const spread = attributes.findIndex(
    ({ type }) => type.endsWith('ExpressionAttribute') || type === 'JSXSpreadAttribute',
  );
  if (spread === -1) return undefined;
  return attributes
    .slice(spread)
    .find(({ name }) => name === 'key' || (name as Node | undefined)?.name === 'key');
}

/** Of pages that nest however deep. */
function* everyNode(root: object): Generator<Node> {
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if ('type' in value && typeof value.type === 'string') yield value as Node;
    const inner = Object.values(value).filter((one) => typeof one === 'object' && one !== null);
    for (const one of inner.toReversed()) open.push(one);
  }
}
