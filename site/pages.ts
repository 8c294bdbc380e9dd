import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';

// The pages of the documentation, from the Markdown files of the repository.

const home = join(import.meta.dirname, '..');

export interface Page {
  /** Of its HTML and its Markdown, without the ending. */
  name: string;
  title: string;
  /** As published: links lead to other published files. */
  markdown: string;
}

interface Link {
  name: string;
  label: string;
}

/** A heading of `docs/README.md` with its pages; an item has more than one where it names more than one. */
interface Group {
  title: string;
  items: { links: Link[]; note: string }[];
}

/** A heading of a page and the text below it, as the search finds it. */
export interface Section {
  url: string;
  page: string;
  heading: string;
  text: string;
}

/** Files outside `docs/` that its pages link to, and the names they are published under. */
const others: Readonly<Record<string, string>> = {
  'README.md': 'index',
  'docs/README.md': 'contents',
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'CODE_OF_CONDUCT.md': 'code-of-conduct',
  'SECURITY.md': 'security',
  'bench/README.md': 'benchmarks',
  'client/README.md': 'client-package',
  'connect/README.md': 'connect-package',
};

/** Files that are no pages and that pages may lead to. */
const copied: readonly string[] = ['LICENSE', ...listDocs('.png')];

/** Those that pages lead to, and so are published. */
export const otherFiles = (pages: readonly Page[]) =>
  copied.filter((file) => pages.some(({ markdown }) => markdown.includes(`](${publishedName(file)})`)));

const publishedName = (file: string) => file.replace(/^docs\//, '');

function listDocs(ending: string): string[] {
  const names = readdirSync(join(home, 'docs')).filter((name) => name.endsWith(ending));
  return names.map((name) => `docs/${name}`);
}

const nameOf = (file: string) => others[file] ?? file.replace(/^docs\/(.*)\.md$/, '$1');

/** A page that is no file of the repository. */
export interface Generated {
  name: string;
  markdown: string;
  note: string;
}

export function readPages(generated: readonly Generated[]): Page[] {
  const files = new Set([...Object.keys(others), ...listDocs('.md')]);
  const written = [...files].map((file) => {
    const text = readFileSync(join(home, file), 'utf8');
    return { name: nameOf(file), markdown: withPublishedLinks(text, file, files) };
  });
  return [...written, ...generated].map(({ name, markdown }) => ({
    name,
    markdown,
    title: /^# (.+)/m.exec(markdown)?.[1] ?? name,
  }));
}

/** @throws Error where a link leads to a file that is not published */
function withPublishedLinks(text: string, from: string, files: ReadonlySet<string>): string {
  return text.replaceAll(/(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)/g, (target) => {
    const file = normalize(join(dirname(from), target));
    if (files.has(file)) return `${nameOf(file)}.md`;
    if (copied.includes(file)) return publishedName(file);
    throw new Error(`${from} links to ${file}, which is not part of the documentation.`);
  });
}

/** As code hosts make them of headings. */
const anchorOf = (heading: string) =>
  plainOf(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Markdown of one line without its marks. */
const plainOf = (markdown: string) => textOf(new Marked().lexer(markdown));

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows]
          .flat()
          .map((cell) => textOf(cell.tokens))
          .join(' ');
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map(({ tokens }) => textOf(tokens)).join(' ');
      if (token.type === 'space') return ' ';
      if ('tokens' in token && token.tokens) return textOf(token.tokens);
      return token.type === 'html' ? '' : 'text' in token ? String(token.text) : '';
    })
    .join('');
}

