import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked, type Tokens } from 'marked';

const docs = join(import.meta.dirname, '..', '..', 'docs');

/** What stands in the docs for the reader's own Headcount. */
const example = 'https://count.example.com';

/** The files that a section of a page of the docs tells to write for a project, by the name in their first line. */
export function snippetsOf(
  { heading, page = 'connect.md' }: { heading: string; page?: string | undefined },
  server: string,
  projectId = '…',
): Record<string, string> {
  const tokens = marked.lexer(readFileSync(join(docs, page), 'utf8'));
  const start = tokens.findIndex((token) => token.type === 'heading' && token.text === heading);
  const rest = tokens.slice(start + 1);
  const end = rest.findIndex(({ type }) => type === 'heading');
  const code = rest
    .slice(0, end < 0 ? rest.length : end)
    .filter((token): token is Tokens.Code => token.type === 'code');
  const files = code.map(({ text }) => [
    /^(?:\/\/|#|\{#) (\S+)/.exec(text)?.[1],
    text.replaceAll(example, server).replaceAll('"…"', `"${projectId}"`).replaceAll("'…'", `'${projectId}'`),
  ]);
  if (start < 0 || files.length === 0 || files.some(([name]) => name === undefined)) {
    throw new Error(`docs/${page} shows no file under "${heading}".`);
  }
  return Object.fromEntries(files);
}

/** Writes into the table of a page of the docs what was run now. */
export function noteRun(name: string, versions: string, page = 'connect.md'): void {
  const file = join(docs, page);
  const text = readFileSync(file, 'utf8');
  const row = new RegExp(`^\\| ${name.replace('.', '\\.')} \\| .*$`, 'm');
  if (!row.test(text)) throw new Error(`The table of docs/${page} has no row for ${name}.`);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(file, text.replace(row, `| ${name} | ${versions} | ${today} |`));
}
