import { visible } from '../text/sanitising.ts';

const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * What a comment asks for: a line that begins with the mention, and all below it. In quotations, code and what nobody sees a
 * mention is none. Undefined: it asks for nothing.
 */
export function findRequest(text: string, mention: string): string | undefined {
  const mark = new RegExp(`^ {0,3}@${RegExp.escape(mention)}(?![\\w-])[:,]?`, 'i');
  const lines = visible(text)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .split('\n');
  let open: string | undefined;
  for (const [at, line] of lines.entries()) {
    const [, run] = fence.exec(line) ?? [];
    if (open !== undefined) {
      if (run?.startsWith(open)) open = undefined;
    } else if (run !== undefined) {
      open = run;
    } else if (mark.test(line)) {
      const request = [line.replace(mark, ''), ...lines.slice(at + 1)].join('\n').trim();
      return request === '' ? undefined : request;
    }
  }
  return undefined;
}
