import { parse } from 'yaml';
import { readMarkdown } from '../../../server/jobs/site/markdown.ts';
import type { Check } from '../task.ts';

/** What a page says of itself is not lost. */
export const frontMatter: Check = {
  name: 'front matter',
  find: ({ before, after, changes }) =>
    changes.flatMap(({ path, from = path }) => {
      const text = after.get(path);
      if (text === undefined) return [];
      const kept = keysOf(path, text);
      const lost = keysOf(from, before.get(from) ?? '').filter((key) => !kept.includes(key));
      return lost.map((key) => `${path} lost ${JSON.stringify(key)} of its front matter.`);
    }),
};

function keysOf(path: string, text: string): string[] {
  const { frontMatter } = readMarkdown(path, text);
  try {
    return Object.keys((parse(frontMatter?.text ?? '') ?? {}) as object);
  } catch {
    // What is wrong with it, another check tells.
    return [];
  }
}
