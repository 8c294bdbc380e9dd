import { readFence } from '../text/code.ts';
import { visible } from '../text/sanitising.ts';

/**
 * What a comment asks for: a line that begins with the mention, and all below it. In quotations, code and what nobody sees a
 * mention is none. Undefined: it asks for nothing.
 */
export function findRequest(text: string, mention: string): string | undefined {
  const mark = new RegExp(`^ {0,3}@${RegExp.escape(mention)}(?![\\w-])[:,]?`, 'i');
  const lines = visible(text)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    at = readFence(lines, at)?.end ?? at;
    if (!mark.test(line)) continue;
    const request = [line.replace(mark, ''), ...lines.slice(at + 1)].join('\n').trim();
    return request === '' ? undefined : request;
  }
  return undefined;
}