const toHtml = new Marked({
  renderer: {
    heading({ depth, text, tokens }) {
      const anchor = anchorOf(text);
      const link =
        depth === 1 ? '' : ` <a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`;
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const target = href.replace(/^([\w-]+)\.md(?=#|$)/, '$1.html');
      return `<a href="${escapeHtml(target)}">${this.parser.parseInline(tokens)}</a>`;
    },
    // A wide one scrolls by itself, also with the keyboard.
    table({ header, rows }) {
      const inline = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
      const heading = (cell: Tokens.TableCell) =>
        cell.text === '' ? '<td></td>' : `<th scope="col">${inline(cell)}</th>`;
      const hasHead = header.some(({ text }) => text !== '');
      const head = hasHead ? `<thead><tr>${header.map(heading).join('')}</tr></thead>` : '';
      const body = rows.map(
        (cells) => `<tr>${cells.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`,
      );
      return `<div class="wide" role="group" tabindex="0"><table>${head}<tbody>${body.join('\n')}</tbody></table></div>\n`;
    },
    code({ text }) {
      return `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`;
    },
  },
});

export const renderMarkdown = (markdown: string) => toHtml.parse(markdown, { async: false });

/** The second-level headings, for the list beside the page. */
export function headingsOf({ markdown }: Page): { anchor: string; text: string }[] {
  const headings = new Marked()
    .lexer(markdown)
    .filter((token): token is Tokens.Heading => token.type === 'heading');
  return headings
    .filter(({ depth }) => depth === 2)
    .map(({ text }) => ({ anchor: anchorOf(text), text: plainOf(text) }));
}

/** The order of the pages for users: the list of `docs/README.md`, and the generated ones. */
export function readGroups(pages: readonly Page[], generated: readonly Generated[]): Group[] {
  const contents = pages.find(({ name }) => name === 'contents');
  const groups: Group[] = [];
  for (const token of new Marked().lexer(contents?.markdown ?? '')) {
    const title = /^\*\*(.+)\*\*$/.exec(token.raw.trim())?.[1];
    if (title !== undefined) groups.push({ title, items: [] });
    if (token.type === 'list')
      groups.at(-1)?.items.push(...(token as Tokens.List).items.map(({ text }) => itemOf(text)));
  }
  const items = generated.map(({ name, note }) => ({
    links: [{ name, label: pages.find((page) => page.name === name)?.title ?? name }],
    note,
  }));
  return [...groups, { title: 'Reference', items }];
}

function itemOf(text: string): Group['items'][number] {
  const links = Array.from(text.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g), ([, label = '', name = '']) => ({
    name,
    label: (label[0] ?? '').toUpperCase() + label.slice(1),
  }));
  const note = text.includes(': ') ? text.slice(text.indexOf(': ') + 2).replaceAll(/\s+/g, ' ') : '';
  return { links, note };
}

/** The pages for users in their order, the first page before them. */
export function usersPages(pages: readonly Page[], groups: readonly Group[]): Page[] {
  const names = [
    'index',
    ...groups.flatMap(({ items }) => items.flatMap(({ links }) => links.map(({ name }) => name))),
  ];
  return names.map((name) => {
    const page = pages.find((page) => page.name === name);
    if (!page) throw new Error(`docs/README.md lists ${name}.md, which is not there.`);
    return page;
  });
}

export function sectionsOf(page: Page): Section[] {
  const sections: { section: Section; tokens: Token[] }[] = [];
  for (const token of new Marked().lexer(page.markdown)) {
    if (token.type === 'heading') {
      const text = String(token.text);
      const anchor = token.depth === 1 ? '' : `#${anchorOf(text)}`;
      const section = {
        url: `${page.name}.html${anchor}`,
        page: page.title,
        heading: plainOf(text),
        text: '',
      };
      sections.push({ section, tokens: [] });
    } else sections.at(-1)?.tokens.push(token);
  }
  return sections.map(({ section, tokens }) => ({
    ...section,
    text: textOf(tokens).replaceAll(/\s+/g, ' ').trim(),
  }));
}

/** https://llmstxt.org */
export function llmsText(groups: readonly Group[], summary: string): string {
  const parts = groups.map(({ title, items }) => {
    const lines = items.flatMap(({ links, note }) =>
      links.map(({ name, label }) => `- [${label}](${name}.md)${note === '' ? '' : `: ${note}`}\n`),
    );
    return `## ${title}\n\n${lines.join('')}`;
  });
  const start = '- [Start](index.md): install, first visitor\n- [All pages in one file](llms-full.txt)\n';
  return [`# Headcount\n\n> ${summary}\n\n${start}`, ...parts].join('\n');
}
