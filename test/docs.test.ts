import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { marked, type Token, type Tokens } from 'marked';
import { describe, expect, test } from 'vitest';
import { operations } from '../server/operations.ts';
import { runHere } from './support/commands/command.ts';

const root = join(import.meta.dirname, '..');
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/README.md',
  'client/README.md',
  'connect/README.md',
  ...docs.map((name) => `docs/${name}`),
];

const read = (page: string) => readFileSync(join(root, page), 'utf8');

function tokensOf<Type extends Token['type']>(page: string, type: Type): Extract<Token, { type: Type }>[] {
  const found: Extract<Token, { type: Type }>[] = [];
  marked.walkTokens(marked.lexer(read(page)), (token) => {
    if (token.type === type) found.push(token as Extract<Token, { type: Type }>);
  });
  return found;
}

/** As code hosts make them of headings. */
function anchorsOf(page: string): string[] {
  return tokensOf(page, 'heading').map(({ text }: Tokens.Heading) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(page: string): string[] {
  const targets = [...tokensOf(page, 'link'), ...tokensOf(page, 'image')].map(({ href }) => href as string);
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : relative(root, join(root, dirname(page), path));
    return !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
}

/** Lines that people read as sentences: no code, no tables, and of links the text alone. */
function proseOf(page: string): string[] {
  const text = read(page).replace(/^```.*?^```/gms, '');
  return text
    .split('\n')
    .filter((line) => !/^\s*[|<!]/.test(line))
    .map((line) => line.replace(/\]\([^)]*\)/g, ']').replace(/https?:\S+/g, ''));
}

/** Files and folders of the repository that stand in code spans. */
function namedPaths(page: string): string[] {
  return tokensOf(page, 'codespan')
    .map(({ text }: Tokens.Codespan) => text)
    .filter((text) =>
      /^(server|shared|test|bench|demo|dashboard|tracker|connect|\.ci)\/[\w./-]*$/.test(text),
    );
}

test('README.md has at most 120 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

describe.each(pages)('%s', (page) => {
  test('has commands that can be pasted: a shell reads "<name>" as a file', () => {
    const commands = tokensOf(page, 'code').filter(({ lang }: Tokens.Code) => lang === 'sh');
    expect(commands.flatMap(({ text }: Tokens.Code) => text.match(/<[\w -]+>.*/g) ?? [])).toEqual([]);
  });

  test('links to what is there', () => {
    expect(brokenLinks(page)).toEqual([]);
  });

  test('names files that are there', () => {
    expect(namedPaths(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('has lines of fewer than 120 characters', () => {
    expect(proseOf(page).filter((line) => line.length >= 120)).toEqual([]);
  });
});

test('docs/README.md leads to every page', () => {
  const targets = tokensOf('docs/README.md', 'link').map(({ href }: Tokens.Link) => href);
  expect(docs.filter((name) => name !== 'README.md' && !targets.includes(name))).toEqual([]);
});

test('docs/architecture.md names all parts of the server', () => {
  const told = tokensOf('docs/architecture.md', 'codespan').map(({ text }: Tokens.Codespan) => text);
  const parts = readdirSync(join(root, 'server'), { withFileTypes: true }).map((part) =>
    part.isDirectory() ? `${part.name}/` : part.name,
  );
  const isTold = (part: string) => told.some((text) => text.startsWith(part));
  expect(parts.filter((part) => !isTold(part))).toEqual([]);
});

test.each(['store/sqlite/', 'store/postgres/'])('docs/architecture.md names all parts of %s', (engine) => {
  const table = tokensOf('docs/architecture.md', 'table').find(
    ({ header }) => header[0]?.text === `\`${engine}\``,
  );
  const told = table?.rows.flatMap(([parts]) => parts?.text.match(/(?<=`)[\w./-]+(?=`)/g) ?? []);
  const parts = readdirSync(join(root, 'server', engine), { withFileTypes: true }).map((part) =>
    part.isDirectory() ? `${part.name}/` : part.name,
  );
  expect(parts.filter((part) => !told?.includes(part))).toEqual([]);
  expect(told?.filter((part) => !existsSync(join(root, 'server', engine, part)))).toEqual([]);
});

test.each(['project', 'key', 'admin', 'import', 'whois', 'probe'])(
  'the pages tell of every option of "headcount %s"',
  async (command) => {
    const { stdout } = await runHere([command, '--help']);
    const told = pages.map(read).join('\n');
    const options = [...new Set(stdout.match(/--[a-z][a-z-]+/g))];
    expect(options.length).toBeGreaterThan(1);
    expect(options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(told))).toEqual([]);
  },
);

test('docs/api.md tells of every operation, and of none besides', () => {
  const shared = '/v1/share/{}/';
  const served = operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, '{}')}`);
  const routes = tokensOf('docs/api.md', 'codespan')
    .map(({ text }: Tokens.Codespan) => text)
    .filter((text) => /^[A-Z]+ \//.test(text))
    .map((text) => text.replace(/\{\w+\}/g, '{}'));
  const told = new Set(routes.filter((text) => !text.endsWith('/…')));
  // Those of shared pages are told of as a whole.
  const rest = served.filter((text) => !text.includes(shared));
  expect(routes).toContain(`GET ${shared}…`);
  expect([...told].sort()).toEqual(rest.sort());
});
