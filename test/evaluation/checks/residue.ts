import type { Check } from '../task.ts';

const kinds: readonly [what: string, pattern: RegExp][] = [
  ['a note to come back', /\b(?:TODO|FIXME|TBD|XXX)\b|lorem ipsum/i],
  ['a mark of a conflict', /^(?:<{7} |={7}$|>{7} )/],
  ['a call of a tool', /<\/?(?:antml:)?(?:invoke|parameter|function_calls|tool_call|tool_use)\b/i],
  ['talk with the reader of an answer', /\bas an AI\b|\bhere(?:'s| is) the (?:updated|new|revised)\b/i],
  ['something that was left out', /\.\.\. ?(?:rest|existing|remaining|unchanged)|\(cut here\)/i],
];

/** Nothing is left of how the change was made. */
export const residue: Check = {
  name: 'residue',
  find: ({ added, before }) => {
    const known = new Set([...before.values()].flatMap((text) => text.split(/\r?\n/)));
    return added.flatMap(({ path, text }) => {
      const found = kinds.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
      if (isNumbered(text, known)) found.push('the number of a line');
      return found.map((what) => `${path} has ${what}: ${JSON.stringify(text)}`);
    });
  },
};

/** As the agent's tools show lines. */
function isNumbered(text: string, known: ReadonlySet<string>): boolean {
  const [, line = ''] = /^\d+\t(.*?)\r?$/.exec(text) ?? [];
  return line.trim() !== '' && known.has(line);
}
