import { edit, move } from '../../support/jobs/agent/tool-calls.ts';
import { missingRedirects } from '../redirects.ts';
import { type Check, type Task, textOf } from '../task.ts';

const [from, to] = ['guides/receive-webhooks.mdx', 'guides/webhooks.mdx'];

const moved: Check = {
  name: 'moved',
  find: (outcome) => {
    const isSame = textOf(outcome, to) === outcome.before.get(from);
    return outcome.after.has(from) || !isSame ? [`${from} is not at ${to} as it was.`] : [];
  },
};

const redirect: Check = {
  name: 'redirect',
  find: (outcome) => {
    const wanted = { '/guides/receive-webhooks': '/guides/webhooks' };
    return missingRedirects(textOf(outcome, 'docs.json'), wanted);
  },
};

/** They would lead there all the same, by the redirect. */
const oldLinks: Check = {
  name: 'old links',
  find: ({ after }) =>
    [...after]
      .filter(([path, text]) => path.endsWith('.mdx') && text.includes('receive-webhooks'))
      .map(([path]) => `${path} still links to the old address.`),
};

const first = '"redirects": [{ "source": "/getting-started", "destination": "/quickstart" }]';
const both = `"redirects": [
    { "source": "/getting-started", "destination": "/quickstart" },
    { "source": "/guides/receive-webhooks", "destination": "/guides/webhooks" }
  ]`;

export const renamePage: Task = {
  name: 'rename a page',
  site: 'mintlify',
  prompt: `Rename the page ${from} to ${to}. Its text stays as it is. Whoever has the old address must still get there.`,
  allowed: ['docs.json', '**/*.mdx'],
  checks: [moved, redirect, oldLinks],
  good: {
    calls: [move(from, to), edit('docs.json', first, both)],
    says: 'Rename the page on webhooks\n\nMoved the page, corrected the links to it, and added a redirect.',
  },
  bad: [
    {
      calls: [
        move(from, to),
        edit('index.mdx', 'href="/guides/webhooks"', 'href="/guides/receive-webhooks"'),
        edit(to, 'title: Receive webhooks\n', ''),
        edit('guides/errors.mdx', '```json\n', '```json\n<parameter name="content">\n'),
      ],
      says: 'Rename the page on webhooks\n\nMoved the page, and corrected the link in api/get-parcel.mdx, too.',
      fails: ['links', 'front matter', 'summary', 'residue', 'moved', 'redirect', 'old links'],
    },
  ],
};
