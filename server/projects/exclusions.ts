import { memoize } from '../memo.ts';

/** As many letters of a user agent are looked at: real ones have some 300. */
const maxLetters = 2_000;
const maxRemembered = 10_000;

/** @param rules names of query parameters, or `name=value`, as they are decoded */
export function queryMatcher(rules: readonly string[]): (url: string) => boolean {
  const wanted = new Set(rules);
  return (url) => {
    const start = url.indexOf('?');
    if (start < 0) return false;
    const end = url.indexOf('#', start);
    const query = new URLSearchParams(url.slice(start + 1, end < 0 ? undefined : end));
    return query.entries().some(([name, value]) => wanted.has(name) || wanted.has(`${name}=${value}`));
  };
}

/** @param rules a part of a user agent, or all of it with * for any letters; upper and lower case are one */
export function userAgentMatcher(rules: readonly string[]): (userAgent: string) => boolean {
  const patterns = rules.map((rule) => {
    const [first = '', ...rest] = rule.toLowerCase().split('*');
    return rest.length === 0 ? ['', first, ''] : [first, ...rest];
  });
  return memoize((userAgent) => {
    const text = userAgent.slice(0, maxLetters).toLowerCase();
    return patterns.some((parts) => hasParts(text, parts));
  }, maxRemembered);
}

/** Whether the parts follow each other, the first at the start and the last at the end: each is found where it comes first. */
function hasParts(text: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
