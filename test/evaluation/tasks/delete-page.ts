import { edit, remove } from '../../support/jobs/agent/tool-calls.ts';
import type { Check, Task } from '../task.ts';

const docs = 'src/content/docs';
const page = `${docs}/upgrade-from-1.md`;

const gone: Check = {
  name: 'gone',
  find: ({ after }) => (after.has(page) ? [`${page} is still there.`] : []),
};

/** Neither sidebar nor pages tell of it; a redirect may. */
const mentions: Check = {
  name: 'mentions',
  find: ({ after }) =>
    [...after]
      .filter(([path, text]) =>
        text.includes(/\.mdx?$/.test(path) ? 'upgrade-from-1' : "slug: 'upgrade-from-1'"),
      )
      .map(([path]) => `${path} still leads to the deleted page.`),
};

const remarks = [
  edit(
    `${docs}/install.md`,
    ' If you come from version 1, read\n[what has changed](/upgrade-from-1/).\n',
    '\n',
  ),
  edit(
    `${docs}/guides/colours.md`,
    '\nIn version 1 this was the `palette`, see [the upgrade](/upgrade-from-1/).\n',
    '',
  ),
];
const card = '  <LinkCard title="Upgrade from version 1" href="/upgrade-from-1/" />\n';

export const deletePage: Task = {
  name: 'delete a page',
  site: 'starlight',
  prompt: `Nobody uses version 1 any more. Delete the page ${page}, and what leads to it.`,
  allowed: ['astro.config.mjs', `${docs}/**`],
  checks: [gone, mentions],
  good: {
    calls: [
      remove(page),
      edit('astro.config.mjs', ", { slug: 'upgrade-from-1' }", ''),
      edit(`${docs}/index.mdx`, card, ''),
      ...remarks,
    ],
    says: 'Delete the page on upgrading from version 1\n\nDeleted it with its links and its entry in the sidebar.',
  },
  bad: [
    {
      calls: [
        edit(page, 'title: Upgrade from version 1', 'title: Upgrade\ndraft: true'),
        edit(`${docs}/index.mdx`, '</CardGrid>', '</CardGrids>'),
      ],
      says: 'Hide the page on upgrading from version 1\n\nIt is a draft now.',
      fails: ['syntax', 'gone', 'mentions'],
    },
  ],
};
