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
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
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

/** One page for each question that a user has, read once; what grows is written more briefly elsewhere. */
test('the documents have at most 30,000 words in all', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'bench/README.md',
    ...docs.map((name) => `docs/${name}`),
  ];
  const words = documents.map((page) => read(page).split(/\s+/).length);
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(30_000);
});

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

/** Pages for those who change Headcount, which the list for users leaves out. */
const forDevelopers = ['architecture.md', 'decisions.md'];

test('docs/README.md leads to every page for users, and CONTRIBUTING.md to those for developers', () => {
  const targetsOf = (page: string) => tokensOf(page, 'link').map(({ href }: Tokens.Link) => href);
  const [users, developers] = [targetsOf('docs/README.md'), targetsOf('CONTRIBUTING.md')];
  const listed = docs.filter((name) => users.includes(name) || name === 'README.md');
  expect(listed.toSorted()).toEqual(docs.filter((name) => !forDevelopers.includes(name)).toSorted());
  expect(forDevelopers.filter((name) => !developers.includes(`docs/${name}`))).toEqual([]);
});

test('docs/architecture.md names all parts of the server', () => {
  const told = tokensOf('docs/architecture.md', 'codespan').map(({ text }: Tokens.Codespan) => text);
  const parts = readdirSync(join(root, 'server'), { withFileTypes: true }).map((part) =>
    part.isDirectory() ? `${part.name}/` : part.name,
  );
  const isTold = (part: string) => told.some((text) => text.startsWith(part));
  expect(parts.filter((part) => !isTold(part))).toEqual([]);
});

/** What the pages show to type: the command's words, and its options, once each. */
const shown = [...new Set(pages.flatMap(commandsOf))].map((line) => line.split(' '));

function commandsOf(page: string): string[] {
  const blocks = tokensOf(page, 'code').filter(({ lang }: Tokens.Code) => lang === 'sh');
  const lines = blocks.flatMap(({ text }: Tokens.Code) => text.replaceAll(/\\\n\s*/g, '').split('\n'));
  return lines.flatMap((line) => {
    const typed = /(?:^|\| |headcount headcount )headcount ((?:[a-z][a-z-]+ ?)+)(.*)/.exec(line);
    if (!typed) return [];
    const [, words = '', rest = ''] = typed;
    const options = rest.replaceAll(/"[^"]*"|'[^']*'|\s#.*/g, '').match(/(?<=^|\s)--[a-z][a-z-]+/g) ?? [];
    return `${words.trim()} ${options.join(' ')}`.trim();
  });
}

test('the pages show commands and options that there are', async () => {
  expect(shown.length).toBeGreaterThan(50);
  const unknown: string[] = [];
  for (const [command = '', ...rest] of shown) {
    const { code, stdout } = await runHere([command, '--help']);
    const kinds = Array.from(
      stdout.matchAll(new RegExp(`headcount ${command} ([a-z][a-z-]+)`, 'g')),
      ([, kind]) => kind,
    );
    const options = rest.filter((word) => word.startsWith('--'));
    const isKnown = code === 0 && (kinds.length === 0 || kinds.includes(rest[0]));
    const missing = options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(stdout));
    if (!isKnown || missing.length > 0) unknown.push([command, ...rest].join(' '));
  }
  expect(unknown).toEqual([]);
});

test('docs/api.md names every report, and no route that is not there', () => {
  const text = read('docs/api.md');
  const spans = tokensOf('docs/api.md', 'codespan').map(({ text }: Tokens.Codespan) => text);
  const served = operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, '{}')}`);
  const reports = served.flatMap((route) => /^GET \/v1\/analytics\/\{\}\/([\w-]+)$/.exec(route)?.[1] ?? []);
  expect(reports.length).toBeGreaterThan(40);
  expect(reports.filter((report) => !text.includes(`\`${report}\``))).toEqual([]);
  const routes = spans
    .filter((span) => /^[A-Z]+ \//.test(span))
    .map((span) => span.replace(/\{\w+\}/g, '{}'));
  expect(routes.filter((route) => !served.includes(route))).toEqual([]);
});
