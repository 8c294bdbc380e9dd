import type { Condition } from '../../shared/reports/pairs.ts';
import { searchableText, wantedText } from './names/name-search.ts';
import { pathMatcher } from './page/path-pattern.ts';

/** Whether a value is one of those of a condition, whatever its `isNot`. */
export function valueTest({ how, values }: Pick<Condition, 'how' | 'values'>): (value: string) => boolean {
  if (how === 'is') {
    const all = new Set(values);
    return (value) => all.has(value);
  }
  if (how === 'glob') return pathMatcher(values);
  const wanted = values.map(wantedText);
  return (value) => wanted.some((text) => searchableText(value).includes(text));
}

/** Whether a row of this name meets a condition. */
export function rowTest(condition: Condition): (name: string) => boolean {
  const is = valueTest(condition);
  return condition.isNot ? (name) => !is(name) : is;
}
