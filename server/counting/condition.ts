import type { Condition } from '../../shared/reports/pairs.ts';
import { searchableText, wantedText } from './names/name-search.ts';
import { pathMatcher } from './page/path-pattern.ts';
import { matchesBy, type Renamed } from './page/renamed.ts';

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

/** Whether a page meets one that names any of its names. */
export function pageTest(condition: Condition, renamed: Renamed | null): (path: string) => boolean {
  const is = rowTest(condition);
  if (condition.how !== 'glob' || !renamed) return (path) => is(renamed?.(path) ?? path);
  const matchesOf = matchesBy(condition.values, renamed);
  return (path) => matchesOf(path).length > 0 !== condition.isNot;
}

/** Whether a row of this name meets a condition. */
export function rowTest(condition: Condition): (name: string) => boolean {
  const is = valueTest(condition);
  return condition.isNot ? (name) => !is(name) : is;
}
