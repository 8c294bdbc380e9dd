import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { type Check, type Task, textOf } from '../task.ts';

const [page, releases] = ['docs/faq.md', 'docs/releases.md'];
const fault = `A change of the pages needs a line below the heading "## Unreleased" of ${releases}, which goes before all others.`;
const entry = /^# Releases\n\n## Unreleased\n\n- .+\n/;

const mended: Check = {
  name: 'red check',
  find: (outcome) =>
    entry.test(textOf(outcome, releases)) ? [] : ['The check of the pull request is still red.'],
};

const asked: Check = {
  name: 'question',
  find: (outcome) =>
    /^## .*empty folders.*\?\n/im.test(textOf(outcome, page)) ? [] : [`${page} lacks the question.`],
};

const question = edit(
  page,
  '## Can two',
  '## Does it save empty folders?\n\nYes, as everything else.\n\n## Can two',
);
const says = 'Tell that empty folders are saved\n\nAs a question.';

export const redChecks: Task = {
  name: 'a red check',
  site: 'mkdocs',
  settings: { mendChecks: true },
  prompt: `Add the question whether empty folders are saved to ${page}; the answer is yes.`,
  later: async (scene) => {
    // After two tries it is left to people.
    for (let look = 0; look < 3; look += 1) {
      await scene.check('releases', async (read) => (entry.test(await read(releases)) ? undefined : fault));
    }
  },
  allowed: [page, releases],
  checks: [asked, mended],
  good: {
    calls: [question],
    says,
    later: [
      {
        calls: [
          edit(releases, '## 3.4.0', '## Unreleased\n\n- The questions tell of empty folders.\n\n## 3.4.0'),
        ],
        says: 'Note the change\n\nAs the check wants it.',
      },
    ],
  },
  bad: [
    {
      calls: [edit(page, 'Yes, as they are', 'Yes, empty folders too, as they are')],
      says,
      later: [
        {
          calls: [edit(releases, '## 3.4.0', '## 3.4.0\n\n- Questions.')],
          says: 'Note the change\n\nBelow 3.4.0.',
        },
        { calls: [edit(releases, '\n- Questions.', '')], says: 'Take the note back\n\nIt did not help.' },
      ],
      fails: ['question', 'red check'],
    },
  ],
};
