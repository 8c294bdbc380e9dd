import { blank } from '../../text/blank.ts';
import type { MarkdownParts } from '../markdown.ts';
import type { Site } from '../site.ts';
import { type Flaw, quoted } from './finding.ts';

/** Parses a page as a build would before it compiles and runs it. Here nobody runs it. */
export async function compileMdx(site: Site, text: string, parts: MarkdownParts): Promise<Flaw[]> {
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
    const [, told] = /\((\d+):\d+-/.exec(message) ?? [];
    const at = line ?? (told === undefined ? undefined : Number(told));
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
