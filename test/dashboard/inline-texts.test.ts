import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const home = join(import.meta.dirname, '..', '..');

interface Node {
  type: string;
  [part: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Attributes that nobody reads: names for the style, the browser and the code. */
const unread = new Set(['class', 'd', 'href', 'id', 'key', 'name', 'points', 'style', 'type', 'viewBox']);
/** Attributes whose every word is read, even one alone. */
const read =
  /^(alt|aria-(label|description|valuetext)|empty|head|hint|label|lead|placeholder|title|unit|what)$|Label$/;
/** Elements that hold code. */
const code = new Set(['code', 'pre']);

/** Names, and examples of what is typed, which are the same in each language. */
const everywhere = /^(Headcount|page|robots\.txt|\S*[./@:*…]\S*|https?:\S+)$/;
/** Words of formats, protocols and fonts. */
const technical =
  /^(\d|M\d|Authorization|Bearer|Content-Type|Idempotency-Key|Arrow|Page(Up|Down)$|Home$|End$|Enter$)/;

const hasWords = (text: string) => /\p{L}{2}/u.test(text) && !everywhere.test(text.trim());
/** More than one word, or one with a capital letter and no other sign. */
const isSentence = (text: string) =>
  hasWords(text) && !technical.test(text) && /^\s*[“(]?[A-Z][a-z’]+([ ,.:;…?!]|$)/.test(text);

/** English that stands in the code instead of dashboard/texts/. */
function inlineTexts(source: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, attribute?: string): void => {
    const text = textOf(node);
    if (text !== undefined) {
      const isInline = node.type === 'JSXText' || (attribute && read.test(attribute)) ? hasWords : isSentence;
      if (isInline(text)) found.push(text.trim());
    }
    for (const [part, child] of Object.entries(node)) {
      if (isPassed(node, part)) continue;
      for (const one of [child].flat()) if (isNode(one)) visit(one, nameOf(node) ?? attribute);
    }
  };
  for (const statement of parseAst(source, { lang: 'tsx' }).body) visit(statement as unknown as Node);
  return found;
}

function textOf(node: Node): string | undefined {
  if (node.type === 'JSXText' || node.type === 'Literal')
    return typeof node.value === 'string' ? node.value : undefined;
  return node.type === 'TemplateElement' ? (node.value as { cooked: string }).cooked : undefined;
}

/** Of an attribute, for what stands in it; elements inside of one have attributes of their own. */
function nameOf(node: Node): string | undefined {
  if (node.type === 'JSXElement') return '';
  return node.type === 'JSXAttribute' ? String((node.name as Node).name) : undefined;
}

function isPassed(node: Node, part: string): boolean {
  if (node.type === 'ImportDeclaration' || node.type.startsWith('TSLiteral')) return true;
  if (node.type === 'JSXAttribute') return unread.has(nameOf(node) ?? '');
  if (node.type === 'JSXElement' && part === 'children') {
    const { name } = (node.openingElement as Node).name as Node;
    return code.has(String(name));
  }
  // Names of properties, and what is compared.
  return (part === 'key' && node.computed !== true) || (node.type === 'BinaryExpression' && part === 'right');
}

test.each([
  ['<p>Some words</p>', ['Some words']],
  ['<p>{isOn && "Words"} and more</p>', ['Words', 'and more']],
  ['<input placeholder="name" />', ['name']],
  ['<b aria-label={"Remove " + name} />', ['Remove']],
  ['<Form submitLabel={isBusy ? "sending" : t.send} />', ['sending']],
  ['function say() { return "Nothing was sent."; }', ['Nothing was sent.']],
  ['<p class="Some words">{t.words} · <code>npm run it</code></p>', []],
  ['<input placeholder="www.example.com" name="Host" />', []],
])('finds the English in %s', (source, texts) => {
  expect(inlineTexts(source)).toEqual(texts);
});

test('all texts of the dashboard are in dashboard/texts/, where other languages find them', () => {
  const files = globSync('dashboard/**/*.{ts,tsx}', { cwd: home, exclude: ['dashboard/texts/**'] });
  const found = files.flatMap((file) =>
    inlineTexts(readFileSync(join(home, file), 'utf8')).map((text) => `${file}: ${text}`),
  );
  expect(files.length).toBeGreaterThan(90);
  expect(found).toEqual([]);
});
