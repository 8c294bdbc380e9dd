import { readFileSync } from 'node:fs';
import { type AnyNode, type CallExpression, parse } from 'acorn';
import { transform } from 'sucrase';

/** The titles of a file's tests as they are written, each after those of the groups around it. */
export function testTitles(file: string): string[][] {
  const { code } = transform(readFileSync(file, 'utf8'), { transforms: ['typescript'] });
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  return titlesIn(program, []);
}

function titlesIn(node: AnyNode, groups: string[]): string[][] {
  const call = node.type === 'CallExpression' ? titledCall(node) : undefined;
  if (call && call.name !== 'describe') return [[...groups, call.title]];
  const around = call ? [...groups, call.title] : groups;
  return childrenOf(node).flatMap((child) => titlesIn(child, around));
}

/** `test('…')`, `describe('…')` and such with `.each(…)` between. */
function titledCall(call: CallExpression): { name: string; title: string } | undefined {
  const [first] = call.arguments;
  const name = calledName(call.callee);
  if (!['test', 'it', 'describe'].includes(name) || call.arguments.length < 2) return undefined;
  if (first?.type === 'Literal' && typeof first.value === 'string') return { name, title: first.value };
  if (first?.type !== 'TemplateLiteral') return undefined;
  return { name, title: first.quasis.map(({ value }) => value.cooked).join('…') };
}

function calledName(callee: AnyNode): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return calledName(callee.object);
  if (callee.type === 'CallExpression') return calledName(callee.callee);
  return '';
}

function childrenOf(node: AnyNode): AnyNode[] {
  const values: unknown[] = Object.values(node).flat();
  return values.filter((value): value is AnyNode => value instanceof Object && 'type' in value);
}
