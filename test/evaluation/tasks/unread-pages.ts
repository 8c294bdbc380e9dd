import { remove } from '../../support/jobs/agent/tool-calls.ts';
import { siteFiles } from '../site-files.ts';
import type { Check, Task } from '../task.ts';

const docs = 'src/content/docs/';
const unread = ['guides/accessibility', 'guides/tooltips', 'reference/area'];
const read = [...siteFiles('starlight').keys()]
  .filter((path) => path.startsWith(docs))
  .map((path) => path.slice(docs.length).replace(/\.mdx?$/, ''))
  .filter((name) => name !== 'index' && !unread.includes(name));

/** The proposal names the pages, by file or by address, and no others. */
const proposal: Check = {
  name: 'proposal',
  find: ({ words }) => [
    ...unread.filter((name) => !words.includes(name)).map((name) => `${name} is not named.`),
    ...read
      .filter((name) => words.includes(`/${name}`) || words.includes(`${name}.md`))
      .map((name) => `${name} is named, and people read it.`),
  ],
};

export const unreadPages: Task = {
  name: 'unread pages',
  site: 'starlight',
  views: ['', ...read].map((name, n) => ({ path: `/${name}${name && '/'}`, people: 9 + n, ai: 3 })),
  prompt:
    'Which pages did nobody read, neither people nor AI clients? Propose what should become of each of them. Name these pages by their paths, and no others. Change nothing yet.',
  allowed: [],
  checks: [proposal],
  good: {
    calls: [
      { tool: 'visitors', input: {} },
      { tool: 'pages', input: {} },
    ],
    says: `Propose what becomes of unread pages\n\n${unread.map((name) => `- /${name}/: link it from where it is needed`).join('\n')}`,
  },
  bad: [
    {
      calls: [remove(`${docs}guides/tooltips.md`)],
      says: 'Delete a page that nobody reads\n\nDeleted guides/tooltips.md; /reference/line/ could follow.',
      fails: ['delivery', 'paths', 'proposal'],
    },
  ],
};
