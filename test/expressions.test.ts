import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Every regular expression that stands in a file. */
function* expressionsIn(file: string): Generator<string> {
  const waiting: unknown[] = [parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' })];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (regex) yield `/${regex.pattern}/${regex.flags}`;
    else waiting.push(...Object.values(node).filter((value) => value !== undefined));
  }
}

/** What is repeated without an end and holds such a part itself can take exponential time. */
function isNested(expression: string): boolean {
  let found = false;
  const isEndless = (node: AST.Node) => node.type === 'Quantifier' && node.max === Number.POSITIVE_INFINITY;
  visitRegExpAST(new RegExpParser().parseLiteral(expression), {
    onQuantifierEnter(node) {
      for (let outer = node.parent as AST.Node | null; outer && isEndless(node); outer = outer.parent) {
        found ||= isEndless(outer);
      }
    },
  });
  return found;
}

/** Each pass takes a letter that the part in it cannot, so that there is one way alone. */
const harmless: readonly string[] = [
  String.raw`/^GIT binary patch\n(?:(?:literal|delta) \d+\n(?:[A-Za-z].+\n)*\n?)+/gm`,
  '/^([\\s>]*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)*)(`{3,}|~{3,})(.*)$/',
  String.raw`/[^\n]+(?:\n(?![ \t]*\r?\n)[^\n]+)*/g`,
  String.raw`/(^|\/)(agents?|claude|gemini|qwen|crush|warp|skill)(\.[\w-]+)*\.(md|mdx|markdown|txt)$/`,
  String.raw`/^(?:[^.]*|.*\.(?:html?|mdx?)|v?\d+(?:\.\d+)*)$/i`,
  String.raw`/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/`,
  String.raw`/^(?:(?:[a-z\d\u0080-\uFFFF-]|%(?!40|2F)[\dA-F]{2})+\.)+(?!(?:avif|css|gif|html?|jpe?g|js|json|mjs|pdf|php|png|svg|txt|webp|xml)(?![a-z\d]))(?:xn--[a-z\d-]+|(?:[a-z\u0080-\uFFFF]|%[89A-F][\dA-F]){2,})/i`,
  String.raw`/^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$/u`,
  String.raw`/^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/`,
  String.raw`/^(?:[a-z0-9_-]+\.)+(?!\d+$)[a-z0-9-]+$/`,
  String.raw`/^https?:\/\/(?:(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?|\[[0-9a-f:.]+\])(?::\d+)?$/`,
  String.raw`/^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u`,
];

test('no regular expression repeats without an end what does so itself', () => {
  const files = ['server', 'shared'].flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const expressions = new Set(files.flatMap((file) => [...expressionsIn(file)]));
  expect(expressions.size).toBeGreaterThan(500);
  expect([...expressions].filter(isNested).sort()).toEqual([...harmless].sort());
});

test('the check finds what it looks for', () => {
  expect([/(?:a+b?)+c/, /(?:a*)*/, /(?:ab)+c/, /(?:a{1,3}b)+/].map((one) => isNested(String(one)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
