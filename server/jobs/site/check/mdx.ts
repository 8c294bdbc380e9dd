import { blank, type MarkdownParts } from '../markdown.ts';
import type { Site } from '../site.ts';
import { type Flaw, quoted } from './finding.ts';

/** Translates a page to a program, as a build would before it runs it. Here nobody runs it. */
export async function compileMdx(site: Site, text: string, parts: MarkdownParts): Promise<Flaw[]> {
  // Most changes touch no such page.
  const { compile } = await import('@mdx-js/mdx');
  try {
    await compile(prepare(site, text, parts), { format: 'mdx' });
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
